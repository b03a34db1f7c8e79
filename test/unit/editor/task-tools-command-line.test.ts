import { readFileSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import { commandLine } from '../../../src/editor/command-line.ts';
import { commandLineIn } from '../../../src/editor/task-tools/command-line.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const values = vi.hoisted(() => new Map<string, unknown>());

vi.mock('vscode', () => ({
  workspace: { getConfiguration: () => ({ get: (key: string) => values.get(key) }) },
}));

const folder = { fsPath: '/w' } as vscode.Uri;

const { contributes } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
const described = contributes.configuration.properties as Record<string, { readonly default?: unknown }>;

/** The options of a run with these settings, and the defaults of the others. */
function optionsWith(settings: Readonly<Record<string, unknown>>): string {
  values.clear();
  for (const [key, { default: value }] of Object.entries(described)) values.set(key.replace('taskwright.', ''), value);
  for (const [key, value] of Object.entries(settings)) values.set(key, value);
  return commandLineIn(folder, '/extension').runOptions.join(' ');
}

it('runs tasks of VS Code’s tools with the settings', () => {
  expect(optionsWith({})).toBe('');
  const limits = { 'run.maskSensitive': true, 'run.maxSteps': 7, 'run.evaluateTimeout': 5 };
  expect(optionsWith({ placement: 'docker', 'docker.hosts': ['build-1', 'build-2'], ...limits })).toBe(
    '--placement docker --max-steps 7 --evaluate-timeout 5 --mask --hosts build-1,build-2',
  );
  expect(optionsWith({ 'run.evaluateTimeout': 1e9 })).toBe('--evaluate-timeout 2147483');
  const cluster = { 'kubernetes.lanes': 3, 'kubernetes.registry': 'registry.example.com/me' };
  expect(optionsWith({ placement: 'kubernetes', ...cluster })).toBe(
    '--placement kubernetes --lanes 3 --registry registry.example.com/me',
  );
});

it('the command line keeps jobs as long as the settings say', () => {
  const kept = (settings: Readonly<Record<string, unknown>>): unknown[] => {
    optionsWith(settings);
    const { env } = commandLine('/extension', folder);
    return [env['TASKWRIGHT_KEEP_DAYS'], env['TASKWRIGHT_KEEP_SIZE']];
  };
  expect(kept({})).toEqual(['30', '5']);
  expect(kept({ 'runs.keepDays': 7, 'runs.keepSize': 0.5 })).toEqual(['7', '0.5']);
  expect(kept({ 'runs.keepDays': 0, 'runs.keepSize': -1 })).toEqual(['1', '5']);
});

it('starts nothing for a cancelled tool', async () => {
  const run = commandLineIn(folder, '/extension').run(['run', 'a'], AbortSignal.abort());
  await expect(run).rejects.toThrow(/aborted/);
});
