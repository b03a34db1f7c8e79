import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, type Dirent } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as z from 'zod';
import { nullIfNotFound, readOrdinaryFile } from '../../base/file-kind.ts';
import { parseAs } from '../../base/json-validator.ts';
import { mapAtMost } from '../../base/map-at-most.ts';
import { makeFolder } from '../../base/system-error.ts';
import {
  isSamePlan,
  type JobFile,
  type JobPlan,
  type PlannedRun,
  readJobFile,
  writeJobFile,
} from '../../traces/job-file.ts';
import { keepRun } from '../../traces/keep-run.ts';
import { ATTEMPTS } from '../../traces/set-aside.ts';
import { readRecord, withAgent } from '../../traces/store.ts';
import type { Run, RunRecord } from '../../traces/trace.ts';
import { readFirstLine } from '../../traces/trace-file.ts';
import { ignoreJobs, JobError, unwritable } from './job.ts';
import { skippedRun } from './skipped-run.ts';

/** A job that was put together from its shards. */
export interface MergedJob {
  readonly id: string;
  readonly folder: string;
  /** The runs that have a result, and those whose task cannot run, in the order of the plan. */
  readonly runs: readonly (Run | RunRecord)[];
  /** The runs that have no result in any shard. */
  readonly missing: readonly PlannedRun[];
}

type PlannedJobFile = JobFile & { readonly plan: JobPlan };

/** The folder of a shard. Its runs are untrusted: they come from other machines. */
interface Source {
  readonly folder: string;
  readonly file: PlannedJobFile;
  readonly entries: ReadonlyMap<string, Dirent>;
}

/** Number of runs that are copied at the same time. */
const CONCURRENCY = 8;

/** The files and folders of a run, with the names in each folder. Other entries, such as `owner.json`, are not copied. */
const RUN_FILES = /^(?:run\.json|trace\.jsonl|pages\.br)$/;
const RUN_FOLDERS: Readonly<Record<string, RegExp>> = {
  screens: /^[0-9a-f]{64}\.(?:png|jpg)$/,
  files: /^[0-9a-f]{64}$/,
};

/**
 * Merges shards of a job into a new job in `root`. Runs of which no shard has a result are left out, so that the merged job
 * can be resumed. Rejects with `JobError` or `TraceError`, and leaves no files.
 *
 * @param jobFolders folders of shards; several may have the same run, if it is the same in all
 * @param cwd the folder that the files of a portable plan are relative to
 */
export async function mergeJobs(
  jobFolders: readonly string[],
  { root, cwd, signal }: { readonly root: string; readonly cwd: string; readonly signal: AbortSignal },
): Promise<MergedJob> {
  const [first, ...more] = await Promise.all([...new Set(jobFolders)].map(openSource));
  if (first === undefined) throw new RangeError('There are no jobs to merge.');
  for (const other of more) {
    if (other.file.job_id === first.file.job_id && isSamePlan(other.file.plan, first.file.plan)) continue;
    const message = `${first.folder} and ${other.folder} have different plans. Merge only shards of one job.`;
    throw new JobError('plans_differ', message);
  }
  // As opened, but with the files of this machine.
  const { size_bytes: _, ...shard } = first.file;
  const file = { ...shard, plan: (await readJobFile(first.folder, cwd))?.plan ?? first.file.plan };
  const folder = join(root, file.job_id);
  const stagingFolder = join(root, `.${file.job_id}-${randomBytes(4).toString('hex')}`);
  try {
    if ((await lstat(folder).catch(nullIfNotFound)) !== null) {
      throw new JobError('job_exists', `${folder} already exists. Use another --out, or delete it.`);
    }
    await makeFolder(stagingFolder);
    await ignoreJobs(root);
    const merge: Merge = { sources: [first, ...more], file, stagingFolder, folder };
    const results = await mapAtMost(CONCURRENCY, file.plan.runs, async (plannedRun) => {
      signal.throwIfAborted();
      return plannedRun.error === null ? await copyResult(merge, plannedRun) : null;
    });
    const runs: (Run | RunRecord)[] = [];
    const missing: PlannedRun[] = [];
    for (const [index, plannedRun] of file.plan.runs.entries()) {
      const result = plannedRun.error === null ? (results[index] ?? null) : skippedRun(plannedRun);
      if (result === null) missing.push(plannedRun);
      else runs.push(result);
    }
    await writeJobFile(stagingFolder, { ...file, ended_at: missing.length === 0 ? endOf(file, runs) : null });
    await rename(stagingFolder, folder);
    return { id: file.job_id, folder, runs, missing };
  } catch (error) {
    await rm(stagingFolder, { recursive: true, force: true });
    throw unwritable(`The jobs cannot be merged into ${root}`, error);
  }
}

async function openSource(folder: string): Promise<Source> {
  const file = await readJobFile(folder);
  if (file?.plan === undefined) {
    throw new JobError('job_unplanned', `${folder} has no plan, so it cannot be merged.`);
  }
  // The id becomes the name of a folder.
  if (!/^[\w-]+$/.test(file.job_id)) {
    throw new JobError('run_unsafe', `${folder} has an invalid job id: ${JSON.stringify(file.job_id)}.`);
  }
  const entries = await readdir(folder, { withFileTypes: true });
  return { folder, file: { ...file, plan: file.plan }, entries: new Map(entries.map((entry) => [entry.name, entry])) };
}

/** When the last run ended. */
function endOf(file: JobFile, runs: readonly Run[]): string {
  const ends = runs.flatMap(({ trace_dir, started_at, duration_ms }) =>
    trace_dir === null ? [] : [Date.parse(started_at) + duration_ms],
  );
  const end = new Date(ends.reduce((latest, one) => Math.max(latest, one), Date.parse(file.started_at)));
  return Number.isNaN(end.getTime()) ? file.started_at : end.toISOString();
}

/** What changes on another machine. Everything else stays as it is; damaged files are copied, and reported when they are read. */
const movableRecord = z.looseObject({ error: z.looseObject({ file: z.string().optional() }).nullable() });
const movableHeader = z.looseObject({ task: z.looseObject({}) });

interface Merge {
  readonly sources: readonly Source[];
  readonly file: PlannedJobFile;
  readonly stagingFolder: string;
  /** Where the staging folder will be. */
  readonly folder: string;
}

/** A run to copy from a shard. */
interface RunCopy {
  readonly merge: Merge;
  readonly source: Source;
  readonly plannedRun: PlannedRun;
}

/** Copies the result of a run. Resolves with it; null if no shard has one. */
async function copyResult(merge: Merge, plannedRun: PlannedRun): Promise<RunRecord | null> {
  const to = join(merge.stagingFolder, plannedRun.run_id);
  let copiedFrom: string | null = null;
  let isKept = false;
  for (const source of merge.sources) {
    const result = await resultIn(source, plannedRun);
    if (result === null) continue;
    isKept ||= result.kept === true;
    const from = join(source.folder, plannedRun.run_id);
    const copy = { merge, source, plannedRun };
    if (copiedFrom === null) {
      await copyRun(copy, from, to);
      copiedFrom = from;
      continue;
    }
    const again = `${to}.again`;
    await copyRun(copy, from, again);
    if (!(await isSameFolder(to, again))) {
      const message = `${copiedFrom} and ${from} are different results of one run. Merge only one of them.`;
      throw new JobError('runs_differ', message);
    }
    await rm(again, { recursive: true });
  }
  if (isKept) await keepRun(to, true);
  const record = copiedFrom === null ? null : await readRecord(to);
  const traceDir = join(merge.folder, plannedRun.run_id);
  return record && { ...withAgent(record, plannedRun.agent), trace_dir: traceDir };
}

async function copyRun(copy: RunCopy, from: string, to: string): Promise<void> {
  await mkdir(to);
  await copyFiles(copy, from, to);
  for (const attempt of await namesIn(from, ATTEMPTS, /^\d{1,4}$/, 'folder')) {
    const at = join(ATTEMPTS, attempt);
    await mkdir(join(to, at), { recursive: true });
    await copyFiles(copy, join(from, at), join(to, at));
  }
}

/** Copies the files of one attempt at a run. */
async function copyFiles(copy: RunCopy, from: string, to: string): Promise<void> {
  for (const name of await namesIn(from, '', RUN_FILES, 'file')) {
    const [source, target] = [join(from, name), join(to, name)];
    if (name === 'run.json') await writeFile(target, localRecord(await readOrdinaryFile(source), copy));
    else if (name === 'trace.jsonl') await copyTrace(source, target, copy);
    else await copyFile(source, target);
  }
  for (const [folder, names] of Object.entries(RUN_FOLDERS)) {
    const fileNames = await namesIn(from, folder, names, 'file');
    if (fileNames.length > 0) await mkdir(join(to, folder));
    await Promise.all(fileNames.map((name) => copyFile(join(from, folder, name), join(to, folder, name))));
  }
}

/** `run.json` with the paths of this machine. */
function localRecord(content: Buffer, copy: RunCopy): Buffer | string {
  const record = parseAs(movableRecord, content.toString('utf8'));
  if (record === null) return content;
  // A user keeps one copy of a run.
  const { kept: _, ...rest } = record;
  const error = rest.error?.file === undefined ? rest.error : { ...rest.error, file: localPath(rest.error.file, copy) };
  const { merge, plannedRun } = copy;
  const paths = { file: plannedRun.file, error, trace_dir: join(merge.folder, plannedRun.run_id) };
  return `${JSON.stringify({ ...rest, ...paths }, null, 2)}\n`;
}

/** Copies a trace with the paths of this machine in its first line. */
async function copyTrace(from: string, to: string, { merge, plannedRun }: RunCopy): Promise<void> {
  const line = await readFirstLine(from);
  const header = parseAs(movableHeader, line.toString('utf8'));
  if (header === null) return await copyFile(from, to);
  const task = { ...header.task, file: plannedRun.file };
  const localHeader = { ...header, job_id: merge.file.job_id, task };
  await writeFile(to, `${JSON.stringify(localHeader)}\n`);
  await pipeline(createReadStream(from, { start: line.byteLength + 1 }), createWriteStream(to, { flags: 'a' }));
}

/** A path of a shard's machine, if it is in the folder that the plan is relative to. */
function localPath(path: string, { merge, source }: RunCopy): string {
  const { cwd, portable } = merge.file.plan;
  const sourceCwd = source.file.plan.cwd;
  const rest = path.slice(sourceCwd.length);
  const isInside = path.startsWith(sourceCwd) && /^[\\/]/.test(rest);
  return portable && isInside ? join(cwd, ...rest.split(/[\\/]/)) : path;
}

/** The result of a run in a shard; null if it was not made, was cancelled, or has not ended. */
async function resultIn({ folder, entries }: Source, plannedRun: PlannedRun): Promise<RunRecord | null> {
  const entry = entries.get(plannedRun.run_id);
  if (entry === undefined) return null;
  const run = join(folder, plannedRun.run_id);
  if (!entry.isDirectory()) throw unsafe(run, 'a folder');
  if ((await namesIn(run, '', /^run\.json$/, 'file')).length === 0) return null;
  const record = await readRecord(run);
  if (record === null || (record.status !== 'completed' && record.status !== 'error')) return null;
  const { run_id, task_id, group_id, seed } = plannedRun;
  if (record.run_id !== run_id || record.task_id !== task_id || record.group_id !== group_id || record.seed !== seed) {
    throw new JobError('run_unsafe', `${run} is not the run of the plan, because its run.json names another run.`);
  }
  return record;
}

/** The names in a run's folder that a run has. Rejects if one is a link or anything else than it should be. */
async function namesIn(run: string, folder: string, names: RegExp, kind: 'file' | 'folder'): Promise<string[]> {
  if (folder !== '') {
    const stats = await lstat(join(run, folder)).catch(nullIfNotFound);
    if (stats === null) return [];
    if (!stats.isDirectory()) throw unsafe(join(run, folder), 'a folder');
  }
  const entries = await readdir(join(run, folder), { withFileTypes: true });
  const matching = entries.filter(({ name }) => names.test(name));
  for (const entry of matching) {
    if (kind === 'file' ? !entry.isFile() : !entry.isDirectory())
      throw unsafe(join(run, folder, entry.name), `a ${kind}`);
  }
  return matching.map(({ name }) => name);
}

function unsafe(path: string, kind: string): JobError {
  return new JobError('run_unsafe', `${path} is not ${kind} of a recorded run, but a link or something else.`);
}

async function isSameFolder(one: string, other: string): Promise<boolean> {
  const [names, otherNames] = await Promise.all([filesIn(one), filesIn(other)]);
  if (names.join('\n') !== otherNames.join('\n')) return false;
  for (const name of names) {
    const [content, otherContent] = await Promise.all([readFile(join(one, name)), readFile(join(other, name))]);
    if (!content.equals(otherContent)) return false;
  }
  return true;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .sort();
}
