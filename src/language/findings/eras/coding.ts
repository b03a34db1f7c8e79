import { readCodingStart } from '../../../environments/coding/spec.ts';
import { isObject } from '../../../tasks/calls.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { removal } from '../../../tasks/repairs.ts';
import type { EnvironmentSpec, Json } from '../../../tasks/task.ts';
import { unknownKeys } from './known-keys.ts';

const KEYS = ['type', 'files', 'folder', 'git', 'commit'] as const;

/** What is wrong with what a `coding` task begins with. Whether a folder or a repository is there, its run says. */
export function codingProblems(row: Readonly<Record<string, Json>>, env: EnvironmentSpec): Problem[] {
  const { gym } = row;
  if (!isObject(gym)) return [];
  const problems = unknownKeys(gym, KEYS, ['gym']);
  const start = readCodingStart(env);
  if (!('problems' in start)) return problems;
  return [
    ...problems,
    ...start.problems.map(({ path, message, part, surplus }): Problem => {
      const at = ['gym', ...path];
      return {
        path: at,
        ...(part === undefined ? {} : { part }),
        severity: 'error',
        code: 'coding-start',
        message,
        ...(surplus === true ? { repairs: [removal(at)] } : {}),
      };
    }),
  ];
}
