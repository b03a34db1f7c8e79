import { environmentTypes, givesGoal } from '../../../environments/kinds.ts';
import { environmentKind } from '../../../environments/supported.ts';
import { findBuiltin } from '../../../functions/catalogue.ts';
import { isObject, type ReadCall } from '../../../tasks/calls.ts';
import { didYouMean, nearestWord } from '../../../tasks/nearest.ts';
import type { Path } from '../../../tasks/path.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { declaresEvaluation, type Reading } from '../../../tasks/reading.ts';
import type { Json } from '../../../tasks/task.ts';
import { evaluateFor } from '../../actions/additions.ts';
import { controllerOf } from '../../controller.ts';
import { callProblems, type UserFunctions } from '../calls.ts';
import { leakProblems } from '../leak.ts';
import { moveCall } from '../move-call.ts';
import { secretProblems } from '../secrets.ts';
import { benchmarkProblems } from './benchmark.ts';
import { codingProblems } from './coding.ts';
import { gymProblems, oldArgumentProblems, setupDropped } from './gym.ts';

/** What is wrong with a task that Taskwright runs: one of HUD 0.2 or of the RFC, or of both together. */
export function hud02Problems(reading: Reading, row: Readonly<Record<string, Json>>, own: UserFunctions): Problem[] {
  const { fields } = reading;
  const problems: Problem[] = [];
  const unreadable = reading.problems.some(({ code }) => code === 'prompt-not-text');
  if ((fields.prompt ?? '') === '' && !givesGoal(fields.env) && !unreadable) {
    const empty = fields.prompt === '';
    problems.push({
      path: empty ? [row['prompt'] === '' ? 'prompt' : 'instruction'] : [],
      severity: 'error',
      code: 'no-prompt',
      message: `This task has ${empty ? 'an empty' : 'no'} prompt: say in "prompt" what the agent should do`,
    });
  }
  problems.push(...gymProblems(row, own.beside), ...oldArgumentProblems(row, [...reading.setup, ...reading.evaluate]));
  problems.push(...setupDropped(row, reading.setup));
  const found = environmentKind(fields.env);
  const gymPath: Path = isObject(row['gym']) && 'type' in row['gym'] ? ['gym', 'type'] : ['gym'];
  const ofBenchmark = fields.env.type === 'browsergym';
  if (ofBenchmark) problems.push(...benchmarkProblems(row, fields, own));
  if ('unsupported' in found) {
    if (fields.env.type !== '') problems.push(unsupported(found, fields.env.type, gymPath));
    return problems;
  }
  if (found.kind === 'coding') problems.push(...codingProblems(row, fields.env, own));
  else if (isObject(row['gym']) && !ofBenchmark && found.kind !== 'custom') {
    problems.push({
      path: ['gym'],
      severity: 'warning',
      code: 'gym-object',
      message: `HUD 0.2.10 refuses an object here; write "gym": ${JSON.stringify(fields.env.type)}`,
      fixes: [
        {
          title: `Change to "${fields.env.type}"`,
          changes: [{ set: ['gym'], value: fields.env.type }],
          safe: true,
        },
      ],
    });
  }
  for (const phase of ['setup', 'evaluate'] as const) {
    for (const call of reading[phase]) {
      const inCall = callProblems(call, {
        phase,
        environment: fields.env.type,
        kind: found.kind,
        own,
        controller: controllerOf(fields.env, own),
      });
      for (const problem of inCall) {
        if (problem.code !== 'wrong-phase') problems.push(problem);
        else
          problems.push({
            ...problem,
            fixes: moveCall(row, reading, call, phase === 'setup' ? 'evaluate' : 'setup'),
          });
      }
    }
  }
  // A benchmark gives its own reward.
  if (reading.evaluate.length === 0 && !declaresEvaluation(row) && !ofBenchmark) {
    const added = evaluateFor(fields.env);
    problems.push({
      path: 'evaluate' in row ? ['evaluate'] : [],
      severity: 'warning',
      code: 'no-evaluate',
      message: 'This task has no "evaluate": its runs get no reward',
      ...(added === undefined ? {} : { fixes: [{ title: added.title, changes: added.changes }] }),
    });
  }
  if (fields.prompt !== null) problems.push(...leakProblems(fields.prompt, reading.evaluate));
  problems.push(...secretProblems(row, fields.sensitive_data));
  if (found.kind === 'qa') problems.push(...responseProblems(reading.evaluate, own));
  return problems;
}

/** In `qa` an agent can only answer: evaluate calls that do not look at the answer say nothing about it. */
function responseProblems(evaluate: readonly ReadCall[], own: UserFunctions): Problem[] {
  const [first] = evaluate;
  if (first === undefined || !evaluate.every((call) => ignoresResponse(call, own))) return [];
  return [
    {
      path: first.path,
      severity: 'warning',
      code: 'qa-without-response',
      message:
        'Nothing here looks at the response, and an agent in “qa” can only respond: use response_includes, exact_match or another function of the response',
    },
  ];
}

function ignoresResponse({ function: name, args: [action] }: ReadCall, own: UserFunctions): boolean {
  if (own.has(name) || findBuiltin(name)?.name !== 'raw_last_action_is') return false;
  if (isObject(action)) return action['type'] !== 'response';
  return typeof action === 'string' && !/\b(?:send_msg_to_user|response|report_infeasible)\b/.test(action);
}

function unsupported(
  found: { readonly unsupported: string; readonly known: boolean },
  type: string,
  path: Path,
): Problem {
  if (found.known) {
    return { path, severity: 'information', code: 'environment-not-run', message: found.unsupported };
  }
  const near = nearestWord(type, environmentTypes);
  return {
    path,
    severity: 'error',
    code: 'unknown-environment',
    message: `${found.unsupported}${didYouMean(near)}`,
    ...(near === null ? {} : { fixes: [{ title: `Change to “${near}”`, changes: [{ set: path, value: near }] }] }),
  };
}
