import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { getOrCreate } from '../../base/get-or-create.ts';
import { startJob } from '../../runs/job/job.ts';
import { Recorder } from '../../runs/run/recorder.ts';
import type { NewStep, RecordedPicture } from '../../traces/new-step.ts';
import type { ImportedRun } from './imported-run.ts';
import { isRemote } from './picture.ts';

/** Downloads a picture; null if there is no usable picture. */
export type FetchPicture = (url: string) => Promise<RecordedPicture | null>;

/** URLs of pictures on other hosts. */
export function remotePictures(runs: readonly ImportedRun[]): readonly string[] {
  const urls = runs.flatMap(({ steps }) => steps.map(({ info }) => info['observation_url']));
  return [...new Set(urls.filter(isRemote))];
}

/**
 * Writes the runs of a file as one job. Resolves with their folders. Leaves no files if that fails.
 * @param root folder of jobs
 * @param fetchPicture downloads a picture from another host; without it, none is downloaded
 */
export async function importRuns(
  runs: readonly ImportedRun[],
  root: string,
  fetchPicture?: FetchPicture,
): Promise<readonly string[]> {
  const job = await startJob(root, { retention: null });
  const requests = new Map<string, Promise<RecordedPicture | null>>();
  const folders: string[] = [];
  try {
    for (const { header, record, steps } of runs) {
      const folder = join(job.folder, header.run_id);
      const recorder = await Recorder.create(folder, { ...header, job_id: job.id });
      try {
        for (const step of steps) await recorder.step(await withPicture(step));
        await recorder.end({ ...record, trace_dir: folder });
      } finally {
        await recorder.close();
      }
      folders.push(folder);
    }
    await job.end();
  } catch (error) {
    // A part of an import would be shown as a job in progress.
    await rm(job.folder, { recursive: true, force: true });
    throw error;
  }
  return folders;

  async function withPicture(step: NewStep): Promise<NewStep> {
    const { observation_url: url, ...info } = step.info;
    if (fetchPicture === undefined || !isRemote(url) || step.observation === null) return step;
    const screenshot = await getOrCreate(requests, url, () => fetchPicture(url));
    return screenshot === null ? step : { ...step, info, observation: { ...step.observation, screenshot } };
  }
}
