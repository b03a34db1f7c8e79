import { afterAll, expect, it, vi } from 'vitest';
import type * as vscode from 'vscode';
import { WindowPlacements } from '../../../src/editor/placement/window-placements.ts';
import type { Placement } from '../../../src/placement/placement.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const window = vi.hoisted(() => ({
  changed: (_event: { affectsConfiguration(key: string): boolean }): void => {},
  browser: '/one',
}));

vi.mock('vscode', () => ({
  EventEmitter: class {
    event = () => ({ dispose: () => {} });
    fire = () => {};
    dispose = () => {};
  },
  Uri: { joinPath: () => ({ fsPath: '/extension/dist/server.js' }) },
  workspace: {
    getConfiguration: () => ({ get: (key: string) => (key === 'browser.path' ? window.browser : undefined) }),
    onDidChangeConfiguration: (listener: typeof window.changed) => {
      window.changed = listener;
      return { dispose: () => {} };
    },
  },
}));
vi.mock('../../../src/placement/local.ts', () => ({
  localPlacement: ({ browser }: { browser?: string }) => ({ kind: 'local', browser, dispose: vi.fn(async () => {}) }),
}));

it('applies a changed setting once no run, job, or re-score has the placement', async () => {
  const placements = new WindowPlacements(
    { extensionUri: {} } as vscode.ExtensionContext,
    {} as vscode.LogOutputChannel,
  );
  const browserOf = (placement: Placement): unknown => (placement as unknown as { browser: string }).browser;
  const job = placements.use();
  const before = await job.get('local');
  expect(browserOf(before)).toBe('/one');

  window.browser = '/two';
  window.changed({ affectsConfiguration: (key) => key === 'taskwright.browser.path' });
  const during = placements.use();
  expect([await job.get('local'), await during.get('local')]).toEqual([before, before]);
  during.dispose();
  expect(before.dispose).not.toHaveBeenCalled();
  job.dispose();

  const [first, second] = [placements.use(), placements.use()];
  const [one, other] = await Promise.all([first.get('local'), second.get('local')]);
  expect(before.dispose).toHaveBeenCalledOnce();
  expect(browserOf(one)).toBe('/two');
  expect(other).toBe(one);
});
