import { pythonRepr, pythonString } from '../python/repr.ts';
import type { Point } from './action.ts';
import type { NormalAction, Target } from './normal.ts';
import { COMMAND_SECONDS } from './signatures.ts';

/**
 * Formats an action for display: `click('#apply')`, `fill('#name', 'Ada')`, `mouse_click(10, 20)`. The call parses back
 * to the same action as far as action strings allow; details such as held keys and delays follow the call in words.
 */
export function printAction(action: NormalAction): string {
  switch (action.type) {
    case 'click':
      return printClick(action);
    case 'move':
      return printMove(action);
    case 'mouse':
      return call(`mouse_${action.state}`, ...place(action.point), ...notLeft(action.button));
    case 'scroll': {
      const by = [action.x, action.y];
      const { target } = action;
      if (target === null) return call('scroll', ...by) + holding(action.hold);
      if ('point' in target) return call('scroll_at', ...place(target.point), ...by) + holding(action.hold);
      return `${call('scroll', ...by)} at ${pythonString(target.ref)}${holding(action.hold)}`;
    }
    case 'drag':
      return printDrag(action.path) + pauses(action.delays) + holding(action.hold);
    case 'type':
      return action.enter ? call('type', action.text, true) : call('keyboard_type', action.text);
    case 'insert':
      return call('keyboard_insert_text', action.text);
    case 'fill':
      if (action.text === '' && !action.menu) return call('clear', ...on(action.target));
      return call('fill', ...on(action.target), action.text, ...(action.menu ? [true] : []));
    case 'press':
      if (action.target === null) return call('keyboard_press', action.keys.join('+'));
      return call('press', ...on(action.target), action.keys.join('+'));
    case 'key':
      return action.keys.map((key) => call(`keyboard_${action.state}`, key)).join(' ') || `keyboard_${action.state}()`;
    case 'select':
      return call('select_option', ...on(action.target), oneOrAll(action.options));
    case 'check':
      return call(action.checked ? 'check' : 'uncheck', ...on(action.target));
    case 'focus':
      return call('focus', ...on(action.target));
    case 'upload': {
      const name = 'point' in action.target ? 'mouse_upload_file' : 'upload_file';
      return call(name, ...on(action.target), oneOrAll(action.files));
    }
    case 'goto':
      return call('goto', action.url);
    case 'history':
      return call(action.delta < 0 ? 'go_back' : 'go_forward');
    case 'tab':
      if (action.do === 'focus') return call('tab_focus', action.index);
      return call(action.do === 'new' ? 'new_tab' : 'tab_close');
    case 'wait':
      return call('noop', action.ms);
    case 'response':
      return call('response', action.text);
    case 'infeasible':
      return call('report_infeasible', action.reason);
    case 'run':
      return call('run', action.command, ...(action.timeout === COMMAND_SECONDS ? [] : [action.timeout]));
    case 'read_file':
      return call('read_file', action.path);
    case 'write_file':
      return call('write_file', action.path, action.text);
    case 'apply_patch':
      return call('apply_patch', action.diff);
    case 'screenshot':
    case 'position':
      return call(action.type);
    case 'handle_dialog':
      return call('handle_dialog', action.accept, ...(action.text === null ? [] : [action.text]));
    case 'custom':
      return `custom ${action.action}(${action.args ? JSON.stringify(action.args) : ''})`;
    case 'object':
      return JSON.stringify(action.value);
  }
}

function printClick({ target, button, delays, hold }: Extract<NormalAction, { type: 'click' }>): string {
  const name = delays.length === 1 ? 'dblclick' : 'click';
  const delay = delays.length === 1 && delays[0] === 0 ? '' : pauses(delays);
  if (target === null) return call(name, ...notLeft(button)) + delay + holding(hold);
  if ('point' in target) {
    return call(`mouse_${name}`, ...place(target.point), ...notLeft(button)) + delay + holding(hold);
  }
  return call(name, target.ref, ...(hold.length === 0 ? notLeft(button) : [button, hold])) + delay;
}

function printMove({ target, offset }: Extract<NormalAction, { type: 'move' }>): string {
  const by = offset ? ` by (${offset.x}, ${offset.y})` : '';
  if (target === null) return `move${by || '()'}`;
  return ('point' in target ? call('mouse_move', ...place(target.point)) : call('hover', target.ref)) + by;
}

function printDrag(path: readonly Target[]): string {
  const [from, to] = path;
  if (from && to && path.length === 2) {
    if ('ref' in from && 'ref' in to) return call('drag_and_drop', from.ref, to.ref);
    if ('point' in from && 'point' in to) return call('mouse_drag_and_drop', ...place(from.point), ...place(to.point));
  }
  const points = path.map((one) => ('point' in one ? `(${place(one.point).join(', ')})` : pythonString(one.ref)));
  return `drag([${points.join(', ')}])`;
}

type Printable = string | number | boolean | readonly string[];

function call(name: string, ...args: readonly Printable[]): string {
  return `${name}(${args.map(pythonRepr).join(', ')})`;
}

function place({ x, y }: Point): readonly number[] {
  return [x, y];
}

function oneOrAll(values: readonly string[]): Printable {
  return values.length === 1 ? (values[0] ?? '') : values;
}

function on(target: Target): readonly Printable[] {
  return 'point' in target ? place(target.point) : [target.ref];
}

function notLeft(button: string): readonly string[] {
  return button === 'left' ? [] : [button];
}

function pauses(delays: readonly number[]): string {
  return delays.length === 0 ? '' : ` after ${delays.join(', ')} ms`;
}

function holding(keys: readonly string[]): string {
  return keys.length === 0 ? '' : ` holding ${keys.join('+')}`;
}
