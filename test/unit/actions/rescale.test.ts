import { describe, expect, it } from 'vitest';
import type { Screen } from '../../../src/actions/action.ts';
import { normaliseAction } from '../../../src/actions/normalise.ts';
import { fitScreen } from '../../../src/actions/rescale.ts';
import { recorded } from './fixtures.ts';

interface Row {
  readonly agent: Screen;
  readonly env: Screen;
  readonly in: { readonly type: string };
  readonly out: { readonly type: string };
}

describe('an action of an agent that works at another resolution', () => {
  it.each(recorded<Row>('hud', 'adapter-0.2.10.jsonl'))(
    'is what HUD’s Adapter makes of it: $in',
    ({ agent, env, in: given, out }) => {
      const [action] = normaliseAction(given).actions;
      if (!action) throw new Error('must be read');
      expect([fitScreen(action, agent, env)]).toEqual(normaliseAction(out).actions);
    },
  );

  it.each([
    ['mouse_click(960, 540)', 'mouse_click(640, 400)'],
    ['mouse_drag_and_drop(0, 0, 1919, 1079)', 'mouse_drag_and_drop(0, 0, 1279, 799)'],
    ['scroll(0, 540)', 'scroll(0, 400)'],
    ["click('#buy')", "click('#buy')"],
    ['mouse_down(3, 3)', 'mouse_down(2, 2)'],
    ["mouse_upload_file(30, 27, 'a.txt')", "mouse_upload_file(20, 20, 'a.txt')"],
  ])('%s means %s', (given, meant) => {
    const fitted = normaliseAction(given).actions.map((action) =>
      fitScreen(action, { width: 1920, height: 1080 }, { width: 1280, height: 800 }),
    );
    expect(fitted).toEqual(normaliseAction(meant).actions);
  });
});
