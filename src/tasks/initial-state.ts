import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { ValueFix } from './change.ts';
import { error, type Problem, warning } from './problem.ts';
import { type Cookie, cookieSchema, type InitialState } from './task.ts';
import { changeTo, removal } from './value-fixes.ts';

/** Reads the state before the setup calls: the RFC's keys, in the task itself or in its `initial_state`. */
export function readInitialState(row: JsonObject, problems: Problem[]): InitialState {
  const stateMember = row['initial_state'];
  if (stateMember !== undefined && stateMember !== null && !isObject(stateMember)) {
    const isPage = typeof stateMember === 'string' && stateMember !== '';
    const page = isPage && (stateMember.trim().startsWith('<') ? { html: stateMember } : { start_url: stateMember });
    const message = '"initial_state" must be an object with start_url, html or html_file, cookies, local_storage';
    const fixes = page ? [changeTo(['initial_state'], page)] : [];
    problems.push(error('initial-state', ['initial_state'], message, ...fixes));
  }
  const inner = isObject(stateMember) ? readState(stateMember, ['initial_state'], problems) : {};
  const outer = readState(row, [], problems);
  for (const key of ['start_url', 'html'] as const) {
    if (inner[key] === undefined || outer[key] === undefined || inner[key] === outer[key]) continue;
    const message = `"${key}" is in the task and in its "initial_state"; the value in the task is used`;
    const fix = removal(['initial_state', key], `Remove the “${key}” of “initial_state”`);
    problems.push({ part: 'key', ...warning('start-twice', ['initial_state'], message, fix) });
  }
  const cookies = [...(inner.cookies ?? []), ...(outer.cookies ?? [])];
  const state: InitialState = { ...inner, ...outer };
  if (cookies.length > 0) state.cookies = cookies;
  if (inner.local_storage !== undefined && outer.local_storage !== undefined) {
    state.local_storage = { ...inner.local_storage, ...outer.local_storage };
  }
  return state;
}

function readState(value: JsonObject, path: Path, problems: Problem[]): InitialState {
  const state: InitialState = {};
  const texts: Record<string, string> = {};
  for (const key of ['start_url', 'html_file', 'html']) {
    const text = value[key];
    if (text === undefined || text === null) continue;
    if (typeof text === 'string' && text !== '') texts[key] = text;
    else {
      const form = key === 'html' ? '' : ': an address, or the path of a page file next to the tasks';
      problems.push(error('initial-state', [...path, key], `"${key}" must be a string${form}`));
    }
  }
  const page = texts['html_file'] ?? texts['start_url'];
  if (texts['html'] !== undefined) state.html = texts['html'];
  else if (page !== undefined) state.start_url = page;
  const keys = Object.keys(texts);
  if (keys.length > 1) {
    const usedKey = texts['html'] !== undefined ? 'html' : 'html_file';
    const keyPath = [...path, 'start_url' in texts ? 'start_url' : 'html_file'];
    const message = `A task starts on one page, but this one specifies ${keys.length}: ${keys.join(', ')}. "${usedKey}" is used`;
    const changes = keys.filter((key) => key !== usedKey).map((key) => ({ remove: [...path, key] }));
    const fix = { title: `Keep “${usedKey}” only`, changes };
    problems.push({ part: 'key', ...warning('start-twice', keyPath, message, fix) });
  }
  const cookies = readCookies(value['cookies'], [...path, 'cookies'], problems);
  if (cookies.length > 0) state.cookies = cookies;
  for (const key of ['local_storage', 'localStorage']) {
    const items = readLocalStorage(value[key], [...path, key], problems);
    if (items !== undefined) state.local_storage = { ...state.local_storage, ...items };
  }
  return state;
}

function readCookies(value: Json | undefined, path: Path, problems: Problem[]): Cookie[] {
  if (value === undefined || value === null) return [];
  const items: readonly (readonly [Path, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [[...path, index], item] as const)
    : isObject(value)
      ? Object.entries(value).map(([name, item]) => [[...path, name], { name, value: item }] as const)
      : [[path, value]];
  const cookies: Cookie[] = [];
  for (const [at, item] of items) {
    const result = cookieSchema.safeParse(item);
    if (result.success) {
      cookies.push(result.data);
      continue;
    }
    const member = result.error.issues[0]?.path[0];
    const hasMember = typeof member === 'string';
    const reason = hasMember ? `: “${member}” is missing or invalid` : '';
    const message = `A cookie must be an object such as {"name": "theme", "value": "dark"}${reason}`;
    problems.push(error('cookie', Array.isArray(value) && hasMember ? [...at, member] : at, message));
  }
  return cookies;
}

function readLocalStorage(
  value: Json | undefined,
  path: Path,
  problems: Problem[],
): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) {
    problems.push(error('local-storage', path, 'Local storage must be an object of strings: {"cart": "3"}'));
    return undefined;
  }
  const items: Record<string, string> = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string') items[key] = item;
    else {
      const json = JSON.stringify(item);
      items[key] = json;
      const message = `Local storage holds only strings; this value is stored as ${JSON.stringify(json)}`;
      const changes = [{ set: [...path, key], value: json }];
      const fix: ValueFix = { title: `Change to ${JSON.stringify(json)}`, changes, safe: true };
      problems.push(warning('local-storage', [...path, key], message, fix));
    }
  }
  return items;
}
