import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runCommands } from '../../../src/editor/commands/runs.ts';
import { listJobs } from '../../../src/traces/store.ts';
import { jobOnDisk, temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

type Item = { readonly value?: string; readonly label: string };
const picks = vi.hoisted(() => ({ asked: [] as { items: readonly Item[]; placeHolder: string }[] }));

vi.mock('vscode', () => ({
  Uri: class {},
  window: {
    showQuickPick: async (items: readonly Item[], { placeHolder }: { placeHolder: string }) => {
      picks.asked.push({ items, placeHolder });
      return items[0];
    },
  },
}));

let job = '';
beforeEach(async () => {
  picks.asked.length = 0;
  const runs = [{ task: 'first' }, { task: 'second', kept: true as const }, { task: 'open', open: true as const }];
  job = await jobOnDisk(await temporaryFolder(), 'job', '2026-01-01', runs);
});

async function command(
  name: 'taskwright.keepRun' | 'taskwright.stopKeepingRun',
  argument?: unknown,
  current?: object,
): Promise<typeof history> {
  const jobs = await listJobs(join(job, '..'));
  const history = { jobs, entries: jobs.flatMap(({ runs }) => runs), load: vi.fn(async () => {}), refresh: vi.fn() };
  await runCommands({ history, panels: { current } } as never)[name](argument);
  return history;
}

async function isKept(run: string): Promise<boolean> {
  return JSON.parse(await readFile(join(job, run, 'run.json'), 'utf8')).kept === true;
}

it('keeps the run of the Runs view, which is then read again', async () => {
  const { load, refresh } = await command('taskwright.keepRun', { traceDir: join(job, 'r0') });
  expect(await isKept('r0')).toBe(true);
  expect(load).toHaveBeenCalledBefore(refresh);
  await command('taskwright.stopKeepingRun', { traceDir: join(job, 'r0') });
  expect(await isKept('r0')).toBe(false);
});

it('keeps the run of the active panel', async () => {
  const run = { traceDir: join(job, 'r0') };
  await command('taskwright.keepRun', undefined, { active: true, run });
  expect(await isKept('r0')).toBe(true);
  expect(picks.asked).toEqual([]);
});

it.each([
  ['taskwright.keepRun', 'Select a run to keep', 'r0', true],
  ['taskwright.stopKeepingRun', 'Select a run that may be removed when it is old', 'r1', false],
] as const)('%s asks for a run that it can change', async (name, placeHolder, run, kept) => {
  // A panel in the background is not meant.
  await command(name, undefined, { active: false, run: { traceDir: join(job, 'r2') } });
  expect(picks.asked).toMatchObject([{ placeHolder, items: [{ value: join(job, run) }] }]);
  expect(await isKept(run)).toBe(kept);
});

it('reports why a run in progress cannot be kept', async () => {
  await expect(command('taskwright.keepRun', { traceDir: join(job, 'r2') })).rejects.toThrow(
    'it is not a run that has ended',
  );
});

it('is in the menus of runs that have ended, and its opposite in those of kept ones', () => {
  const shown = (viewItem: string): string[] =>
    manifest.contributes.menus['view/item/context'].flatMap(({ command, when }) => {
      const patterns = [...when.matchAll(/viewItem =~ \/(.*?)\/(?= |$)/g)].map(
        ([, pattern = '']) => new RegExp(pattern),
      );
      const isOf = /taskwright\.(?:keepRun|stopKeepingRun)/.test(command ?? '');
      return isOf && patterns.every((pattern) => pattern.test(viewItem)) ? [command ?? ''] : [];
    });
  expect(shown('run ended unkept')).toEqual(['taskwright.keepRun']);
  expect(shown('run ended kept')).toEqual(['taskwright.stopKeepingRun']);
  for (const other of ['run ended', 'run running', 'run unreadable', 'job ended']) expect(shown(other)).toEqual([]);
});
