import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { isStaleNode } from '../../../src/editor/commands/stale-node.ts';

const extension = { packageJSON: manifest } as unknown as Parameters<typeof isStaleNode>[0];

describe('a node that was updated while its menu was open', () => {
  it.each([
    'taskwright.runTask',
    'taskwright.runTaskWithAgent',
    'taskwright.compareRuns',
    'taskwright.stopTask',
    'taskwright.stopJob',
    'taskwright.stopEnvironment',
    'taskwright.deleteRun',
    'taskwright.replayRun',
  ])('is stale for %s, which would act on something else', (command) => {
    expect(isStaleNode(extension, command, [undefined, undefined])).toBe(true);
    expect(isStaleNode(extension, command, [null])).toBe(true);
  });

  it('is valid if VS Code passes it', () => {
    expect(isStaleNode(extension, 'taskwright.stopJob', [{ folder: '/job' }, undefined])).toBe(false);
  });

  it('is not expected from the palette or a key', () => {
    expect(isStaleNode(extension, 'taskwright.stopJob', [])).toBe(false);
  });

  it.each(['taskwright.runAll', 'taskwright.newTask', 'taskwright.refreshTasks'])(
    'is not needed by %s in the title of a view without a focused node',
    (command) => {
      expect(isStaleNode(extension, command, [undefined])).toBe(false);
    },
  );
});
