import { describe, expect, it } from 'vitest';
import type { ActionInput } from '../../../src/actions/action.ts';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import { printAction } from '../../../src/actions/print.ts';
import { readActions } from '../../../src/agents/replay/replay.ts';
import { actionCount, solutionText } from '../../../src/runs/solutions/solution-text.ts';
import type { Step } from '../../../src/traces/trace.ts';

const browser = { type: 'hud-browser' };

/** A step as the trace has it after these actions went well; `more` says what went otherwise. */
function step(action: ActionInput | ActionInput[], more: Partial<Step> = {}): Step {
  const actions = (Array.isArray(action) ? action : [action]).flatMap((one) => normaliseAction(one).actions);
  return {
    index: 0,
    source: 'agent',
    started_at: '2026-05-20T12:00:00Z',
    duration_ms: 1,
    action,
    observation: null,
    reward: null,
    terminated: false,
    info: { acted: actions.map((one) => ({ action: printAction(one) })) },
    error: null,
    ...more,
  };
}

describe('a run saved as a solution', () => {
  it('has an action per line below the prompt, and is read as the same actions', () => {
    const text = solutionText('Buy it.\r\n\r\n  Then leave.', browser, [
      step("click('#buy')"),
      step({ type: 'click', point: { x: 3, y: 4 }, reasoning: 'there' }),
      step({ type: 'click', point: { x: 3, y: 4 }, hold_keys: ['shift'] }),
    ]);
    expect(text).toBe(
      [
        '# Buy it.',
        '# Then leave.',
        "click('#buy')",
        'mouse_click(3, 4)',
        '{"type":"click","point":{"x":3,"y":4},"hold_keys":["shift"]}',
        '',
      ].join('\n'),
    );
    expect(readActions(text, 'buy.actions', { type: 'hud-browser' })).toHaveLength(3);
  });

  it('merges consecutive typing into one line', () => {
    expect(
      solutionText('', browser, [
        step("click('#name')"),
        step("keyboard_type('Ada ')"),
        step("keyboard_type('Lovelace')"),
        step("keyboard_press('Tab')"),
        step("keyboard_type('1815')"),
      ]),
    ).toBe("click('#name')\nkeyboard_type('Ada Lovelace')\nkeyboard_press('Tab')\nkeyboard_type('1815')\n");
  });

  it('has a separate line for each action of an answer', () => {
    const text = solutionText('', browser, [step(["fill('#a', 'x')", { type: 'press', keys: ['enter'] }])]);
    expect(text).toBe("fill('#a', 'x')\nkeyboard_press('Enter')\n");
    const prose = solutionText('', browser, [step("First\nclick('3')\nand then `fill('4', 'b')`.")]);
    expect(prose).toBe("click('3')\nfill('4', 'b')\n");
  });

  it('omits failed actions and those without effect, with a comment', () => {
    const error = { message: '`#gone` is covered\nby <div>', code: 'element_covered' };
    expect(
      solutionText('', browser, [
        step("click('#gone')", { error }),
        step('Click the button', { error: { message: 'Received an empty action.', code: 'empty_action' }, info: {} }),
        step("click('#a') click('#b') click('#c')", {
          error,
          info: { acted: [{ action: "click('#a')" }, { action: "click('#b')" }] },
        }),
        step("click('#x')", { info: { acted: [{ action: "click('#x')", ignored: 'nothing here' }] } }),
      ]),
    ).toBe(
      [
        "# left out: click('#gone'): `#gone` is covered by <div>",
        "click('#a')",
        "# left out: click('#b'): `#gone` is covered by <div>",
        "# left out: click('#x'): nothing here",
        '',
      ].join('\n'),
    );
  });

  it('keeps the actions before one that could not be read', () => {
    const error = { message: 'click: missing', code: 'invalid_action' };
    const broken = step("click('#a') click()", { error });
    expect(solutionText('', browser, [broken])).toBe("click('#a')\n");
    expect(actionCount([broken, step("click('#x')", { source: 'system' })], browser)).toBe(1);
  });

  it('has the objects of an environment whose actions have a schema', () => {
    const info = { acted: [{ action: '{"move":"DOWN"}' }] };
    const moved = step({ move: 'DOWN' } as never, { info });
    expect(actionCount([moved], { type: 'openenv' })).toBe(1);
    expect(solutionText('Walk.', { type: 'openenv' }, [moved])).toBe('# Walk.\n{"move":"DOWN"}\n');
  });

  it('uses the pixels of the page if the agent worked at another resolution', () => {
    const given = step('mouse_click(100, 50)');
    const info = { ...given.info, viewport: { width: 1280, height: 720 }, screen: { width: 640, height: 360 } };
    expect(solutionText('', browser, [{ ...given, info }])).toBe('mouse_click(200, 100)\n');
  });

  it('uses the syntax of BrowserGym in its environments', () => {
    const text = solutionText('', { type: 'browsergym' }, [
      step("send_msg_to_user('42')"),
      step({ type: 'response', text: '42' }),
    ]);
    expect(text).toBe('send_msg_to_user(\'42\')\n{"type":"response","text":"42"}\n');
  });
});
