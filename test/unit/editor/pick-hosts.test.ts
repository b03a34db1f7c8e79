import { afterAll, expect, it, vi } from 'vitest';
import type { QuickPickItem } from 'vscode';
import { pickForWorkspace } from '../../../src/editor/placement/pick.ts';
import type { DockerState } from '../../../src/placement/docker/docker.ts';

vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const picks: FakePick[] = [];
const stored: unknown[] = [];

/** A list whose items are counted, and which the test answers. */
class FakePick {
  selectedItems: readonly QuickPickItem[] = [];
  activeItems: readonly QuickPickItem[] = [];
  canSelectMany = false;
  busy = false;
  readonly lists: (readonly QuickPickItem[])[] = [];
  #accept: () => void = () => {};

  constructor() {
    picks.push(this);
  }
  get items(): readonly QuickPickItem[] {
    return this.lists.at(-1) ?? [];
  }
  set items(items: readonly QuickPickItem[]) {
    this.lists.push(items);
  }
  onDidAccept = (accept: () => void): void => {
    this.#accept = accept;
  };
  onDidHide = (): void => {};
  onDidTriggerButton = (): void => {};
  show = (): void => {};
  dispose = (): void => {};

  accept(label: RegExp): void {
    this.selectedItems = this.items.filter((item) => label.test(item.label));
    this.#accept();
  }
}

vi.mock('vscode', () => ({
  ThemeIcon: class {},
  QuickPickItemKind: { Separator: -1 },
  ConfigurationTarget: { Global: 1, Workspace: 2 },
  Uri: { file: (path: string) => ({ fsPath: path }) },
  window: { createQuickPick: () => new FakePick() },
  workspace: {
    getConfiguration: () => ({
      get: () => undefined,
      update: async (key: string, value: unknown) => void stored.push([key, value]),
    }),
  },
}));

it('shows checkboxes for hosts with what was found of them, in a list that does not change', async () => {
  const findDocker = vi.fn(
    async (): Promise<DockerState> => ({ found: false, message: 'It does not answer', fix: '', tried: [] }) as never,
  );
  const chosen = pickForWorkspace({
    find: async () => ({ room: null }),
    findDocker,
    dockerContexts: async () => ['build-1', 'build-2'],
  } as never);
  await expect.poll(() => picks[0]?.busy).toBe(false);
  picks[0]?.accept(/Several Hosts/);
  await expect.poll(() => picks.length).toBe(2);
  await expect.poll(() => picks[1]?.busy).toBe(false);

  expect(picks[1]?.lists).toHaveLength(1);
  expect(picks[1]?.items.map(({ label, detail }) => [label, detail])).toEqual(
    ['default', 'build-1', 'build-2'].map((host) => [`$(server) ${host}`, 'It does not answer.']),
  );
  expect(findDocker).toHaveBeenCalledTimes(3);
  picks[1]?.accept(/build/);
  await chosen;
  expect(stored[0]).toEqual([expect.stringContaining('hosts'), ['build-1', 'build-2']]);
});
