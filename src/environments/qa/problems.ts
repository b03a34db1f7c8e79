import { isObject } from '../../base/json.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { CheckedTask } from '../kind.ts';
import type { UserFunctions } from '../user-functions.ts';

/** In `qa` an agent can only answer, so evaluate calls that ignore the response do not measure it. */
export function qaProblems({ evaluate, user }: CheckedTask): Problem[] {
  const [first] = evaluate;
  if (first === undefined || !evaluate.every((call) => ignoresResponse(call, user))) return [];
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

function ignoresResponse({ function: name, args: [action] }: ReadCall, user: UserFunctions): boolean {
  if (user.has(name) || name !== 'raw_last_action_is') return false;
  if (isObject(action)) return action['type'] !== 'response';
  return typeof action === 'string' && !/\b(?:send_msg_to_user|response|report_infeasible)\b/.test(action);
}
