import { expect, it } from 'vitest';
import { agentLabel } from '../../../src/presentation/labels.ts';
import { isolateDirection, plainLabel, plainMessage, withoutIcons } from '../../../src/presentation/plain-text.ts';
import { verdictOf } from '../../../src/presentation/runs/verdict.ts';

const HOSTILE = 'a\nb\u202Ec\u001B[2J$(check) [Run](command:x)';

it('puts a label on one line, in its logical order', () => {
  expect(plainLabel(HOSTILE)).toBe('a\\nb\\u202ec\\x1b[2J$(check) [Run](command:x)');
  expect(plainLabel('日本語 עברית é 🧪')).toBe('日本語 עברית é 🧪');
});

it('keeps the text after a right-to-left label in its place', () => {
  expect(isolateDirection('rtl-עברית')).toBe('\u2068rtl-עברית\u2069');
  expect(isolateDirection('عربي')).toBe('\u2068عربي\u2069');
  expect(isolateDirection('日本語 é 🧪')).toBe('日本語 é 🧪');
});

it('does not let a label draw icons', () => {
  expect(withoutIcons('$(check) 1.00')).toBe('\\$(check) 1.00');
});

it('keeps the lines of a message, without links', () => {
  const message = plainMessage(HOSTILE);
  expect(message.split('\n')).toHaveLength(2);
  expect(message).not.toMatch(/(?!\n)\p{Cc}|\u202E|\]\(/u);
});

it('removes the backticks around code from a message, and keeps those of its values', () => {
  expect(plainMessage('`goto` failed. The text is “`npm i`”')).toBe('goto failed. The text is “`npm i`”');
});

it('makes labels of the texts of a recorded run', () => {
  const run = { status: 'error', reward: null, success: false, error: { code: HOSTILE } } as const;
  const { text, accessibleText } = verdictOf(run);
  for (const label of [text, accessibleText, agentLabel(`process:${HOSTILE}`)])
    expect(label).not.toMatch(/[\p{Cc}\u202E]/u);
  expect(text).not.toMatch(/(?<!\\)\$\(/);
});
