import { posix } from 'node:path';
import { isObject } from '../../base/json.ts';
import type { Beside } from '../../functions/user/beside.ts';
import { unknownKeys } from '../../tasks/known-keys.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { CheckedTask } from '../kind.ts';
import { gymErrors } from '../spec-problems.ts';
import { printLeftOut } from '../withheld-entries.ts';
import type { ElsewhereOf, LeftOutOf } from '../withheld-search.ts';
import { describeElsewhere } from './elsewhere.ts';
import { type CodingStart, isAddress, readCodingStart } from './spec.ts';

const KEYS = ['type', 'files', 'folder', 'git', 'commit', 'submodules'] as const;

/** Problems with the initial files of a `coding` task. Whether a remote repository exists is checked at run time. */
export function codingProblems({ row, fields: { env }, user }: CheckedTask): Problem[] {
  const { gym } = row;
  if (!isObject(gym)) return [];
  const problems = unknownKeys(gym, KEYS, ['gym']);
  const start = readCodingStart(env);
  if ('problems' in start) return [...problems, ...gymErrors(start.problems, 'coding-start')];
  return [
    ...problems,
    ...missingPath(start, user.beside),
    ...withheldFiles(start, user.leftOutOf),
    ...filesElsewhere(start, user.elsewhereOf),
  ];
}

/** A local folder or repository that does not exist. */
function missingPath(start: CodingStart, beside: Beside | undefined): Problem[] {
  const path = pathOf(start);
  if (beside === undefined || path === null) return [];
  const entry = beside(path);
  // A repository can be a single file, a bundle.
  if (entry === 'folder' || (entry === 'file' && start.kind === 'git')) return [];
  const what = start.kind === 'git' ? 'repository' : 'folder';
  const message =
    entry === null ? `the ${what} “${path}” does not exist next to the task file` : `“${path}” is a file, not a folder`;
  return [{ path: ['gym', start.kind], severity: 'error', code: 'coding-start', message }];
}

/** A local folder or repository that contains files which the run withholds from the agent. */
function withheldFiles(start: CodingStart, leftOutOf: LeftOutOf | undefined): Problem[] {
  const path = pathOf(start);
  if (path === null) return [];
  const isOwnFolder = posix.normalize(`${path}/`) === './';
  const leftOut = isOwnFolder ? [] : (leftOutOf?.(path) ?? []);
  if (!isOwnFolder && leftOut.length === 0) return [];
  const what = isOwnFolder ? `“${path}” is the folder of the task file` : `“${path}” contains ${printLeftOut(leftOut)}`;
  const message = `${what}: the agent gets no task files, solutions, functions files, agents, or recorded runs. Put the files for the agent in a folder of their own`;
  return [{ path: ['gym', start.kind], severity: 'warning', code: 'withheld-files', message }];
}

/** A local folder or repository without the files of submodules and of Git LFS. */
function filesElsewhere(start: CodingStart, elsewhereOf: ElsewhereOf | undefined): Problem[] {
  const path = pathOf(start);
  if (path === null || elsewhereOf === undefined || (start.kind !== 'folder' && start.kind !== 'git')) return [];
  const { submodules, missingSubmodules, pointers, lfsFiles } = elsewhereOf(path);
  // A commit has no files of submodules, and pointers only, whatever the work tree of its repository has.
  const messages =
    start.kind === 'git'
      ? describeElsewhere(start, start.submodules ? [] : submodules, lfsFiles)
      : describeElsewhere(start, missingSubmodules, pointers);
  const fix = { title: 'Add "submodules": true', changes: [{ set: ['gym', 'submodules'], value: true }] };
  return messages.map(({ about, message }) => ({
    path: ['gym', start.kind],
    severity: 'warning',
    code: 'files-elsewhere',
    message,
    ...(about === 'submodules' && start.kind === 'git' && { fixes: [fix] }),
  }));
}

/** The local path of the initial files; null if the task starts with something else. */
function pathOf(start: CodingStart): string | null {
  if (start.kind === 'folder') return start.folder;
  return start.kind === 'git' && !isAddress(start.repository) ? start.repository : null;
}
