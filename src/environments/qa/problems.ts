import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { CheckedTask } from '../kind.ts';

/** In `qa` an agent can only answer, so evaluate calls that ignore the response do not measure it. */
export function qaProblems(task: CheckedTask): Problem[] {
  const { evaluate } = task;
  const [first] = evaluate;
  if (first === undefined || !evaluate.every((call) => ignoresResponse(call, task))) return [];
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

function ignoresResponse(call: ReadCall, { user, expectedOf }: CheckedTask): boolean {
  if (user.has(call.function)) return false;
  const expectation = expectedOf(call);
  if (expectation?.kind !== 'action') return false;
  const { action } = expectation;
  if (typeof action !== 'string') return action['type'] !== 'response';
  return !/\b(?:send_msg_to_user|response|report_infeasible)\b/.test(action);
}
