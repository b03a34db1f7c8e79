import { join } from 'node:path';
import { startJob } from '../job/job.ts';
import type { NewStep, RecordedPicture } from '../store/new-step.ts';
import { Recorder } from '../store/recorder.ts';
import type { HudRun } from './hud/hud-run.ts';
import { isRemote } from './hud/picture.ts';

/** Gets the picture at an address; null where there is none that can be kept. */
export type FetchPicture = (url: string) => Promise<RecordedPicture | null>;

/** The addresses of pictures that stand on other machines. */
export function remotePictures(runs: readonly HudRun[]): readonly string[] {
  const urls = runs.flatMap(({ steps }) => steps.map(({ info }) => info['observation_url']));
  return [...new Set(urls.filter(isRemote))];
}

/**
 * Writes the runs of a file as one job into a folder of jobs. Resolves with their folders.
 * @param fetchPicture asked for each picture on another machine; absent: none is fetched
 */
export async function importRuns(
  runs: readonly HudRun[],
  root: string,
  fetchPicture?: FetchPicture,
): Promise<readonly string[]> {
  const job = await startJob(root, { keepRuns: null });
  const fetched = new Map<string, Promise<RecordedPicture | null>>();
  const folders: string[] = [];
  for (const { header, record, steps } of runs) {
    const folder = join(job.folder, header.run_id);
    const recorder = await Recorder.create(folder, { ...header, job_id: job.id });
    for (const step of steps) await recorder.step(await withPicture(step));
    await recorder.end({ ...record, trace_dir: folder });
    folders.push(folder);
  }
  await job.end();
  return folders;

  async function withPicture(step: NewStep): Promise<NewStep> {
    const { observation_url: url, ...info } = step.info;
    if (fetchPicture === undefined || !isRemote(url) || step.observation === null) return step;
    const getting = fetched.get(url) ?? fetchPicture(url);
    fetched.set(url, getting);
    const screenshot = await getting;
    return screenshot === null ? step : { ...step, info, observation: { ...step.observation, screenshot } };
  }
}
