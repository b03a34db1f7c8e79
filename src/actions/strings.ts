import { LiteralError } from '../python/literals.ts';
import { findCalls, type ParsedCall } from './calls.ts';
import { splitCombination } from './keys.ts';
import type { ActionDialect, ActionFailure, MouseButton, NormalAction, NormalisedActions } from './normal.ts';
import { readShortForms } from './short.ts';
import {
  type ActionCall,
  type ActionFunction,
  type Bound,
  bind,
  isActionFunction,
  isBrowserGymFunction,
} from './signatures.ts';

/**
 * Parses an action string. Finds calls as BrowserGym does; if there are none and the dialect is `own` or `mixed`, tries the RFC's
 * short form. Nothing is evaluated.
 */
export function parseActions(text: string, dialect: ActionDialect): NormalisedActions {
  let calls: ParsedCall[];
  try {
    calls = findCalls(text);
  } catch (error) {
    if (!(error instanceof LiteralError)) throw error;
    return refuse('invalid_action', error.message);
  }
  if (calls.length === 0) {
    const short = dialect.dialect === 'own' || dialect.dialect === 'mixed' ? readShortForms(text) : undefined;
    return short ? { actions: short, failure: null } : refuse('empty_action', 'Received an empty action.');
  }
  const unknown = calls.find(({ name }) => !isActionFunction(name) || !isOffered(name, dialect));
  if (unknown !== undefined) return refuse('unknown_action', `Invalid action type '${unknown.name}'.`);
  const actions: NormalAction[] = [];
  for (const call of calls as readonly ActionCall[]) {
    const result = bind(call);
    if ('error' in result) {
      return { actions, failure: { code: 'invalid_action', message: `${call.name}: ${result.error}${hint(call)}` } };
    }
    actions.push(normalForm(call.name, result.bound));
  }
  return { actions, failure: null };
}

function refuse(code: ActionFailure['code'], message: string): NormalisedActions {
  return { actions: [], failure: { code, message } };
}

/** Functions that mean the same whatever an environment's actions are. */
const EVERYWHERE: ReadonlySet<string> = new Set(['response', 'send_msg_to_user', 'report_infeasible']);

function isOffered(name: string, { dialect, functions }: ActionDialect): boolean {
  if (dialect === 'object') return EVERYWHERE.has(name);
  if (dialect === 'browsergym' && !isBrowserGymFunction(name)) return false;
  return functions === undefined || functions.has(name);
}

/** The meaning of the RFC's quoted short forms in terms of BrowserGym's functions. */
function hint({ name, args }: ParsedCall): string {
  if (args.length !== 1) return '';
  if (name === 'press') return ". To press a key at the focus, write keyboard_press('Enter').";
  if (name === 'scroll') return '. Write scroll(0, 500) to scroll down by 500 pixels.';
  return '';
}

function normalForm(name: ActionFunction, bound: Bound): NormalAction {
  const text = (key: string) => bound[key] as string;
  const number = (key: string) => bound[key] as number;
  const element = (key = 'bid') => ({ ref: text(key) });
  const place = (x = 'x', y = 'y') => ({ point: { x: number(x), y: number(y) } });
  const all = (key: string) => (typeof bound[key] === 'string' ? [text(key)] : (bound[key] as readonly string[]));
  const button = () => bound['button'] as MouseButton;
  const modifiers = () => bound['modifiers'] as readonly string[];
  switch (name) {
    case 'noop':
    case 'wait':
      return { type: 'wait', ms: number(name === 'noop' ? 'wait_ms' : 'time') };
    case 'send_msg_to_user':
    case 'response':
      return { type: 'response', text: text('text') };
    case 'report_infeasible':
      return { type: 'infeasible', reason: text('reason') };
    case 'scroll':
      return { type: 'scroll', target: null, x: number('delta_x'), y: number('delta_y'), hold: [] };
    case 'scroll_at':
      return { type: 'scroll', target: place(), x: number('dx'), y: number('dy'), hold: [] };
    case 'fill':
      return { type: 'fill', target: element(), text: text('value'), menu: bound['enable_autocomplete_menu'] === true };
    case 'clear':
      return { type: 'fill', target: element(), text: '', menu: false };
    case 'check':
    case 'uncheck':
      return { type: 'check', target: element(), checked: name === 'check' };
    case 'select_option':
      return { type: 'select', target: element(), options: all('options') };
    case 'click':
    case 'dblclick': {
      const delays = name === 'click' ? [] : [0];
      return { type: 'click', target: element(), button: button(), delays, hold: modifiers() };
    }
    case 'hover':
      return { type: 'move', target: element(), offset: null };
    case 'press':
      return { type: 'press', target: element(), keys: splitCombination(text('key_comb')) };
    case 'focus':
      return { type: 'focus', target: element() };
    case 'drag_and_drop':
      return { type: 'drag', path: [element('from_bid'), element('to_bid')], delays: [], hold: [] };
    case 'mouse_drag_and_drop':
      return { type: 'drag', path: [place('from_x', 'from_y'), place('to_x', 'to_y')], delays: [], hold: [] };
    case 'drag': {
      const path = (bound['path'] as readonly (readonly [number, number])[]).map(([x, y]) => ({ point: { x, y } }));
      return { type: 'drag', path, delays: [], hold: [] };
    }
    case 'upload_file':
      return { type: 'upload', target: element(), files: all('file') };
    case 'mouse_upload_file':
      return { type: 'upload', target: place(), files: all('file') };
    case 'mouse_move':
    case 'move':
      return { type: 'move', target: place(), offset: null };
    case 'mouse_up':
    case 'mouse_down':
      return { type: 'mouse', state: name === 'mouse_up' ? 'up' : 'down', ...place(), button: button() };
    case 'mouse_click':
    case 'mouse_dblclick':
      return { type: 'click', target: place(), button: button(), delays: name === 'mouse_click' ? [] : [0], hold: [] };
    case 'keyboard_up':
    case 'keyboard_down':
      return { type: 'key', state: name === 'keyboard_up' ? 'up' : 'down', keys: [text('key')] };
    case 'keyboard_press':
      return { type: 'press', target: null, keys: splitCombination(text('key')) };
    case 'keyboard_type':
    case 'type':
      return { type: 'type', text: text('text'), enter: bound['enter_after'] === true };
    case 'keyboard_insert_text':
      return { type: 'insert', text: text('text') };
    case 'go_back':
    case 'go_forward':
      return { type: 'history', delta: name === 'go_back' ? -1 : 1 };
    case 'goto':
      return { type: 'goto', url: text('url') };
    case 'new_tab':
    case 'tab_close':
      return { type: 'tab', do: name === 'new_tab' ? 'new' : 'close' };
    case 'tab_focus':
      return { type: 'tab', do: 'focus', index: number('index') };
    case 'run':
      return { type: 'run', command: text('cmd'), timeout: number('timeout') };
    case 'read_file':
      return { type: 'read_file', path: text('path') };
    case 'write_file':
      return { type: 'write_file', path: text('path'), text: text('text') };
    case 'apply_patch':
      return { type: 'apply_patch', diff: text('diff') };
    case 'screenshot':
    case 'position':
      return { type: name };
    case 'handle_dialog': {
      const answer = bound['text'] ?? null;
      return { type: 'handle_dialog', accept: bound['accept'] === true, text: answer as string | null };
    }
  }
}
