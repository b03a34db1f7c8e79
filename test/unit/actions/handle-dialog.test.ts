import { expect, it } from 'vitest';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import { printAction } from '../../../src/actions/print.ts';

it.each([
  ['handle_dialog(True)', true, null],
  ['handle_dialog(accept=False)', false, null],
  ["handle_dialog(True, 'Ada')", true, 'Ada'],
  ["handle_dialog(True, text='')", true, ''],
  ['handle_dialog(True, None)', true, null],
  [{ type: 'handle_dialog', accept: true }, true, null],
  [{ type: 'handle_dialog', accept: 'no', text: null }, false, null],
  [{ type: 'handle_dialog', accept: true, text: 'Ada' }, true, 'Ada'],
] as const)('%j answers a dialog, and is printed so that it reads back', (input, accept, text) => {
  const action = { type: 'handle_dialog', accept, text } as const;
  expect(normaliseAction(input)).toEqual({ actions: [action], failure: null });
  expect(normaliseAction(printAction(action)).actions).toEqual([action]);
});

it.each([
  ['handle_dialog()', "handle_dialog: missing a required argument: 'accept'"],
  ["handle_dialog('Ada')", "handle_dialog: accept: expected True or False, got 'Ada'"],
  ['handle_dialog(True, 3)', 'handle_dialog: text: expected a string, got 3'],
  [{ type: 'handle_dialog' }, 'handle_dialog: accept: expected true or false'],
] as const)('%j is refused', (input, message) => {
  expect(normaliseAction(input)).toEqual({ actions: [], failure: { code: 'invalid_action', message } });
});

it('is no action of BrowserGym', () => {
  const failure = { code: 'unknown_action', message: "Invalid action type 'handle_dialog'." };
  expect(normaliseAction('handle_dialog(True)', { dialect: 'browsergym' })).toEqual({ actions: [], failure });
});
