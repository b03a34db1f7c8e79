import type { NormalAction } from '../../../actions/normal.ts';
import { attempt, type Deed, holding, MOUSE, moveTo, onElement, type Stage, touch, wait } from './action-context.ts';
import { ActionError } from './failures.ts';
import { fill, focus, hold, press, select, type, upload } from './fields.ts';
import { goto, history } from './navigation.ts';
import { click, drag, move, scroll, sideless } from './pointer.ts';

/** Executes one action. Throws an `ActionError` in plain words where it fails. */
export async function act(action: NormalAction, stage: Stage, deed: Deed): Promise<void> {
  const { page } = stage.tab;
  switch (action.type) {
    case 'click':
      return holding(stage, action.hold, () => click(action, stage, deed));
    case 'move':
      return move(action, stage, deed);
    case 'mouse':
      await touch(stage, deed, action.point);
      await moveTo(stage, action.point);
      return attempt(MOUSE, stage, () => page.mouse[action.state]({ button: sideless(action.button) }));
    case 'scroll':
      return holding(stage, action.hold, () => scroll(action, stage, deed));
    case 'drag':
      return holding(stage, action.hold, () => drag(action, stage, deed));
    case 'type':
    case 'insert':
      return type(action, stage, deed);
    case 'fill':
      return fill(action, stage, deed);
    case 'press':
      return press(action, stage, deed);
    case 'key':
      return hold(action, stage, deed);
    case 'select':
      return select(action, stage, deed);
    case 'check':
      return onElement(action.target, stage, deed, async ({ element }) =>
        (await element.handle()).setChecked(action.checked, { timeout: stage.limits.action }),
      );
    case 'focus':
      return focus(action.target, stage, deed);
    case 'upload':
      return upload(action, stage, deed);
    case 'goto':
      return goto(action.url, stage);
    case 'history':
      return history(action.delta, stage);
    case 'tab':
      if (action.do === 'focus') return stage.focusTab(action.index);
      return action.do === 'new' ? stage.openTab() : stage.closeTab();
    case 'wait':
      return wait(action.ms, stage.closed);
    case 'response':
      deed.response = action.text;
      return;
    case 'infeasible':
      deed.terminated = true;
      return;
    case 'screenshot':
      return;
    case 'position':
      deed.acted = { ...deed.acted, point: { ...stage.tab.mouse } };
      return;
    case 'run':
    case 'read_file':
    case 'write_file':
    case 'apply_patch':
      throw new ActionError(
        'unknown_action',
        `\`${action.type}\` works in environments of type coding; this one is a browser`,
      );
    case 'custom':
      throw new ActionError('unknown_action', `there is no custom action \`${action.action}\` in this environment`);
  }
}
