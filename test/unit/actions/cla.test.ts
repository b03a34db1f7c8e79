import { describe, expect, it } from 'vitest';
import { claSchema, readCla } from '../../../src/actions/cla.ts';
import { CLA_KEYS, keyName, keyNames } from '../../../src/actions/keys.ts';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import { printAction } from '../../../src/actions/print.ts';
import { equalJson } from '../../../src/base/json.ts';
import { readText, recorded } from './fixtures.ts';

interface RecordedAction {
  hud: string;
  in: unknown;
  out?: Record<string, unknown>;
  error?: { loc: string[] }[];
}

const recordedActions = recorded<RecordedAction>('actions', 'cla.jsonl');
const rows = recordedActions.filter((row) => row.hud === '0.2.10');

describe('CLA objects are accepted and rejected as by HUD 0.2.10', () => {
  it.each(rows.filter((row) => row.out))('accepts $in', (row) => {
    expect(claSchema.parse(row.in)).toEqual(row.out);
  });

  it.each(rows.filter((row) => row.error))('rejects $in', (row) => {
    const parsed = claSchema.safeParse(row.in);
    expect(parsed.success).toBe(false);
    const { actions, failure } = readCla(row.in);
    expect(actions).toEqual([]);
    expect(failure?.message).toMatch(/\w/);
    // The field that is wrong is named, as HUD names it.
    const field = row.error?.[0]?.loc[1];
    if (field !== undefined) expect(failure?.message).toContain(field);
  });

  it('accepts more than 0.2.4: lists the differences', () => {
    const written = ({ in: given }: RecordedAction) => JSON.stringify(given);
    const old = new Map(recordedActions.filter((row) => row.hud === '0.2.4').map((row) => [written(row), row]));
    const differ = rows.filter((row) => (row.error === undefined) !== (old.get(written(row))?.error === undefined));
    expect(differ.map((row) => row.in)).toEqual([
      { type: 'click', point: { x: 1, y: 2 }, button: 'middle' },
      { type: 'click', point: { x: 1, y: 2 }, button: 'wheel' },
      { type: 'press', keys: ['command', 'win', 'start'] },
      { type: 'custom', action: 'a', args: [1] },
      { type: 'click', reasoning: 5 },
      { type: 'wait', time: 1, logs: 5 },
    ]);
    expect(readCla({ type: 'click', button: 'wheel' }).failure?.message).toContain('"middle"');
  });

  it.each([
    [{ type: 'wait', time: 2 ** 53 }, 'wait: time: expected an integer from -9007199254740991 to 9007199254740991'],
    [
      { type: 'click', point: { x: 1, y: '-9007199254740993' } },
      'click: point.y: expected an integer from -9007199254740991 to 9007199254740991',
    ],
    [
      { type: 'custom', action: 'open', args: { ids: [1, { of: 2 ** 70 }] } },
      'custom: args.ids.1.of: only integers from -9007199254740991 to 9007199254740991 keep all digits; write it as a string',
    ],
    [{ type: 'wait', time: 1.5 }, 'wait: time: expected an integer'],
  ])('rejects integers that a number cannot hold exactly: %j', (object, message) => {
    expect(readCla(object)).toEqual({ actions: [], failure: { code: 'invalid_action', message } });
  });

  it.each([
    { type: 'wait', time: 2 ** 53 - 1 },
    { type: 'custom', action: 'open', args: { id: 2 ** 53 - 1, part: 0.1, text: '9007199254740993' } },
  ])('keeps %j', (object) => {
    expect(claSchema.parse(object)).toMatchObject(object);
  });

  it.each(['object', 'mixed'] as const)('rejects them in the form of an environment too: %s', (dialect) => {
    const call = { name: 'follow', arguments: { ids: [2 ** 53 - 1, 2 ** 60] } };
    expect(normaliseAction(call, { dialect }).failure).toEqual({
      code: 'invalid_action',
      message: 'arguments.ids.1: only integers from -9007199254740991 to 9007199254740991 keep all digits',
    });
  });

  it('has the same 188 keys', () => {
    const { keys } = JSON.parse(readText('actions', 'cla-keys.json')) as { keys: string[] };
    expect(new Set(CLA_KEYS)).toEqual(new Set(keys));
    expect(CLA_KEYS).toHaveLength(188);
  });
});

describe('spellings of the same action', () => {
  it.each([
    [{ type: 'click', point: { x: 10, y: 20 } }, 'mouse_click(10, 20)'],
    [{ type: 'click', point: { x: 10, y: 20 }, button: 'right' }, "mouse_click(10, 20, button='right')"],
    [{ type: 'press', keys: ['ctrl', 'c'] }, "keyboard_press('Control+c')"],
    [{ type: 'type', text: 'Ada' }, "keyboard_type('Ada')"],
    [{ type: 'type', text: 'Ada', enter_after: true }, "type('Ada', True)"],
    [{ type: 'scroll', point: { x: 5, y: 5 }, scroll: { x: 0, y: 100 } }, 'scroll_at(5, 5, 0, 100)'],
    [{ type: 'scroll', scroll: { x: 0, y: 100 } }, 'scroll(0, 100)'],
    [
      {
        type: 'drag',
        path: [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
      },
      'mouse_drag_and_drop(1, 2, 3, 4)',
    ],
    [{ type: 'move', point: { x: 1, y: 2 } }, 'mouse_move(1, 2)'],
    [{ type: 'wait', time: 500 }, 'noop(500)'],
    [{ type: 'response', text: 'Paris' }, "send_msg_to_user('Paris')"],
    [{ type: 'screenshot', reasoning: 'to look' }, 'screenshot()'],
  ])('%o is %s', (object, text) => {
    const [fromObject] = normaliseAction(object).actions;
    const [fromText] = normaliseAction(text).actions;
    if (!fromObject || !fromText) throw new Error('both must be read');
    expect(equalJson(fromObject, fromText)).toBe(true);
    expect(normaliseAction(printAction(fromObject)).actions).toEqual([fromObject]);
  });

  it('are distinguished from others', () => {
    const [click] = normaliseAction("click('12')").actions;
    const [other] = normaliseAction("click('12', 'right')").actions;
    if (!click || !other) throw new Error('both must be read');
    expect(equalJson(click, other)).toBe(false);
  });

  it('explains what an action string cannot express', () => {
    const printed = (object: { type: string }) => normaliseAction(object).actions.map(printAction);
    expect(printed({ type: 'click', point: { x: 1, y: 2 }, pattern: [100], hold_keys: ['ctrl'] } as never)).toEqual([
      'mouse_dblclick(1, 2) after 100 ms holding Control',
    ]);
    expect(printed({ type: 'custom', action: 'undo', args: { times: 2 } } as never)).toEqual([
      'custom undo({"times":2})',
    ]);
  });
});

describe('keys', () => {
  it('have the names of Playwright, or of the DOM', () => {
    expect(keyName('pagedown')).toBe('PageDown');
    expect(keyName('~')).toBe('~');
    expect(keyName('f13')).toBe('F13');
  });

  it('type their shifted characters with Shift', () => {
    expect(keyNames(['shift', 'a'])).toEqual(['Shift', 'A']);
    expect(keyNames(['ctrl', 'shiftleft', '1', '/', '\n'])).toEqual(['Control', 'ShiftLeft', '!', '?', 'Enter']);
    expect(keyNames(['ctrl', 'a', '!'])).toEqual(['Control', 'a', '!']);
  });
});
