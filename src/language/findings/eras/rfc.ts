import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import { STATE_KEYS } from '../../../tasks/era.ts';
import { unknownKeys } from '../../../tasks/known-keys.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { addressProblem } from '../address.ts';
import { invalidAddress } from '../calls.ts';

/** Problems in the keys that the RFC "Generic Task Support" adds; a task of HUD 0.2 can use them too. */
export function rfcProblems(row: JsonObject): Problem[] {
  const state = row['initial_state'];
  const problems = startProblems(row, []);
  if (isObject(state)) {
    problems.push(...unknownKeys(state, STATE_KEYS, ['initial_state']), ...startProblems(state, ['initial_state']));
  }
  return problems;
}

function startProblems(value: JsonObject, path: Path): Problem[] {
  const { start_url: url } = value;
  if (typeof url !== 'string' || url === '') return [];
  const problem = addressProblem(url);
  return problem === null ? [] : [invalidAddress([...path, 'start_url'], url, problem)];
}
