import { HUD_0_2, isObject, type ReadCall } from './calls.ts';
import type { Path } from './path.ts';
import type { Problem } from './problem.ts';
import type { Json } from './task.ts';
import { removal } from './value-fixes.ts';

/** Built-in evaluate functions that look at the response alone. */
const OF_RESPONSE =
  /^(?:response_\w+|match_(?:single|all|fuzzy|regex|diff)|exact_match|contains(?:_any|_all)?|numeric_match|f1_score)$/;

/** Whether an evaluate call looks at nothing but the response. */
export function checksResponseOnly(name: string): boolean {
  return OF_RESPONSE.test(name);
}

/** Where the answer of a question can stand, the likeliest first. */
const PLACES: readonly Path[] = [['target'], ['metadata', 'target'], ['metadata', 'answer'], ['metadata', 'answers']];

/**
 * The answer of a question that has nothing else to judge it, as a call: HUD 0.2 brought a text to `response_includes`
 * and a list of texts to `match_all` where it imported questions with a target.
 *
 * @param judged the task has something else that judges it, or tries to
 */
export function readAnswer(row: Readonly<Record<string, Json>>, judged: boolean, problems: Problem[]): ReadCall[] {
  const { target, gym } = row;
  if (judged) {
    if (target !== undefined && target !== null) problems.push(targetBesideEvaluate());
    return [];
  }
  for (const path of PLACES) {
    // What else stands in metadata is the person's own, unless the task is a question.
    if (path.length > 1 && gym !== 'qa') continue;
    const call = answerCall(at(row, path), path);
    if (call === null) continue;
    problems.push(onlyHere(call));
    return [call];
  }
  return [];
}

function at(row: Readonly<Record<string, Json>>, [first, second]: Path): Json | undefined {
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
    message: `${HUD_0_2} does not judge by “${path.join('.')}”, so its runs get no reward there; here it means "evaluate": ${JSON.stringify(written)}`,
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
    message: `“target” is not read beside what judges the task, and ${HUD_0_2} ignores it`,
    fixes: [removal(['target'])],
  };
}
