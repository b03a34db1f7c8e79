import type { Dirent, Stats } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { CodedError } from '../base/coded-error.ts';
import { isNotFound, kindAt } from '../base/file-kind.ts';
import { type IgnoreRules, isIgnored, rulesIn } from '../base/ignore-rules.ts';
import { withLineFeeds } from '../base/lines.ts';
import { isResourceExhausted } from '../base/resource-exhausted.ts';
import { inSlices, runToEnd, type Work } from '../base/slices.ts';
import { describeSystemError } from '../base/system-error.ts';
import { looksLikeTask } from './era.ts';
import { prepareToRead, readTasksInSlices, unreadableFile } from './read.ts';
import { mayContainTasks, PYTHON, taskFileKind } from './recognition.ts';
import type { TaskFile } from './rows.ts';

/** Far more than anyone edits, and far less than a string can hold. */
const MAX_BYTES = 256_000_000;
/** Takes less than 50 ms. Text that is decoded in parts is copied when the parts are joined. */
const DECODED_AT_ONCE = 32_000_000;
const NEVER_SEARCHED = new Set([
  'node_modules',
  '.taskwright',
  '.git',
  '__pycache__',
  'site-packages',
  'dist-packages',
]);
/** Files that identify a Python virtual environment, created by venv or conda. */
const OF_VIRTUAL_ENVIRONMENTS = new Set(['pyvenv.cfg', 'conda-meta']);

/** A requested path that cannot be read. */
export class TaskFileError extends CodedError<'file_not_found' | 'file_unreadable'> {
  override readonly name = 'TaskFileError';
  readonly path: string;

  constructor(code: TaskFileError['code'], path: string, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.path = path;
  }
}

/** Whether a file is a task file, by its name or because it contains a task. VS Code's own `tasks.json` is not. */
export function containsTasks(file: TaskFile): boolean {
  if (taskFileKind(file.file) === 'always') return true;
  // In a Python file, only tasks are rows.
  return file.format === 'python' ? file.rows.length > 0 : file.rows.some((row) => looksLikeTask(row.value));
}

/**
 * Reads a file from disk. Invalid UTF-8 or a file that is too large gives one finding; a missing or unreadable file
 * throws a `TaskFileError`.
 * @param work runs the reading; pass `inSlices` if the process must stay responsive
 */
export async function loadTaskFile(
  path: string,
  work: (reading: Work<TaskFile>) => TaskFile | Promise<TaskFile> = runToEnd,
): Promise<TaskFile> {
  const file = resolve(path);
  const size = await sizeOf(file);
  if (size > MAX_BYTES) {
    const megabytes = Math.ceil(size / 1e6);
    const message = `This file has ${megabytes} MB; the limit is ${MAX_BYTES / 1e6} MB. Split it into several files`;
    return unreadableFile(file, 'file-too-large', message);
  }
  await prepareToRead(file);
  return await work(readBytesOf(file, await readBytes(file)));
}

/** Reads a file in a folder. One that cannot be read is a finding, and does not hide the other files. */
export async function loadFoundTaskFile(path: string): Promise<TaskFile> {
  try {
    return await loadTaskFile(path);
  } catch (error) {
    if (error instanceof TaskFileError) return unreadableFile(path, 'file-unreadable', error.message);
    throw error;
  }
}

/** Size of a file in bytes. Rejects pipes and devices, which may never end. */
async function sizeOf(file: string): Promise<number> {
  const stats = await statsOf(file);
  if (stats.isFile()) return stats.size;
  const message = `${file} is not a file. Specify a task file or a folder with task files`;
  throw new TaskFileError('file_unreadable', file, message);
}

function* readBytesOf(file: string, bytes: Uint8Array): Work<TaskFile> {
  const text = yield* decodeInSlices(bytes);
  return text === null
    ? unreadableFile(file, 'not-utf-8', `This file is ${utf16(bytes) ? 'UTF-16' : 'not UTF-8'}. Save it as UTF-8`)
    : yield* readTasksInSlices(file, text);
}

/**
 * Returns all task files in the given folders and files as sorted absolute paths without duplicates. Files are always
 * included. In folders, the search skips ignored files (`.gitignore`), `node_modules`, `.taskwright`, and virtual
 * environments.
 */
export async function findTaskFiles(paths: readonly string[]): Promise<string[]> {
  return findFiles(paths, async (path, entry) => {
    const kind = taskFileKind(entry.name);
    if (kind === null || !(await isRegularFile(entry, path))) return false;
    return kind === 'always' || (await isTaskFileByContent(path));
  });
}

/** Like `findTaskFiles`, for the files in folders that a function accepts. */
export async function findFiles(
  paths: readonly string[],
  accepts: (path: string, entry: Dirent) => Promise<boolean>,
): Promise<string[]> {
  const files = new Set<string>();
  for (const path of paths) {
    const start = resolve(path);
    if ((await statsOf(start)).isDirectory()) await search(start, await rulesAbove(start), accepts, files);
    else files.add(start);
  }
  return [...files].sort();
}

async function statsOf(path: string): Promise<Stats> {
  try {
    return await stat(path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function unreadable(path: string, cause: unknown): TaskFileError {
  if (isNotFound(cause))
    return new TaskFileError('file_not_found', path, `File or folder not found: ${path}`, { cause });
  return new TaskFileError('file_unreadable', path, `${path} cannot be read: ${describeSystemError(cause)}`, { cause });
}

/** Reads the bytes of a file. Throws a `TaskFileError` if that fails. */
export async function readBytes(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw unreadable(file, cause);
  }
}

function* decodeInSlices(bytes: Uint8Array): Work<string | null> {
  if (utf16(bytes)) return null;
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  try {
    let from = 0;
    do {
      const to = from + DECODED_AT_ONCE;
      text += decoder.decode(bytes.subarray(from, to), { stream: to < bytes.length });
      from = to;
      yield;
    } while (from < bytes.length);
    return withLineFeeds(text);
  } catch {
    // The decoder rejects invalid UTF-8.
    return null;
  }
}

/** Whether the bytes have a UTF-16 byte order mark, or every second byte is zero. */
function utf16(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true;
  return bytes.length >= 4 && ((first === 0 && bytes[2] === 0) || (second === 0 && bytes[3] === 0));
}

const GIT = '.gitignore';

/** Ignore rules of the parent folders up to the root of the git repository; none outside a repository. */
async function rulesAbove(start: string): Promise<IgnoreRules[]> {
  const above: IgnoreRules[] = [];
  for (let folder = start; ; folder = dirname(folder)) {
    if (folder !== start) {
      const rules = await rulesIn(folder, GIT);
      if (rules !== null) above.unshift(rules);
    }
    if (['file', 'folder'].includes(await kindAt(join(folder, '.git')))) return above;
    if (dirname(folder) === folder) return [];
  }
}

async function search(
  folder: string,
  above: readonly IgnoreRules[],
  accepts: Parameters<typeof findFiles>[1],
  files: Set<string>,
): Promise<void> {
  let entries: Dirent[];
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isResourceExhausted(error)) throw unreadable(folder, error);
    // A folder that cannot be read contains nothing to run.
    return;
  }
  if (entries.some((entry) => OF_VIRTUAL_ENVIRONMENTS.has(entry.name))) return;
  const own = entries.some((entry) => entry.name === GIT) ? await rulesIn(folder, GIT) : null;
  const rules = own === null ? above : [...above, own];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!NEVER_SEARCHED.has(entry.name) && !isIgnored(`${path}${sep}`, rules))
        await search(path, rules, accepts, files);
      continue;
    }
    if (!isIgnored(path, rules) && (await accepts(path, entry))) files.add(path);
  }
}

/** Whether a directory entry is a file, or a link to one. */
export async function isRegularFile(entry: Dirent, path: string): Promise<boolean> {
  return entry.isFile() || (entry.isSymbolicLink() && (await kindAt(path)) === 'file');
}

async function isTaskFileByContent(path: string): Promise<boolean> {
  let bytes: Buffer;
  try {
    // Files too large to read are classified by name, so that `tasks.jsonl` gets the finding about its size.
    if ((await sizeOf(path)) > MAX_BYTES) return !PYTHON.test(path);
    bytes = await readBytes(path);
  } catch (error) {
    // The file was removed since, or cannot be read.
    if (error instanceof TaskFileError && !isResourceExhausted(error.cause)) return false;
    throw error;
  }
  if (PYTHON.test(path) && !bytes.includes('import')) return false;
  const text = runToEnd(decodeInSlices(bytes));
  if (text === null || !mayContainTasks(path, () => text)) return false;
  await prepareToRead(path);
  // In slices, so that a large file does not block the editor during a search.
  return containsTasks(await inSlices(readTasksInSlices(path, text)));
}
