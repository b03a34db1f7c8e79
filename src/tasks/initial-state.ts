import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import type { Problem } from './problem.ts';
import { type Cookie, cookieSchema, type InitialState } from './task.ts';
import { changeTo, removal } from './value-fixes.ts';

/** Reads the state before the setup calls: the RFC's keys, in the task itself or in its `initial_state`. */
export function readInitialState(row: JsonObject, problems: Problem[]): InitialState {
  const nested = row['initial_state'];
  if (nested !== undefined && nested !== null && !isObject(nested)) {
    problems.push({
      path: ['initial_state'],
      severity: 'error',
      code: 'initial-state',
      message: '"initial_state" must be an object with start_url, html or html_file, cookies, local_storage',
      ...(typeof nested === 'string' && nested !== ''
        ? {
            fixes: [
              changeTo(['initial_state'], nested.trim().startsWith('<') ? { html: nested } : { start_url: nested }),
            ],
          }
        : {}),
    });
  }
  const inner = isObject(nested) ? readState(nested, ['initial_state'], problems) : {};
  const outer = readState(row, [], problems);
  for (const key of ['start_url', 'html'] as const) {
    if (inner[key] === undefined || outer[key] === undefined || inner[key] === outer[key]) continue;
    problems.push({
      path: ['initial_state'],
      part: 'key',
      severity: 'warning',
      code: 'start-twice',
      message: `"${key}" is in the task and in its "initial_state"; the value in the task is used`,
      fixes: [removal(['initial_state', key], `Remove the “${key}” of “initial_state”`)],
    });
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
    const given = value[key];
    if (given === undefined || given === null) continue;
    if (typeof given === 'string' && given !== '') texts[key] = given;
    else {
      problems.push({
        path: [...path, key],
        severity: 'error',
        code: 'initial-state',
        message: `"${key}" must be a string${key === 'html' ? '' : ': an address, or the path of a page file next to the tasks'}`,
      });
    }
  }
  const page = texts['html_file'] ?? texts['start_url'];
  if (texts['html'] !== undefined) state.html = texts['html'];
  else if (page !== undefined) state.start_url = page;
  const given = Object.keys(texts);
  if (given.length > 1) {
    const used = texts['html'] !== undefined ? 'html' : 'html_file';
    problems.push({
      path: [...path, 'start_url' in texts ? 'start_url' : 'html_file'],
      part: 'key',
      severity: 'warning',
      code: 'start-twice',
      message: `A task starts on one page, but this one specifies ${given.length}: ${given.join(', ')}. "${used}" is used`,
      fixes: [
        {
          title: `Keep “${used}” only`,
          changes: given.filter((key) => key !== used).map((key) => ({ remove: [...path, key] })),
        },
      ],
    });
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
  const listed: readonly (readonly [Path, unknown])[] = Array.isArray(value)
    ? value.map((item, index) => [[...path, index], item] as const)
    : isObject(value)
      ? Object.entries(value).map(([name, item]) => [[...path, name], { name, value: item }] as const)
      : [[path, value]];
  const cookies: Cookie[] = [];
  for (const [at, item] of listed) {
    const parsed = cookieSchema.safeParse(item);
    if (parsed.success) {
      cookies.push(parsed.data);
      continue;
    }
    const issue = parsed.error.issues[0];
    const member = issue?.path[0];
    problems.push({
      path: Array.isArray(value) && typeof member === 'string' ? [...at, member] : at,
      severity: 'error',
      code: 'cookie',
      message: `A cookie must be an object such as {"name": "theme", "value": "dark"}${typeof member === 'string' ? `: “${member}” is missing or invalid` : ''}`,
    });
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
    problems.push({
      path,
      severity: 'error',
      code: 'local-storage',
      message: 'Local storage must be an object of strings: {"cart": "3"}',
    });
    return undefined;
  }
  const items: Record<string, string> = {};
  for (const [key, item] of Object.entries(value)) {
    if (typeof item === 'string') items[key] = item;
    else {
      items[key] = JSON.stringify(item);
      problems.push({
        path: [...path, key],
        severity: 'warning',
        code: 'local-storage',
        message: `Local storage holds only strings; this value is stored as ${JSON.stringify(items[key])}`,
        fixes: [
          {
            title: `Change to ${JSON.stringify(items[key])}`,
            changes: [{ set: [...path, key], value: items[key] }],
            safe: true,
          },
        ],
      });
    }
  }
  return items;
}
