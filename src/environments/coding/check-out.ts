import { constants, type Dirent, readdirSync } from 'node:fs';
import { cp, mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Role } from '../known-file.ts';
import type { Withheld } from '../withheld.ts';
import { type LeftOut, withheldEntries } from '../withheld-entries.ts';
import { pathWithin } from '../workspace/folder.ts';
import { GIT_LIMIT, runGit } from './git.ts';
import { withheldPaths } from './history.ts';
import { isAddress } from './spec.ts';

/** A larger file of a repository is not compared with withheld files, in bytes. */
const MAX_COMPARED = 10 * 1024 * 1024;
/** The commit without the files that are withheld. */
const CLEANED = 'refs/heads/cleaned';

/** The commit of a repository that a task starts with. */
export interface Source {
  /** A URL, or a path in the task's folder. */
  readonly repository: string;
  readonly commit: string;
}

/** The result of a checkout. */
export interface CheckedOut {
  /** A file of the commit by its path with `/`; null where there is none. */
  read(path: string): Promise<Uint8Array | null>;
  readonly leftOut: readonly LeftOut[];
  /** The folder with the history. The caller must remove it. */
  readonly history: string;
}

/**
 * The files of a commit, with a history of that commit alone: what came after it may be the solution. Files that the run
 * withholds are neither in the folder nor in the history. Throws an error whose message says why it cannot be done.
 */
export async function checkOut(
  { repository, commit }: Source,
  taskFolder: string,
  folder: string,
  withheld: Withheld,
): Promise<CheckedOut> {
  const far = isAddress(repository);
  const from = far ? repository : await pathWithin(taskFolder, repository);
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
  const stored = await withheldPaths(folder, 'HEAD', withheld);
  const leftOut = withheldBelow(folder, await workTreeOf(from), withheld, stored);
  if (leftOut.length > 0) await replaceWithout(leftOut, folder, git);
  const head = (await git('rev-parse', 'HEAD')).toString('utf8').trim();
  // Read from a copy: the agent may remove the history in its folder, or replace what is in it.
  const history = await mkdtemp(join(dirname(folder), 'history-'));
  await cp(join(folder, '.git'), history, { recursive: true, mode: constants.COPYFILE_FICLONE });
  return {
    read: (path) => runGit(history, ['--git-dir=.', 'show', `${head}:${path}`]).catch(withoutFile),
    leftOut,
    history,
  };
}

/** Git ends with 128 if the commit has no such file. One that is too large is not compared. Throws other errors. */
function withoutFile(error: unknown): null {
  const { code } = error as { readonly code?: unknown };
  if (code === 128 || code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return null;
  throw error;
}

/** The real path of the directory whose files a repository holds; null for one on another machine. */
async function workTreeOf(from: string): Promise<string | null> {
  const local = isAddress(from) ? /^file:\/\/(?:localhost)?(\/.*)$/i.exec(from)?.[1] : from;
  if (local === undefined) return null;
  // Git says why it cannot fetch what does not exist.
  const real = await realpath(decodeURI(local)).catch(() => null);
  return real !== null && basename(real) === '.git' ? dirname(real) : real;
}

/**
 * The files of a commit that are withheld. A file of a repository is known by its path in the repository's work tree, if
 * that is on this machine, and by its content, as it is checked out and as git stores it.
 * @param stored the files that git stores with the content of a withheld file, by their paths
 */
function withheldBelow(
  folder: string,
  workTree: string | null,
  withheld: Withheld,
  stored: ReadonlyMap<string, Role>,
): LeftOut[] {
  const found: LeftOut[] = [];
  const walk = (directory: string, original: string, below: string): void => {
    const entries = readdirSync(directory, { withFileTypes: true }).filter(({ name }) => name !== '.git');
    const roles = withheldEntries(directory, entries, withheld, original);
    for (const entry of entries) {
      const path = `${below}${entry.name}`;
      const role = roles.get(entry.name) ?? stored.get(path) ?? roleByContent(directory, entry, withheld);
      if (role !== null) found.push({ path, role });
      else if (entry.isDirectory()) walk(join(directory, entry.name), join(original, entry.name), `${path}/`);
    }
  };
  walk(folder, workTree ?? folder, '');
  return found;
}

function roleByContent(directory: string, entry: Dirent, withheld: Withheld) {
  return entry.isFile() ? withheld.roleOfContent(join(directory, entry.name), MAX_COMPARED) : null;
}

/**
 * Replaces what was checked out by a commit without these files. It is fetched into a new repository, because in the old
 * one the files stay as objects.
 */
async function replaceWithout(
  leftOut: readonly LeftOut[],
  folder: string,
  git: (...args: readonly string[]) => Promise<Buffer>,
): Promise<void> {
  await git('rm', '-r', '-q', '-f', '--', ...leftOut.map(({ path }) => `:(literal)${path}`));
  const tree = (await git('write-tree')).toString('utf8').trim();
  const [name, email, date, message] = (await git('log', '-1', '--format=%an%x00%ae%x00%aI%x00%B'))
    .toString('utf8')
    .split('\0');
  const author = { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
  const committer = { GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_DATE: date };
  const made = await runGit(folder, ['commit-tree', tree, '-m', message?.trim() || 'Start'], {
    env: { ...author, ...committer },
  });
  await git('update-ref', CLEANED, made.toString('utf8').trim());
  const old = await mkdtemp(join(dirname(folder), 'fetched-'));
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

/** Says why git cannot fetch a commit. */
export function gitFailure(error: GitError, repository: string, commit: string): Error {
  if (error.code === 'ENOENT')
    return new Error('this machine has no git: install it, or run the task with --placement docker');
  const said =
    (error.stderr?.toString('utf8') ?? '')
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^fatal: /, '') ?? '';
  const last = said === '' ? error.message.split('\n')[0] : said;
  const why = error.killed === true ? `it took longer than ${GIT_LIMIT / 1000} s` : last;
  return new Error(`git cannot fetch ${commit === 'HEAD' ? '' : `“${commit}” of `}“${repository}”: ${why}`);
}
