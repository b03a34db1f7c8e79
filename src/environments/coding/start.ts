import { execFile } from 'node:child_process';
import { constants, copyFileSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { isAbsent } from '../../tasks/presence.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { EnvironmentError } from '../environment.ts';
import { pathWithin } from '../workspace/folder.ts';
import { isAddress, readCodingStart } from './spec.ts';

const runFile = promisify(execFile);
/** How long one question to git may take, in ms: a repository may be far away. */
const GIT_LIMIT = 120_000;

/** What a folder holds when a task begins. */
export interface InitialFiles {
  /** A file as it was, by its path with `/`; null where there was none, or none that can still be read. */
  read(path: string): Promise<Uint8Array | null>;
}

/** Fills an empty folder with what the task begins with. Rejects with `EnvironmentError` `start_failed` and words. */
export async function layOut(env: EnvironmentSpec, taskFolder: string, folder: string): Promise<InitialFiles> {
  const start = readCodingStart(env);
  try {
    if ('problems' in start) throw new Error(start.problems[0]?.message);
    switch (start.kind) {
      case 'empty':
        return { read: async () => null };
      case 'files':
        return writeFiles(start.files, folder);
      case 'folder':
        return copyFolder(await pathWithin(taskFolder, start.folder), start.folder, folder);
      case 'git':
        return await checkOut(start, taskFolder, folder);
    }
  } catch (error) {
    const { message } = error as Error;
    throw new EnvironmentError('start_failed', `The task’s files cannot be laid out: ${message}.`, { cause: error });
  }
}

function writeFiles(files: Readonly<Record<string, string>>, folder: string): InitialFiles {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const byPath = new Map(
    Object.entries(files).map(([path, text]) => [
      path
        .split('/')
        .filter((part) => part !== '.')
        .join('/'),
      text,
    ]),
  );
  return {
    read: async (path) => {
      const text = byPath.get(path);
      return text === undefined ? null : Buffer.from(text, 'utf8');
    },
  };
}

/** A small file is read and written in half the time that the system's own way to copy takes. */
const SMALL = 256 * 1024;

function copyOne(from: string, to: string): void {
  const { size, mode } = lstatSync(from);
  if (size > SMALL) copyFileSync(from, to, constants.COPYFILE_FICLONE);
  else writeFileSync(to, readFileSync(from), { mode: mode | 0o600 });
}

/** Copies a folder; links stay out, because they may lead anywhere. */
function copyFolder(from: string, named: string, folder: string): InitialFiles {
  if (lstatSync(from, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`there is no folder “${named}” beside the task`);
  const copy = (source: string, target: string): void => {
    for (const entry of readdirSync(source, { withFileTypes: true })) {
      const [one, other] = [join(source, entry.name), join(target, entry.name)];
      if (entry.isDirectory()) {
        mkdirSync(other);
        copy(one, other);
      } else if (entry.isFile()) copyOne(one, other);
    }
  };
  copy(from, folder);
  return { read: async (path) => readOrNull(join(from, path)) };
}

/** The files of a commit, with a history of that commit alone: what came after it may be the solution. */
async function checkOut(
  { repository, commit }: { readonly repository: string; readonly commit: string },
  taskFolder: string,
  folder: string,
): Promise<InitialFiles> {
  const far = isAddress(repository);
  const from = far ? repository : await pathWithin(taskFolder, repository);
  const git = async (...args: readonly string[]): Promise<Buffer> => {
    try {
      const { stdout } = await runFile('git', args, {
        cwd: folder,
        env: gitEnvironment(),
        encoding: 'buffer',
        timeout: GIT_LIMIT,
        maxBuffer: 64 * 1024 * 1024,
      });
      return stdout;
    } catch (error) {
      throw gitFailure(error as NodeJS.ErrnoException & { stderr?: Buffer }, repository, commit);
    }
  };
  await git('init', '-q');
  await git('fetch', '-q', '--depth', '1', '--no-tags', '--', from, commit);
  await git('checkout', '-q', '--detach', 'FETCH_HEAD');
  const head = (await git('rev-parse', 'HEAD')).toString('utf8').trim();
  // The agent may have removed the history.
  return { read: (path) => git('show', `${head}:${path}`).catch(() => null) };
}

function readOrNull(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isAbsent(error) || (error as NodeJS.ErrnoException).code === 'EISDIR') return null;
    throw error;
  }
}

/** Nobody is asked, no hook runs, and only ways that fetch and nothing else are taken. */
function gitEnvironment(): NodeJS.ProcessEnv {
  const settings = {
    // The folder of the task may be another user's: in a container it is.
    'safe.directory': '*',
    'uploadpack.allowAnySHA1InWant': 'true',
    'core.hooksPath': '/dev/null',
    'init.defaultBranch': 'main',
    'advice.detachedHead': 'false',
  };
  const numbered = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...process.env,
    GIT_CONFIG_COUNT: String(Object.keys(settings).length),
    ...(Object.fromEntries(numbered) as Record<string, string>),
    GIT_ALLOW_PROTOCOL: 'file:https:http:ssh:git',
    GIT_TERMINAL_PROMPT: '0',
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  };
}

function gitFailure(error: NodeJS.ErrnoException & { stderr?: Buffer }, repository: string, commit: string): Error {
  if (error.code === 'ENOENT')
    return new Error('this machine has no git: install it, or run the task with --placement docker');
  const said =
    (error.stderr?.toString('utf8') ?? '')
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^fatal: /, '') ?? '';
  const why = said === '' ? error.message.split('\n')[0] : said;
  return new Error(`git cannot fetch ${commit === 'HEAD' ? '' : `“${commit}” of `}“${repository}”: ${why}`);
}
