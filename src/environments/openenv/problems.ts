import { isObject } from '../../base/json.ts';
import { unknownKeys } from '../../tasks/known-keys.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { CheckedTask } from '../kind.ts';
import { gymErrors, type SpecProblem } from '../spec-problems.ts';
import type { UserFunctions } from '../user-functions.ts';
import { type OpenEnvPlace, readOpenEnv } from './spec.ts';

const CODE = 'openenv-environment';
const KEYS = ['type', 'url', 'image', 'folder', 'python', 'reset', 'task', 'timeout'] as const;

/** Problems with the environment of an `openenv` task. Whether its server answers is known at run time only. */
export function openEnvProblems({ row, fields: { env }, user }: Omit<CheckedTask, 'expectedOf'>): Problem[] {
  const { gym } = row;
  if (!isObject(gym)) {
    const message = '“openenv” needs an object: {"type": "openenv", "url": "http://localhost:8000"}';
    return [{ path: ['gym'], severity: 'error', code: CODE, message }];
  }
  const problems = unknownKeys(gym, KEYS, ['gym']);
  const spec = readOpenEnv(env);
  const others = 'problems' in spec ? spec.problems : missingFolder(spec.place, user.beside);
  return [...problems, ...gymErrors(others, CODE)];
}

function missingFolder(place: OpenEnvPlace, beside: UserFunctions['beside']): SpecProblem[] {
  if (place.kind !== 'folder' || beside === undefined) return [];
  const { folder } = place;
  const entry = beside(folder);
  if (entry === 'folder' && beside(`${folder}/openenv.yaml`) === 'file') return [];
  const message =
    entry === null
      ? `the folder “${folder}” does not exist`
      : entry === 'file'
        ? `“${folder}” is a file, not a folder`
        : `“${folder}” is no OpenEnv environment: it has no openenv.yaml`;
  return [{ path: ['folder'], message }];
}
