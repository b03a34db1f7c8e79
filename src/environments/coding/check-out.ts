import { constants, readdirSync } from 'node:fs';
import { cp, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defined } from '../../base/defined.ts';
import { describeSystemError } from '../../base/system-error.ts';
import type { Role } from '../known-file.ts';
import type { Withheld } from '../withheld.ts';
import { type LeftOut, withheldEntries } from '../withheld-entries.ts';
import { pathWithin } from '../workspace/folder.ts';
import { GIT_LIMIT, runGit } from './git.ts';
import { withheldPaths } from './history.ts';
import { isAddress } from './spec.ts';
import { placeOfSubmodule, type Submodule, submodulesOf } from './submodules.ts';

/** A larger file of a repository is not compared with withheld files, in bytes. */
const MAX_COMPARED = 10 * 1024 * 1024;
/** The maximum number of levels of submodules. */
const MAX_DEPTH = 8;
/** The commit without the files that are withheld. */
const CLEANED = 'refs/heads/cleaned';

/** The commit of a repository that a task starts with. */
export interface Source {
  /** A URL, or a path in the task's folder. */
  readonly repository: string;
  readonly commit: string;
  /** Its submodules are fetched, too, and theirs. */
  readonly submodules?: true;
}

/** The initial files of a task's folder. */
export interface InitialFiles {
  /** The original content of a file, by its path with `/`; null if it did not exist or is no longer readable. */
  read(path: string): Promise<Uint8Array | null>;
  /** Files in the folder or repository that are withheld from the agent. */
  readonly leftOut: readonly LeftOut[];
  /** The folders of submodules that are not fetched. */
  readonly submodules?: readonly string[];
  /** Folders that it reads from, which must be removed with the task. */
  readonly histories?: readonly string[];
}

/**
 * Fills a folder with the files of a commit and a history of only that commit, because later commits may contain the
 * solution. Files that the run withholds are neither in the folder nor in the history. Rejects with the reason.
 * @param storage the folder for copies of histories, which agents cannot change
 */
export async function checkOut(
  { repository, commit, submodules }: Source,
  taskFolder: string,
  folder: string,
  withheld: Withheld,
  storage = dirname(folder),
  depth = 0,
): Promise<InitialFiles> {
  const from = isAddress(repository) ? repository : await pathWithin(taskFolder, repository);
  const git = async (...args: readonly string[]): Promise<Buffer> => {
    try {
      return await runGit(folder, args);
    } catch (error) {
      throw gitFailure(error as GitError, repository, commit);
    }
  };
  await git('init', '-q');
  await git('fetch', '-q', '--depth', '1', '--no-tags', '--', from, commit);
  await git('checkout', '-q', '--detach', 'FETCH_HEAD');
  const rolesByPath = await withheldPaths(folder, 'HEAD', withheld);
  const leftOut = withheldBelow(folder, await workTreeOf(from), withheld, rolesByPath);
  if (leftOut.length > 0) await replaceWithout(leftOut, folder, git, storage);
  const head = (await git('rev-parse', 'HEAD')).toString('utf8').trim();
  // Original files are read from a copy, because the agent may change the history in its folder.
  const history = await mkdtemp(join(storage, 'history-'));
  await cp(join(folder, '.git'), history, { recursive: true, mode: constants.COPYFILE_FICLONE });
  const files: InitialFiles = {
    read: (path) => runGit(history, ['--git-dir=.', 'show', `${head}:${path}`]).catch(nullIfMissing),
    leftOut,
    histories: [history],
  };
  const parts: (readonly [path: string, files: InitialFiles | null])[] = [];
  for (const submodule of await submodulesOf(folder)) {
    const isFetched = submodules === true && !submodule.isExcluded;
    const fetch = async (url: string, place: string): Promise<InitialFiles> => {
      const source = {
        repository: await placeOfSubmodule(url, from, taskFolder),
        commit: submodule.commit,
        submodules,
      };
      return checkOut(defined(source), taskFolder, place, withheld, storage, depth + 1);
    };
    parts.push([submodule.path, isFetched ? await fetchSubmodule(submodule, folder, depth, fetch) : null]);
  }
  return withParts(files, parts);
}

/** Fills the folder of a submodule with `fetch`. */
async function fetchSubmodule(
  { path, url }: Submodule,
  folder: string,
  depth: number,
  fetch: (url: string, place: string) => Promise<InitialFiles>,
): Promise<InitialFiles> {
  try {
    if (url === null) throw new Error('.gitmodules has no URL for it');
    if (depth >= MAX_DEPTH) throw new Error(`submodules are nested more than ${MAX_DEPTH} levels deep`);
    const place = join(await realpath(folder), path);
    if ((await pathWithin(folder, path)) !== place) throw new Error('a link is in the way');
    return await fetch(url, place);
  } catch (error) {
    const reason = describeSystemError(error);
    throw new Error(
      `the submodule “${path}” cannot be fetched: ${reason}. Correct its entry in .gitmodules, or leave out "submodules"`,
      { cause: error },
    );
  }
}

/** The files of a repository with those of its submodules; null for one that is not fetched. */
function withParts(
  files: InitialFiles,
  parts: readonly (readonly [path: string, files: InitialFiles | null])[],
): InitialFiles {
  const below = (path: string, of: InitialFiles): LeftOut[] =>
    of.leftOut.map((one) => ({ ...one, path: `${path}/${one.path}` }));
  return {
    read: async (path) => {
      const [folder, part] = parts.find(([one]) => path.startsWith(`${one}/`)) ?? [];
      return folder === undefined || part == null ? files.read(path) : part.read(path.slice(folder.length + 1));
    },
    leftOut: [...files.leftOut, ...parts.flatMap(([path, part]) => (part === null ? [] : below(path, part)))],
    submodules: parts.flatMap(([path, part]) =>
      part === null ? path : (part.submodules ?? []).map((one) => `${path}/${one}`),
    ),
    histories: [files, ...parts.map(([, part]) => part)].flatMap((one) => one?.histories ?? []),
  };
}

/** Git exits with 128 if the commit has no such file. A file that is too large is not compared. Throws other errors. */
function nullIfMissing(error: unknown): null {
  const { code } = error as { readonly code?: unknown };
  if (code === 128 || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return null;
  throw error;
}

/** The real path of the work tree of a repository; null if it is on another machine. */
async function workTreeOf(from: string): Promise<string | null> {
  const local = isAddress(from) ? /^file:\/\/(?:localhost)?(\/.*)$/i.exec(from)?.[1] : from;
  if (local === undefined) return null;
  // If it does not exist, git has reported that.
  const real = await realpath(decodeURI(local)).catch(() => null);
  return real !== null && basename(real) === '.git' ? dirname(real) : real;
}

/**
 * The files of a commit that are withheld. They are recognized by their path in the repository's work tree, if that is on
 * this machine, and by their content, both as checked out and as git stores it.
 * @param rolesByPath the files whose stored content is that of a withheld file
 */
function withheldBelow(
  folder: string,
  workTree: string | null,
  withheld: Withheld,
  rolesByPath: ReadonlyMap<string, Role>,
): LeftOut[] {
  const leftOut: LeftOut[] = [];
  const walk = (directory: string, original: string, below: string): void => {
    const entries = readdirSync(directory, { withFileTypes: true }).filter(({ name }) => name !== '.git');
    const roles = withheldEntries(directory, entries, withheld, original);
    for (const entry of entries) {
      const path = `${below}${entry.name}`;
      const file = join(directory, entry.name);
      const role =
        roles.get(entry.name) ??
        rolesByPath.get(path) ??
        (entry.isFile() ? withheld.roleOfContent(file, MAX_COMPARED) : null);
      if (role !== null) leftOut.push({ path, role });
      else if (entry.isDirectory()) walk(file, join(original, entry.name), `${path}/`);
    }
  };
  walk(folder, workTree ?? folder, '');
  return leftOut;
}

/**
 * Replaces the checked-out commit with one that lacks these files. It is fetched into a new repository, because the old one
 * still has the files as objects.
 */
async function replaceWithout(
  leftOut: readonly LeftOut[],
  folder: string,
  git: (...args: readonly string[]) => Promise<Buffer>,
  storage: string,
): Promise<void> {
  await git('rm', '-r', '-q', '-f', '--', ...leftOut.map(({ path }) => `:(literal)${path}`));
  const tree = (await git('write-tree')).toString('utf8').trim();
  const [name, email, date, message] = (await git('log', '-1', '--format=%an%x00%ae%x00%aI%x00%B'))
    .toString('utf8')
    .split('\0');
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date };
  const commit = await runGit(folder, ['commit-tree', tree, '-m', message?.trim() || 'Start'], {
    env: { ...author, ...committer },
  });
  await git('update-ref', CLEANED, commit.toString('utf8').trim());
  const old = await mkdtemp(join(storage, 'fetched-'));
  try {
    await rename(join(folder, '.git'), join(old, '.git'));
    for (const name of readdirSync(folder)) await rm(join(folder, name), { recursive: true, force: true });
    await git('init', '-q');
    await git('fetch', '-q', '--no-tags', '--', old, CLEANED);
    await git('checkout', '-q', '--detach', 'FETCH_HEAD');
  } finally {
    await rm(old, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  }
}

/** What `runGit` rejects with. */
type GitError = NodeJS.ErrnoException & { readonly stderr?: Buffer; readonly killed?: boolean };

/** Describes why git cannot fetch a commit. */
export function gitFailure(error: GitError, repository: string, commit: string): Error {
  if (error.code === 'ENOENT')
    return new Error('this machine has no git: install it, or run the task with --placement docker');
  const lastLine = error.stderr
    ?.toString('utf8')
    .trim()
    .split('\n')
    .at(-1)
    ?.replace(/^fatal: /, '');
  const reason = lastLine || error.message.split('\n')[0];
  const why = error.killed === true ? `it took longer than ${GIT_LIMIT / 1000} s` : reason;
  return new Error(`git cannot fetch ${commit === 'HEAD' ? '' : `“${commit}” of `}“${repository}”: ${why}`);
}
