import { isObject, type JsonObject } from '../../../base/json.ts';
import { nearestWord } from '../../../base/nearest.ts';
import type { Path } from '../../../base/path.ts';
import { environmentKind, environmentTypes, kindOfType } from '../../../environments/kinds.ts';
import type { UserFunctions } from '../../../environments/user-functions.ts';
import { expectedOf } from '../../../functions/meaning.ts';
import { HUD_0_2 } from '../../../tasks/calls.ts';
import { error, newProblem, type Problem, warning } from '../../../tasks/problem.ts';
import { declaresEvaluation, type Reading } from '../../../tasks/reading.ts';
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
  const { fields } = reading;
  const problems: Problem[] = [];
  const unreadable = reading.problems.some(({ code }) => code === 'prompt-not-text');
  if ((fields.prompt ?? '') === '' && kindOfType(fields.env)?.givesGoal?.(fields.env) !== true && !unreadable) {
    const empty = fields.prompt === '';
    const key = ['prompt', 'instruction'].find((one) => one in row);
    const message = `This task has ${empty ? 'an empty' : 'no'} prompt. In "prompt", tell the agent what to do`;
    problems.push(error('no-prompt', key === undefined ? [] : [key], message));
  }
  problems.push(...gymProblems(row, own.beside), ...oldArgumentProblems(row, [...reading.setup, ...reading.evaluate]));
  problems.push(...setupDropped(row, reading.setup));
  const answer = environmentKind(fields.env);
  const gymPath: Path = isObject(row['gym']) && 'type' in row['gym'] ? ['gym', 'type'] : ['gym'];
  const kind = kindOfType(fields.env);
  problems.push(...(kind?.problems?.({ row, fields, evaluate: reading.evaluate, user: own, expectedOf }) ?? []));
  const near = 'kind' in answer || answer.known ? null : nearestWord(fields.env.type, environmentTypes);
  if ('unsupported' in answer) {
    if (fields.env.type !== '') problems.push(unsupportedProblem(answer, near, gymPath));
    if (answer.known) return problems;
  }
  if ('kind' in answer && isObject(row['gym']) && answer.kind.types[fields.env.type]?.written === 'name') {
    const { type } = fields.env;
    const message = `HUD 0.2.10 rejects an object here. Write "gym": ${JSON.stringify(type)}`;
    problems.push(warning('gym-object', ['gym'], message, changeTo(['gym'], type, true)));
  }
  const intendedKind = 'kind' in answer ? answer.kind : near === null ? null : kindOfType({ type: near });
  const isForeign = intendedKind === null || intendedKind.calls === 'environment';
  for (const phase of ['setup', 'evaluate'] as const) {
    for (const call of reading[phase]) {
      const inCall = callProblems(call, {
        phase,
        environment: fields.env.type,
        kind: 'kind' in answer ? answer.kind : intendedKind?.calls === 'environment' ? intendedKind : null,
        own,
        controller: controllerOf(fields.env, own),
      });
      for (const problem of inCall) {
        // An environment that only its author knows can have functions of its own.
        if (problem.code === 'unknown-function' && isForeign) continue;
        const otherPhase = phase === 'setup' ? 'evaluate' : 'setup';
        const isWrongPhase = problem.code === 'wrong-phase';
        problems.push(isWrongPhase ? { ...problem, fixes: moveCall(row, reading, call, otherPhase) } : problem);
      }
    }
  }
  if (reading.evaluate.length === 0 && !declaresEvaluation(row) && intendedKind?.givesReward?.(fields.env) !== true) {
    const suggestion = evaluateFor(fields.env);
    const fixes = suggestion === undefined ? [] : [{ title: suggestion.title, changes: suggestion.changes }];
    // A task of OSWorld has its configuration in its environment.
    const message =
      fields.config === null || 'config' in fields.env
        ? 'This task has no "evaluate", so its runs get no reward'
        : `This task has no "evaluate", so its runs get no reward. ${HUD_0_2} sends "config" to HUD’s platform, whose own functions set up and evaluate the task, and which Taskwright does not use`;
    problems.push(warning('no-evaluate', 'evaluate' in row ? ['evaluate'] : [], message, ...fixes));
  }
  if (fields.prompt !== null) problems.push(...leakProblems(fields.prompt, reading.evaluate));
  problems.push(...secretProblems(row, fields.sensitive_data));
  return problems;
}

function unsupportedProblem(
  answer: { readonly unsupported: string; readonly known: boolean },
  near: string | null,
  path: Path,
): Problem {
  if (answer.known) return newProblem('information', 'environment-not-run', path, answer.unsupported);
  const fixes = near === null ? [] : [{ title: `Change to “${near}”`, changes: [{ set: path, value: near }] }];
  return error('unknown-environment', path, answer.unsupported, ...fixes);
}
