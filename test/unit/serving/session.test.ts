import { expect, it } from 'vitest';
import type { RunInspector, Turn } from '../../../src/agents/agent.ts';
import type { StepResult } from '../../../src/environments/environment.ts';
import { ServedError } from '../../../src/serving/served-environment.ts';
import { RunningSession, type SessionHost } from '../../../src/serving/session.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import type { RunRecord } from '../../../src/traces/trace.ts';

const [row] = readTasks('/tasks/a.task.json', '{"id":"a","prompt":"Capital of France?","gym":"qa"}').rows;
const SEEN = {
  observation: { text: 'Capital of France?', screenshot: null },
  reward: null,
  terminated: false,
  info: {},
  error: null,
} as unknown as StepResult;

/** A session whose runs last until the client ends them. */
function openSession() {
  const runs: string[] = [];
  let preparations = 0;
  const host: SessionHost = {
    maxSteps: null,
    screenshots: false,
    choose: async ({ task }) => {
      if (task !== 'a' || row?.task === undefined || row.task === null) {
        throw new ServedError('unknown_task', 'There is no such task.');
      }
      return { task: row.task, name: 'a' };
    },
    prepare: async () => {
      preparations += 1;
      const runId = `run-${preparations}`;
      return {
        runId,
        cancel: () => undefined,
        run: async (client) => {
          runs.push(`${runId} began`);
          client.attach?.({ last: () => SEEN } as RunInspector);
          const turn: Turn = { ...SEEN, prompt: 'Capital of France?', step: 0, tools: [] };
          while ((await client.act(turn, new AbortController().signal)).actions !== null);
          runs.push(`${runId} ended`);
          return { status: 'completed', error: null, reward: 0, steps: 0, prompt: '' } as unknown as RunRecord;
        },
      };
    },
  };
  return { session: new RunningSession(host), runs };
}

it.each([{ task: 'b' }, { task: 'a', seed: 'x' }, { task: 'a', episode_id: 5 }])(
  'the episode goes on when reset(%s) is refused',
  async (args) => {
    const { session, runs } = openSession();
    await session.reset({ task: 'a', episode_id: 'mine' });
    const before = session.state();
    await expect(session.reset(args)).rejects.toThrow(ServedError);
    expect(session.state()).toEqual(before);
    expect(before).toMatchObject({ episode_id: 'mine', task_id: 'a' });
    await session.step("send_msg_to_user('Paris')");
    expect(runs).toEqual(['run-1 began']);
    await session.close(false);
    expect(runs).toEqual(['run-1 began', 'run-1 ended']);
  },
);

it('a reset ends the episode before the next one begins', async () => {
  const { session, runs } = openSession();
  await session.reset({ task: 'a' });
  await session.reset({ task: 'a' });
  expect(runs).toEqual(['run-1 began', 'run-1 ended', 'run-2 began']);
  await session.close(false);
  expect(session.state()).toMatchObject({ episode_id: null, step_count: 0, task_id: null, cum_reward: 0 });
});
