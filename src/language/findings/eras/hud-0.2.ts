import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import { nearestWord } from '../../../base/nearest.ts';
import { environmentKind, environmentTypes, kindOfType } from '../../../environments/kinds.ts';
import type { UserFunctions } from '../../../environments/user-functions.ts';
import { expectedOf } from '../../../functions/meaning.ts';
import { HUD_0_2 } from '../../../tasks/calls.ts';
import { error, newProblem, type Problem, warning } from '../../../tasks/problem.ts';
import { declaresEvaluation, type Reading } from '../../../tasks/reading.ts';
import type { EnvironmentSpec } from '../../../tasks/task.ts';
import { changeTo } from '../../../tasks/value-fixes.ts';
import { controllerOf } from '../../controller.ts';
import { evaluateFor } from '../../suggested-call.ts';
import { callProblems } from '../calls.ts';
import { leakProblems } from '../leak.ts';
import { moveCall } from '../move-call.ts';
import { secretProblems } from '../secrets.ts';
import { gymProblems, oldArgumentProblems, setupDropped } from './gym.ts';

/** Problems of a task that Taskwright runs: one of HUD 0.2, of the RFC, or of both. */
export function hud02Problems(reading: Reading, row: JsonObject, own: UserFunctions): Problem[] {
  const { fields, setup, evaluate } = reading;
  const answer = environmentKind(fields.env);
  const near = 'kind' in answer || answer.known ? null : nearestWord(fields.env.type, environmentTypes);
  const problems = [
    ...promptProblems(reading, row),
    ...gymProblems(row, own.beside),
    ...oldArgumentProblems(row, [...setup, ...evaluate]),
    ...setupDropped(row, setup),
    ...(kindOfType(fields.env)?.problems?.({ row, fields, evaluate, user: own, expectedOf }) ?? []),
    ...environmentProblems(answer, near, fields.env, row['gym']),
  ];
  if ('unsupported' in answer && answer.known) return problems;
  const kind = 'kind' in answer ? answer.kind : null;
  const intendedKind = kind ?? (near === null ? null : kindOfType({ type: near }));
  const isForeign = intendedKind === null || intendedKind.calls === 'environment';
  const context = {
    environment: fields.env.type,
    kind: kind ?? (isForeign ? intendedKind : null),
    own,
    controller: controllerOf(fields.env, own),
  };
  for (const [phase, otherPhase] of [
    ['setup', 'evaluate'],
    ['evaluate', 'setup'],
  ] as const) {
    for (const call of reading[phase]) {
      for (const problem of callProblems(call, { ...context, phase })) {
        // An environment that only its author knows can have functions of its own.
        if (problem.code === 'unknown-function' && isForeign) continue;
        const isWrongPhase = problem.code === 'wrong-phase';
        problems.push(isWrongPhase ? { ...problem, fixes: moveCall(row, reading, call, otherPhase) } : problem);
      }
    }
  }
  if (evaluate.length === 0 && !declaresEvaluation(row) && intendedKind?.givesReward?.(fields.env) !== true) {
    problems.push(noEvaluate(reading, row));
  }
  if (fields.prompt !== null) problems.push(...leakProblems(fields.prompt, evaluate));
  problems.push(...secretProblems(row, fields.sensitive_data));
  return problems;
}

function promptProblems({ fields: { prompt, env }, problems }: Reading, row: JsonObject): Problem[] {
  if ((prompt ?? '') !== '' || kindOfType(env)?.givesGoal?.(env) === true) return [];
  if (problems.some(({ code }) => code === 'prompt-not-text')) return [];
  const key = ['prompt', 'instruction'].find((one) => one in row);
  const message = `This task has ${prompt === '' ? 'an empty' : 'no'} prompt. In "prompt", tell the agent what to do`;
  return [{ premises: [['gym']], ...error('no-prompt', key === undefined ? [] : [key], message) }];
}

/** Whether the environment exists, runs here, and is written as HUD accepts it. */
function environmentProblems(
  answer: ReturnType<typeof environmentKind>,
  near: string | null,
  { type }: EnvironmentSpec,
  gym: Json | undefined,
): Problem[] {
  if ('kind' in answer) {
    if (!isObject(gym) || answer.kind.types[type]?.written !== 'name') return [];
    const message = `HUD 0.2.10 rejects an object here. Write "gym": ${JSON.stringify(type)}`;
    return [warning('gym-object', ['gym'], message, changeTo(['gym'], type, true))];
  }
  if (type === '') return [];
  const path = isObject(gym) && 'type' in gym ? ['gym', 'type'] : ['gym'];
  if (answer.known) return [newProblem('information', 'environment-not-run', path, answer.unsupported)];
  const fixes = near === null ? [] : [{ title: `Change to “${near}”`, changes: [{ set: path, value: near }] }];
  return [error('unknown-environment', path, answer.unsupported, ...fixes)];
}

function noEvaluate({ fields: { env, config } }: Reading, row: JsonObject): Problem {
  const suggestion = evaluateFor(env);
  const fixes = suggestion === undefined ? [] : [{ title: suggestion.title, changes: suggestion.changes }];
  // A task of OSWorld has its configuration in its environment.
  const message =
    config === null || 'config' in env
      ? 'This task has no "evaluate", so its runs get no reward'
      : `This task has no "evaluate", so its runs get no reward. ${HUD_0_2} sends "config" to HUD’s platform, whose own functions set up and evaluate the task, and which Taskwright does not use`;
  const problem = warning('no-evaluate', 'evaluate' in row ? ['evaluate'] : [], message, ...fixes);
  return { premises: [['gym'], ['config']], ...problem };
}
