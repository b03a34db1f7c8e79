import { type CodingStart, isAddress, readCodingStart } from '../../../environments/coding/spec.ts';
import type { Beside } from '../../../functions/own/beside.ts';
import { isObject } from '../../../tasks/calls.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { removal } from '../../../tasks/repairs.ts';
import type { EnvironmentSpec, Json } from '../../../tasks/task.ts';
import { unknownKeys } from './known-keys.ts';

const KEYS = ['type', 'files', 'folder', 'git', 'commit'] as const;

/** What is wrong with what a `coding` task begins with. Whether a repository far away is there, its run says. */
export function codingProblems(
  row: Readonly<Record<string, Json>>,
  env: EnvironmentSpec,
  beside: Beside | undefined,
): Problem[] {
  const { gym } = row;
  if (!isObject(gym)) return [];
  const problems = unknownKeys(gym, KEYS, ['gym']);
  const start = readCodingStart(env);
  if (!('problems' in start)) return [...problems, ...notThere(start, beside)];
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

/** A folder or a repository beside the task file that nobody finds there. */
function notThere(start: CodingStart, beside: Beside | undefined): Problem[] {
  const named = start.kind === 'folder' ? start.folder : start.kind === 'git' ? start.repository : null;
  if (beside === undefined || named === null || (start.kind === 'git' && isAddress(named))) return [];
  const found = beside(named);
  // A repository can be one file, a bundle.
  if (found === 'folder' || (found === 'file' && start.kind === 'git')) return [];
  const what = start.kind === 'git' ? 'repository' : 'folder';
  const message =
    found === null ? `there is no ${what} “${named}” beside the task file` : `“${named}” is a file, and no folder`;
  return [{ path: ['gym', start.kind], severity: 'error', code: 'coding-start', message }];
}
