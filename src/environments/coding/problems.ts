import { posix } from 'node:path';
import { defined } from '../../base/defined.ts';
import { isObject } from '../../base/json.ts';
import type { Beside } from '../../functions/user/beside.ts';
import { unknownKeys } from '../../tasks/known-keys.ts';
import type { Problem } from '../../tasks/problem.ts';
import { removal } from '../../tasks/value-fixes.ts';
import type { CheckedTask } from '../kind.ts';
import { printLeftOut } from '../withheld-entries.ts';
import type { LeftOutOf } from '../withheld-search.ts';
import { type CodingStart, isAddress, readCodingStart } from './spec.ts';

const KEYS = ['type', 'files', 'folder', 'git', 'commit'] as const;

/** Problems with the initial files of a `coding` task. Whether a remote repository exists is checked at run time. */
export function codingProblems({ row, fields: { env }, user }: CheckedTask): Problem[] {
  const { gym } = row;
  if (!isObject(gym)) return [];
  const problems = unknownKeys(gym, KEYS, ['gym']);
  const start = readCodingStart(env);
  if (!('problems' in start))
    return [...problems, ...notThere(start, user.beside), ...holdsWithheld(start, user.leftOutOf)];
  return [
    ...problems,
    ...start.problems.map(({ path, message, part, surplus }): Problem => {
      const at = ['gym', ...path];
      return {
        path: at,
        ...defined({ part }),
        severity: 'error',
        code: 'coding-start',
        message,
        ...(surplus === true ? { fixes: [removal(at)] } : {}),
      };
    }),
  ];
}

/** A local folder or repository that does not exist. */
function notThere(start: CodingStart, beside: Beside | undefined): Problem[] {
  const named = pathOf(start);
  if (beside === undefined || named === null) return [];
  const found = beside(named);
  // A repository can be a single file, a bundle.
  if (found === 'folder' || (found === 'file' && start.kind === 'git')) return [];
  const what = start.kind === 'git' ? 'repository' : 'folder';
  const message =
    found === null
      ? `the ${what} “${named}” does not exist next to the task file`
      : `“${named}” is a file, not a folder`;
  return [{ path: ['gym', start.kind], severity: 'error', code: 'coding-start', message }];
}

/** A local folder or repository that contains files which the run withholds from the agent. */
function holdsWithheld(start: CodingStart, leftOutOf: LeftOutOf | undefined): Problem[] {
  const named = pathOf(start);
  if (named === null) return [];
  const isOwnFolder = posix.normalize(`${named}/`) === './';
  const found = isOwnFolder ? [] : (leftOutOf?.(named) ?? []);
  if (!isOwnFolder && found.length === 0) return [];
  const what = isOwnFolder ? `“${named}” is the folder of the task file` : `“${named}” contains ${printLeftOut(found)}`;
  const message = `${what}: the agent gets no task files, solutions, functions files, agents, or recorded runs. Put the files for the agent in a folder of their own`;
  return [{ path: ['gym', start.kind], severity: 'warning', code: 'withheld-files', message }];
}

/** The local path of the initial files; null if the task starts with something else. */
function pathOf(start: CodingStart): string | null {
  if (start.kind === 'folder') return start.folder;
  return start.kind === 'git' && !isAddress(start.repository) ? start.repository : null;
}
