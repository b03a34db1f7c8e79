import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, median } from './figures.ts';
import { measureInWindows } from './window.ts';

const LIMIT_MS = 50;
const WINDOWS = 7;

/** Loading the extension's code and calling `activate`, in the extension host of a real VS Code; a new host for every sample. */
export async function activation(): Promise<readonly Figure[]> {
  const empty = await mkdtemp(join(tmpdir(), 'taskwright-bench-empty-'));
  const samples = await measureInWindows<{ load: number; call: number; playwright: boolean }>(
    'activation-probe.ts',
    empty,
    WINDOWS,
  );
  await rm(empty, { recursive: true });
  if (samples.some((sample) => sample.playwright)) throw new Error('Activation has loaded Playwright.');
  // The first window fills the caches of a new server, as the first start after an update does.
  const ours = median(samples.slice(1).map((sample) => sample.load + sample.call));
  return [
    {
      name: 'activation of the extension',
      against: 'the limit',
      ours,
      theirs: LIMIT_MS,
      unit: 'ms',
      ratio: ours / LIMIT_MS,
      aim: { atMost: 1 },
    },
  ];
}
