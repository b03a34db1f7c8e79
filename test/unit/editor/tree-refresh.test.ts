import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { TreeRefresh } from '../../../src/editor/task-tree/refresh.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function refreshedTree(visible: boolean) {
  const tree = { visible, refresh: vi.fn(), refreshHidden: vi.fn(() => Promise.resolve()) };
  return { tree, refresh: new TreeRefresh(tree) };
}

/** A view that is shown after a change while it was hidden. */
async function shownAfterChange() {
  const of = refreshedTree(false);
  of.refresh.noteChange();
  await vi.advanceTimersByTimeAsync(1000);
  expect(of.tree.refreshHidden).toHaveBeenCalledTimes(1);
  expect(of.tree.refresh).not.toHaveBeenCalled();
  of.tree.visible = true;
  of.refresh.noteVisibility();
  return of;
}

it('refreshes once after several changes', async () => {
  const { tree, refresh } = refreshedTree(true);
  refresh.noteChange();
  refresh.noteChange();
  await vi.advanceTimersByTimeAsync(1000);
  expect(tree.refresh).toHaveBeenCalledTimes(1);
  expect(tree.refreshHidden).not.toHaveBeenCalled();
});

it('waits for VS Code to request the children of all nodes', async () => {
  const { tree, refresh } = refreshedTree(true);
  refresh.noteRequest(undefined);
  refresh.noteChange();
  for (const node of ['folder', 'file', 'task', 'split', 'range']) {
    await vi.advanceTimersByTimeAsync(200);
    expect(tree.refresh).not.toHaveBeenCalled();
    refresh.noteRequest(node);
  }
  await vi.advanceTimersByTimeAsync(1000);
  expect(tree.refresh).toHaveBeenCalledTimes(1);
});

it('refreshes a view that was hidden during a change when it is shown', async () => {
  const { tree } = await shownAfterChange();
  await vi.advanceTimersByTimeAsync(1000);
  expect(tree.refresh).toHaveBeenCalledTimes(1);
});

it('omits the refresh of a shown view whose root VS Code requests itself', async () => {
  const { tree, refresh } = await shownAfterChange();
  refresh.noteRequest(undefined);
  refresh.noteRequest('folder');
  await vi.advanceTimersByTimeAsync(1000);
  expect(tree.refresh).not.toHaveBeenCalled();
});

it('refreshes nothing when a view without changes is shown', async () => {
  const { tree, refresh } = refreshedTree(true);
  refresh.noteVisibility();
  await vi.advanceTimersByTimeAsync(1000);
  expect(tree.refresh).not.toHaveBeenCalled();
});
