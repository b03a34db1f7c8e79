import type { RecordedRun } from '../../traces/store.ts';
import type { RunRecord, Step, TraceHeader } from '../../traces/trace.ts';
import { dataUrl, readPicture } from './picture.ts';

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
  /** Writes a run, or all runs of a job, which are read one after the other. Rejects with an error of the sink. */
  write(runs: Iterable<RunToExport> | AsyncIterable<RunToExport>, sink: Sink): Promise<void>;
}

/** Where an exporter writes: a file of the user's choice, or a terminal. */
export interface Sink {
  /** `name`: the usual name of the file. */
  file(name: string, content: string | Uint8Array): Promise<void>;
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
      const picture = await readPicture(run.picture(screenshot), run.traceDir);
      if ('data' in picture) return dataUrl(picture);
      warnings.add(`The picture ${screenshot} was left out: ${picture.reason}.`);
      return null;
    },
  };
}
