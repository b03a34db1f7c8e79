import { join, resolve } from 'node:path';
import { readOrdinaryFile } from '../base/file-kind.ts';
import { parseJson } from '../base/parse-json.ts';
import { describeSystemError, isSystemError, writeFileAtomically } from '../base/system-error.ts';
import { adviceFor, ownerOf } from './owner.ts';
import { RECORD, readRecord } from './store.ts';
import { TraceError } from './trace-file.ts';

/**
 * Sets whether a run is kept: the job of a kept run is not removed when it is old. The rest of `run.json` is not changed. Rejects with `TraceError` if the run has not ended, or its `run.json` is damaged or cannot be written.
 */
export async function keepRun(traceDir: string, isKept: boolean): Promise<void> {
  const folder = resolve(traceDir);
  const path = join(folder, RECORD);
  if ((await readRecord(folder)) === null) {
    const owner = await ownerOf(folder);
    if (owner !== null) throw new TraceError('trace_running', `This run is in progress. ${adviceFor(owner)}`);
    throw new TraceError('trace_missing', `${folder} has no run.json, because it is not a run that has ended.`);
  }
  // Fields that this version does not know stay.
  const { kept: _, ...others } = parseJson((await readOrdinaryFile(path)).toString('utf8')) as Record<string, unknown>;
  const record = isKept ? { ...others, kept: true } : others;
  await writeFileAtomically(path, `${JSON.stringify(record, null, 2)}\n`).catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    const message = `${path} cannot be written: ${describeSystemError(error)}.`;
    throw new TraceError('trace_unwritable', message, { cause: error });
  });
}
