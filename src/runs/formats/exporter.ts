import { readFile, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { describeSystemError } from '../../tasks/system-error.ts';
import type { Json } from '../../tasks/task.ts';
import { MAX_PICTURE_BYTES, type RecordedPicture } from '../store/new-step.ts';
import type { RecordedRun } from '../store/store.ts';
import type { RunRecord, Step, TraceHeader } from '../store/trace.ts';
import { dataUrl, pictureOf } from './picture.ts';

/** A run in the form that exporters read. */
export interface RunToExport {
  readonly header: TraceHeader;
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  /** A screenshot as a `data:` URL; null if it is missing or damaged, which `warnings` reports afterwards. */
  picture(screenshot: string): Promise<string | null>;
  /** Sentences about what is missing from the run. */
  readonly warnings: readonly string[];
}

/** One export format. A new one is one descriptor and one line in `exporters.ts`. */
export interface Exporter {
  /** The value of `--format`. */
  readonly name: string;
  /** For pickers and help. */
  readonly label: string;
  /** What the name of a file ends with, without the first dot. */
  readonly extension: string;
  /** Resolves with the value to write as JSON. */
  toJson(run: RunToExport): Promise<Json>;
}

/** Reads a recorded run for exporters. Rejects with `TraceError`. */
export async function readForExport(run: RecordedRun): Promise<RunToExport> {
  const warnings = new Set<string>();
  const { warning } = run.record.grade.info;
  // In a run that has ended, the warning is about the agent.
  if (run.record.status === 'interrupted' && typeof warning === 'string') warnings.add(warning);
  if (run.cutShort) warnings.add('The last line of the trace is incomplete and was left out.');
  return {
    get warnings() {
      return [...warnings];
    },
    header: run.header,
    record: run.record,
    steps: await run.steps(),
    picture: async (screenshot) => {
      const read = await readPicture(run.picture(screenshot), run.traceDir);
      if ('data' in read) return dataUrl(read);
      warnings.add(`The picture ${screenshot} was left out: ${read.reason}.`);
      return null;
    },
  };
}

/** A picture on disk, or the reason why it cannot be used. */
async function readPicture(path: string, folder: string): Promise<RecordedPicture | { readonly reason: string }> {
  try {
    // Whoever made the folder may have put a link to another file of this machine in place of a picture.
    const realPath = await realpath(path);
    if (!realPath.startsWith((await realpath(folder)) + sep))
      return { reason: 'it is a link out of the folder of the run' };
    const found = await stat(realPath);
    // A pipe or a device may never end.
    if (!found.isFile() && !found.isDirectory()) return { reason: 'it is not a file' };
    const { size } = found;
    if (size > MAX_PICTURE_BYTES) {
      return { reason: `it has ${Math.ceil(size / 1e6)} MB, more than ${MAX_PICTURE_BYTES / 1e6}` };
    }
    return pictureOf(await readFile(realPath)) ?? { reason: 'it is neither PNG nor JPEG' };
  } catch (error) {
    return { reason: describeSystemError(error) };
  }
}
