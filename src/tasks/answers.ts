import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { HUD_0_2, type ReadCall } from './calls.ts';
import type { Problem } from './problem.ts';
import { RESPONSE_FUNCTIONS } from './response-functions.ts';
import { removal } from './value-fixes.ts';

/** Whether an evaluate call inspects nothing but the response. A misspelled or user-defined `response_...` does, too. */
export function checksResponseOnly(name: string): boolean {
  return RESPONSE_FUNCTIONS.has(name) || /^response_\w+$/.test(name);
}

/** Keys that can hold the answer of a question, the most likely first. */
const PLACES: readonly Path[] = [['target'], ['metadata', 'target'], ['metadata', 'answer'], ['metadata', 'answers']];

/**
 * Returns the expected answer of a question as a call, if nothing else evaluates the task. When HUD 0.2 imported
 * questions with a target, it turned a text into `response_includes` and a list of texts into `match_all`.
 *
 * @param judged whether the task declares another evaluation, valid or not
 */
export function readAnswer(row: JsonObject, judged: boolean, problems: Problem[]): ReadCall[] {
  const { target, gym } = row;
  if (judged) {
    if (target !== undefined && target !== null) problems.push(targetBesideEvaluate());
    return [];
  }
  for (const path of PLACES) {
    // Other values in metadata are user-defined, unless the task is a question.
    if (path.length > 1 && gym !== 'qa') continue;
    const call = answerCall(at(row, path), path);
    if (call === null) continue;
    problems.push(onlyHere(call));
    return [call];
  }
  return [];
}

function at(row: JsonObject, [first, second]: Path): Json | undefined {
  const value = row[String(first)];
  if (second === undefined) return value;
  return isObject(value) ? value[String(second)] : undefined;
}

function answerCall(value: Json | undefined, path: Path): ReadCall | null {
  const base = { id: null, metadata: null, path, namePath: path, argPaths: [path] };
  const list: readonly Json[] = Array.isArray(value) ? value : [];
  if (list.length > 0 && list.every((one) => asAnswer(one) !== null)) {
    return { ...base, function: 'match_all', args: [list.map(asAnswer)] };
  }
  const text = asAnswer(value);
  return text === null ? null : { ...base, function: 'response_includes', args: [text] };
}

function asAnswer(value: Json | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function onlyHere(call: ReadCall): Problem {
  const { path, function: name, args } = call;
  const written = [name, ...args];
  const removed = path.length === 1 ? [{ remove: path }] : [];
  return {
    path,
    severity: 'warning',
    code: 'answer-key',
    message: `${HUD_0_2} does not grade by “${path.join('.')}”, so runs get no reward there. Taskwright reads it as "evaluate": ${JSON.stringify(written)}`,
    fixes: [
      {
        title: `Write it as "evaluate": ${name}`,
        changes: [{ set: ['evaluate'], value: written }, ...removed],
        safe: true,
      },
    ],
  };
}

function targetBesideEvaluate(): Problem {
  return {
    path: ['target'],
    part: 'key',
    severity: 'warning',
    code: 'answer-key',
    message: `“target” is ignored because the task has another evaluation; ${HUD_0_2} also ignores it`,
    fixes: [removal(['target'])],
  };
}
