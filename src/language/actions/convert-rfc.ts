import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../base/json.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Reading } from '../../tasks/reading.ts';
import { parseCallString } from '../../tasks/reward-call.ts';
import { at } from '../typing/value-context.ts';
import type { Convert } from './conversion.ts';
import { TaskRewrite } from './task-rewrite.ts';

const STATE = ['start_url', 'html', 'html_file', 'cookies', 'local_storage', 'localStorage', 'initial_state'] as const;
const REWARD = ['reward_function', 'reward_fn'] as const;

/** Whether a task has values under keys that HUD 0.2 lacks. */
export function usesRfcKeys(row: JsonObject): boolean {
  return ['instruction', 'tags', ...STATE, ...REWARD].some((key) => row[key] !== undefined && row[key] !== null);
}

/** Converts the keys of "Generic Task Support" to HUD 0.2: the page and its state become setup calls. */
export const rfcToHud02: Convert = (row, reading) => {
  const { fields } = reading;
  const rewriting = new TaskRewrite(row);
  const rewards = REWARD.filter((key) => row[key] !== undefined && row[key] !== null);
  const rewardCalls = reading.evaluate.filter(({ path }) => path[0] !== 'evaluate');
  if (rewards.length > 0 && rewardCalls.length === 0) {
    return {
      refusal:
        'The reward function is not readable. First move the script to a *.functions.ts or *.functions.py file and use its name here',
    };
  }
  if (row['instruction'] !== undefined) {
    if (typeof row['prompt'] === 'string' && row['prompt'] !== '') {
      rewriting.aside('instruction', 'the prompt of the task takes precedence');
    } else {
      rewriting.remove('prompt');
      rewriting.rename('instruction', 'prompt');
    }
  }
  if (row['gym'] === undefined || row['gym'] === null) rewriting.set('gym', fields.env.type);
  const state = stateCalls(reading, rewriting.notes);
  if (state === null) {
    return {
      refusal: 'Its cookies or local storage belong to no page. First add “start_url”, or give each cookie a url',
    };
  }
  for (const key of STATE) rewriting.remove(key);
  if (state.length > 0) rewriting.set('setup', calls([...state, ...reading.setup.map((call) => fullCall(call, row))]));
  if (rewards.length > 0) {
    for (const key of REWARD) rewriting.remove(key);
    rewriting.set('evaluate', calls(reading.evaluate.map((call) => fullCall(call, row))));
    if (rewards.length > 1) rewriting.notes.push('“reward_fn” is removed: only “reward_function” was used');
  }
  if (row['tags'] !== undefined) {
    rewriting.remove('tags');
    if (!isObject(row['metadata'])) rewriting.set('metadata', {});
    if (fields.tags.length > 0) rewriting.changes.push({ set: ['metadata', 'tags'], value: [...fields.tags] });
  }
  for (const key of ['name', 'max_steps']) {
    if (row[key] !== undefined) rewriting.notes.push(`“${key}” is unchanged: Taskwright reads it, HUD 0.2 ignores it`);
  }
  return rewriting;
};

type Call = JsonObject & { readonly function: string; readonly args: readonly Json[] };

/** The initial state as setup calls; null if there is no page that it could belong to. */
function stateCalls({ fields }: Reading, notes: string[]): Call[] | null {
  const { start_url, html, cookies, local_storage } = fields.initial_state;
  const page: Call[] =
    html !== undefined
      ? [{ function: 'load_html_content', args: [html] }]
      : start_url !== undefined
        ? [{ function: 'goto', args: [start_url] }]
        : [];
  const storage: Call[] = [];
  if (cookies !== undefined) storage.push({ function: 'set_cookies', args: [cookies as Json] });
  if (local_storage !== undefined) storage.push({ function: 'set_local_storage', args: [local_storage] });
  if (storage.length === 0) return page;
  const havePages = (cookies ?? []).every(({ url, domain }) => url !== undefined || domain !== undefined);
  if (page.length === 0 && (local_storage !== undefined || !havePages)) return null;
  const names = storage.map((call) => `“${call.function}”`).join(' and ');
  notes.push(
    `${names} ${storage.length === 1 ? 'is' : 'are'} of Taskwright: no HUD 0.2 is known to have ${storage.length === 1 ? 'it' : 'them'}`,
  );
  // A page that reads its cookies while it loads finds them the second time.
  return [...page, ...storage, ...page];
}

/** A single call in its short spelling, if that preserves it. */
function calls(list: readonly Call[]): Json {
  const [only] = list;
  const isShort = list.length === 1 && only !== undefined && Object.keys(only).length === 2;
  return isShort && only.args.every((arg) => !Array.isArray(arg)) ? [only.function, ...only.args] : list;
}

/** A call as an object with all its members. */
function fullCall(call: ReadCall, row: JsonObject): Call {
  const value = at(row, call.path);
  return { ...(isObject(value) ? value : {}), function: call.function, args: call.args };
}

/** Converts a task of HUD 0.2 to the keys of "Generic Task Support", as far as they allow. */
export const hud02ToRfc: Convert = (row, reading) => {
  const { fields } = reading;
  if (fields.env.type !== 'hud-browser') {
    return { refusal: `The format supports only web pages, not the environment “${fields.env.type}”` };
  }
  if (typeof fields.prompt !== 'string') return { refusal: 'This task has no prompt. Add one first' };
  const [evaluate, ...more] = reading.evaluate;
  if (more.length > 0) {
    return {
      refusal: `The format has one reward function, but this task has ${more.length + 1} evaluate calls. First combine them in a user-defined function`,
    };
  }
  const value = row['evaluate'] ?? [];
  if (evaluate === undefined && !(Array.isArray(value) && value.length === 0))
    return { refusal: 'Its evaluate calls are not readable. Fix them first' };
  const reward = evaluate === undefined ? null : callString(evaluate);
  if (evaluate !== undefined && reward === null) {
    return { refusal: `The arguments of “${evaluate.function}” cannot be written in a call string` };
  }
  const state = stateOf(reading);
  if ('call' in state) {
    return {
      refusal: `The format has no setup calls, only an initial page, cookies, and local storage. “${state.call}” has no equivalent`,
    };
  }
  const rewriting = new TaskRewrite(row);
  if (row['instruction'] === undefined) rewriting.rename('prompt', 'instruction');
  rewriting.remove('gym');
  for (const [key, value] of Object.entries(state)) if (row[key] === undefined) rewriting.set(key, value);
  rewriting.remove('setup');
  const isReward = REWARD.some((key) => evaluate?.path[0] === key);
  if (evaluate !== undefined && !isReward && reward !== null) {
    const value = at(row, evaluate.path);
    const { function: _, args: __, ...rest } = isObject(value) ? value : {};
    rewriting.remove('evaluate');
    rewriting.remove('target');
    rewriting.set('reward_function', reward);
    if (Object.values(rest).some((item) => item !== null))
      rewriting.keep('evaluate', rest, 'a reward function cannot contain it');
  } else rewriting.remove('evaluate');
  const why = 'the format does not support it';
  for (const key of ['system_prompt', 'config', 'sensitive_data', 'description', 'image_uri'])
    rewriting.aside(key, why);
  return rewriting;
};

/** `page_contains("x")`; null if it would not parse back to the same call. */
function callString({ function: name, args }: ReadCall): string | null {
  const text = args.length === 0 ? name : `${name}(${args.map((arg) => JSON.stringify(arg)).join(', ')})`;
  const read = parseCallString(text);
  return read !== null && read.name === name && !/^check_./.test(name) && isDeepStrictEqual(read.args, [...args])
    ? text
    : null;
}

/** The setup calls as an initial state, or the name of the first call that has no equivalent. */
function stateOf({ setup, fields }: Reading): Record<string, Json> | { readonly call: string } {
  const state: Record<string, Json> = {};
  const before: JsonObject = fields.initial_state as JsonObject;
  const { start_url, html } = before;
  for (const call of setup) {
    const [value, ...more] = call.args;
    const key = {
      goto: 'start_url',
      load_html_content: 'html',
      set_cookies: 'cookies',
      set_local_storage: 'local_storage',
    }[call.function];
    const isPage = key === 'start_url' || key === 'html';
    const pages = Number(state['start_url'] !== undefined) + Number(state['html'] !== undefined);
    const again = key !== undefined && isDeepStrictEqual(state[key], value);
    const isSaid = isPage
      ? start_url !== undefined || html !== undefined
      : key !== undefined && before[key] !== undefined;
    const fits =
      key !== undefined &&
      value !== undefined &&
      more.length === 0 &&
      (again || (state[key] === undefined && !(isPage && pages > 0)));
    if (!fits || isSaid || (key === 'html' && typeof value !== 'string')) return { call: call.function };
    state[key] = value;
  }
  return state;
}
