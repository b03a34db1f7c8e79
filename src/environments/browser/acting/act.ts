import type { NormalAction } from '../../../actions/normal.ts';
import { type ActionContext, attempt, holdKeys, moveTo, PAGE, touch, wait } from './action-context.ts';
import { ActionError } from './failures.ts';
import { fill, focus, hold, press, select, type, upload } from './fields.ts';
import { goInHistory, goto } from './navigation.ts';
import { actWithMouse, click, drag, mainButton, move, scroll } from './pointer.ts';

/** Executes one action. Throws an `ActionError` if it fails. */
export async function act(action: NormalAction, context: ActionContext): Promise<void> {
  const { outcome } = context;
  const { page } = context.tab;
  switch (action.type) {
    case 'click':
      return holdKeys(context, action.hold, () => click(action, context));
    case 'move':
      return move(action, context);
    case 'mouse':
      await touch(context, action.point);
      await moveTo(context, action.point);
      return attempt(PAGE, context, () => page.mouse[action.state]({ button: mainButton(action.button) }));
    case 'scroll':
      return holdKeys(context, action.hold, () => scroll(action, context));
    case 'drag':
      return holdKeys(context, action.hold, () => drag(action, context));
    case 'type':
    case 'insert':
      return type(action, context);
    case 'fill':
      return fill(action, context);
    case 'press':
      return press(action, context);
    case 'key':
      return hold(action, context);
    case 'select':
      return select(action, context);
    case 'check':
      return actWithMouse(action.target, true, context, (pointer, timeout) =>
        pointer.setChecked(action.checked, { timeout }),
      );
    case 'focus':
      return focus(action.target, context);
    case 'upload':
      return upload(action, context);
    case 'goto':
      return goto(action.url, context);
    case 'history':
      return goInHistory(action.delta, context);
    case 'tab':
      if (action.do === 'focus') return context.focusTab(action.index);
      return action.do === 'new' ? context.openTab() : context.closeTab();
    case 'handle_dialog':
      if (await context.answerDialog(action.accept, action.text)) return;
      throw new ActionError('dialog_missing', 'no dialog is open');
    case 'wait':
      return wait(action.ms, context.closeSignal);
    case 'response':
      outcome.response = action.text;
      return;
    case 'infeasible':
      outcome.terminated = true;
      return;
    case 'screenshot':
      return;
    case 'position':
      outcome.acted = { ...outcome.acted, point: { ...context.tab.mouse } };
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
