import { afterAll, expect, it, vi } from 'vitest';
import { reportRemoval } from '../../../src/editor/runs/removed-jobs.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const showInformationMessage = vi.hoisted(() => vi.fn());
const executeCommand = vi.hoisted(() => vi.fn());
vi.mock('vscode', () => ({ window: { showInformationMessage }, commands: { executeCommand } }));

it('removed jobs are always in the log, and in a notification once, which opens the settings', async () => {
  const info = vi.fn();
  showInformationMessage.mockResolvedValue('Open Settings');
  const retention = { keepDays: 30, keepBytes: 5e9 };
  const tell = async (jobs: number) => {
    const removed = jobs === 0 ? null : { jobs, runs: 2, bytes: 2e6, tooOld: jobs, retention };
    await reportRemoval({ removal: Promise.resolve(removed) }, { info } as never);
  };
  await tell(0);
  expect(info).not.toHaveBeenCalled();
  await tell(1);
  await tell(2);
  const text = 'Removed 1 job with 2 runs (2 MB) from .taskwright/jobs: it was older than 30 days.';
  expect(info.mock.calls).toEqual([[text], [expect.stringContaining('Removed 2 jobs')]]);
  expect(showInformationMessage.mock.calls).toEqual([[text, 'Open Settings']]);
  await vi.waitFor(() =>
    expect(executeCommand).toHaveBeenCalledWith('workbench.action.openSettings', 'taskwright.runs'),
  );
});
