import { defined } from '../../base/defined.ts';
import { isObject } from '../../base/json.ts';
import { unknownKeys } from '../../tasks/known-keys.ts';
import type { Problem } from '../../tasks/problem.ts';
import { removal } from '../../tasks/value-fixes.ts';
import type { CheckedTask } from '../kind.ts';
import type { UserFunctions } from '../user-functions.ts';
import { type OpenEnvPlace, readOpenEnv } from './spec.ts';

const KEYS = ['type', 'url', 'image', 'folder', 'python', 'reset', 'task', 'timeout'] as const;

/** Problems with the environment of an `openenv` task. Whether its server answers is known at run time only. */
export function openEnvProblems({ row, fields: { env }, user }: Omit<CheckedTask, 'expectedOf'>): Problem[] {
  const { gym } = row;
  if (!isObject(gym)) {
    const message = '“openenv” needs an object: {"type": "openenv", "url": "http://localhost:8000"}';
    return [{ path: ['gym'], severity: 'error', code: 'openenv-environment', message }];
  }
  const problems = unknownKeys(gym, KEYS, ['gym']);
  const spec = readOpenEnv(env);
  if (!('problems' in spec)) return [...problems, ...missingFolder(spec.place, user.beside)];
  return [
    ...problems,
    ...spec.problems.map(({ path, message, part, surplus }): Problem => {
      const at = ['gym', ...path];
      return {
        path: at,
        ...defined({ part }),
        severity: 'error',
        code: 'openenv-environment',
        message,
        ...(surplus === true ? { fixes: [removal(at)] } : {}),
      };
    }),
  ];
}

function missingFolder(place: OpenEnvPlace, beside: UserFunctions['beside']): Problem[] {
  if (place.kind !== 'folder' || beside === undefined) return [];
  const { folder } = place;
  const found = beside(folder);
  const wrong =
    found === null
      ? `the folder “${folder}” does not exist`
      : found === 'file'
        ? `“${folder}” is a file, not a folder`
        : beside(`${folder}/openenv.yaml`) === 'file'
          ? null
          : `“${folder}” is no OpenEnv environment: it has no openenv.yaml`;
  if (wrong === null) return [];
  return [{ path: ['gym', 'folder'], severity: 'error', code: 'openenv-environment', message: wrong }];
}
