import { type Json, type JsonObject, listOf } from '../base/json.ts';
import { type Path, valueAt } from '../base/path.ts';
import { digitsOf, isNumber } from '../base/raw-number.ts';
import { HUD_0_2, plainCall, type ReadCall } from './calls.ts';
import { type Problem, warning } from './problem.ts';
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
 * @param isJudged whether the task declares another evaluation, valid or not
 */
export function readAnswer(row: JsonObject, isJudged: boolean, problems: Problem[]): ReadCall[] {
  const { target, gym } = row;
  if (isJudged) {
    if (target !== undefined && target !== null) problems.push(targetBesideEvaluate());
    return [];
  }
  for (const path of PLACES) {
    // Other values in metadata are user-defined, unless the task is a question.
    if (path.length > 1 && gym !== 'qa') continue;
    const call = answerCall(valueAt(row, path) as Json | undefined, path);
    if (call === null) continue;
    problems.push(notGradedByHud(call));
    return [call];
  }
  return [];
}

function answerCall(value: Json | undefined, path: Path): ReadCall | null {
  const list = listOf(value);
  if (list.length > 0 && list.every((one) => asAnswer(one) !== null)) {
    return plainCall('match_all', [list.map(asAnswer)], path);
  }
  const text = asAnswer(value);
  return text === null ? null : plainCall('response_includes', [text], path);
}

function asAnswer(value: Json | undefined): string | null {
  if (isNumber(value)) return digitsOf(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function notGradedByHud({ path, function: name, args }: ReadCall): Problem {
  const evaluate = [name, ...args];
  const message = `${HUD_0_2} does not grade by “${path.join('.')}”, so runs get no reward there. Taskwright reads it as "evaluate": ${JSON.stringify(evaluate)}`;
  return warning('answer-key', path, message, {
    title: `Write it as "evaluate": ${name}`,
    changes: [{ set: ['evaluate'], value: evaluate }, ...(path.length === 1 ? [{ remove: path }] : [])],
    safe: true,
  });
}

function targetBesideEvaluate(): Problem {
  const message = `“target” is ignored because the task has another evaluation; ${HUD_0_2} also ignores it`;
  return { part: 'key', ...warning('answer-key', ['target'], message, removal(['target'])) };
}
