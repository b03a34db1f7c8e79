import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRun } from '../../src/traces/store.ts';
import { processes, type RunningProcess, startedFrom } from './processes.ts';
import { Workbench } from './workbench.ts';

/** The processes that serve tasks of a window. */
function serving({ dataFolder }: Workbench): RunningProcess[] {
  return processes().filter(({ command }) => command.includes(dataFolder) && command.includes('cli.js serve'));
}

/** A window that serves tasks and has a run in progress: one action is done, the next one waits for longer than any test. */
async function inMidRun(): Promise<Workbench> {
  const workbench = await Workbench.open({
    alone: true,
    files: { 'login/log-in.actions': "click('#remember')\nnoop(600000)\n" },
  });
  await workbench.openFile('login/login.taskset.json');
  // The command exists as soon as there are tasks.
  await workbench.lens('Run').first().waitFor();
  await workbench.command('Taskwright: Serve Tasks…');
  await workbench.choose(/capitals\.tasks\.jsonl/);
  await workbench.page.locator('.notification-toast', { hasText: 'Serving' }).waitFor();
  expect(serving(workbench)).toHaveLength(1);
  await workbench.command('Notifications: Clear All Notifications');
  await workbench.lens('Run').first().click();
  // The setup call and the first action.
  await expect.poll(() => workbench.steps.count()).toBe(2);
  return workbench;
}

/** What the folder of the only run holds, read anew. */
async function recorded(workbench: Workbench) {
  const jobs = join(workbench.folder, '.taskwright', 'jobs');
  // The job of the server that serves tasks has no runs.
  const entries = await readdir(jobs, { recursive: true, withFileTypes: true });
  const trace = entries.find(({ name }) => name === 'trace.jsonl');
  const opened = await openRun(trace?.parentPath ?? jobs);
  return { status: opened.record.status, sources: (await opened.steps()).map((step) => step.source) };
}

describe('A run is under way', () => {
  it('and the window is closed: nothing is left, and the trace opens with what had happened', async () => {
    await using workbench = await inMidRun();
    const ours = [...startedFrom(workbench.dataFolder), ...serving(workbench)].map(({ pid }) => pid);
    expect(ours.length).toBeGreaterThan(2);
    await workbench.closeWindow();
    await expect.poll(() => processes().filter(({ pid }) => ours.includes(pid))).toEqual([]);
    const { status, sources } = await recorded(workbench);
    expect(['cancelled', 'interrupted']).toContain(status);
    expect(sources.slice(0, 2)).toEqual(['setup', 'agent']);
  });

  it('and the extension host is killed: nothing is left, and the run is interrupted', async () => {
    await using workbench = await inMidRun();
    const started = startedFrom(workbench.dataFolder);
    const ours = [...started, ...serving(workbench)].map(({ pid }) => pid);
    const server = started.find(
      ({ command }) => command.includes('server.js') && !command.includes('server.js session'),
    );
    if (server === undefined) throw new Error('There is no environment server.');
    process.kill(server.parent, 'SIGKILL');
    await expect.poll(() => processes().filter(({ pid }) => ours.includes(pid))).toEqual([]);
    const { status, sources } = await recorded(workbench);
    expect(status).toBe('interrupted');
    expect(sources).toEqual(['setup', 'agent']);
  });
});
