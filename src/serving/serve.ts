import { version } from '../../package.json';
import type { Placement } from '../placement/placement.ts';
import type { RunListener } from '../runs/events.ts';
import type { Job } from '../runs/job/job.ts';
import { toRunError } from '../runs/run/failure.ts';
import type { Task } from '../tasks/task.ts';
import type { RunLimits } from '../traces/limits.ts';
import { newGroupId, newRunId } from '../traces/names.ts';
import type { RunRecord } from '../traces/trace.ts';
import type { Listening, ListenOptions } from './http/main.ts';
import { ACTION_SCHEMA, OBSERVATION_SCHEMA, STATE_SCHEMA } from './observation.ts';
import { type ServedEnvironment, ServedError } from './served-environment.ts';
import { RunningSession, type SessionHost, type StartedRun } from './session.ts';
import { ServedTasks, type TaskLoader } from './tasks.ts';

export { isLoopback } from './http/guard.ts';

/** The name of the environment in the Task API and in `openenv.yaml`. */
export const ENVIRONMENT_NAME = 'taskwright';

export interface ServeOptions extends ListenOptions {
  readonly loader: TaskLoader;
  /** Decides the order of tasks for resets that name none. */
  readonly seed: number;
  readonly limits: RunLimits;
  /** Whether tasks that clients define may run programs on this machine. */
  readonly trustsClients: boolean;
  /** Whether observations have screenshots, which are most of their size. */
  readonly screenshots: boolean;
  /** Whether text typed into password fields is masked in what is recorded. */
  readonly mask: boolean;
  /** The job that the runs of all sessions belong to. */
  readonly job: Job;
  /** Base of relative paths in agents. */
  readonly cwd: string;
  /** Where a task runs. `port`: of the server, which pages of the task must not reach. */
  placement(task: Task, port: number): Promise<Placement>;
  /** Called when a run has ended. */
  ended(record: RunRecord): void;
  log(text: string): void;
}

/** Serves tasks as an OpenEnv server does, until it is closed. Rejects with a system error if it cannot listen. */
export async function serveTasks(options: ServeOptions): Promise<Listening> {
  const tasks = new ServedTasks(options.loader, options.seed, options.trustsClients);
  const port = Promise.withResolvers<number>();
  const host: SessionHost = {
    choose: (args) => tasks.choose(args),
    prepare: async (task, seed) => prepare(options, tasks, task, seed, await port.promise),
    maxSteps: options.limits.max_steps ?? null,
    screenshots: options.screenshots,
  };
  const environment: ServedEnvironment = {
    name: ENVIRONMENT_NAME,
    description: options.trustsClients
      ? 'Tasks for agents, served by Taskwright. Tasks that clients define can run programs on the server (--trust-clients).'
      : 'Tasks for agents, served by Taskwright.',
    version,
    schemas: { action: ACTION_SCHEMA, observation: OBSERVATION_SCHEMA, state: STATE_SCHEMA },
    splits: () => tasks.splits(),
    tasks: (split) => tasks.summaries(split),
    open: () => new RunningSession(host),
  };
  // A separate file, which is loaded only when tasks are served.
  const { listen } = await import('./http/main.ts');
  const listening = await listen(environment, options);
  port.resolve(listening.port);
  return listening;
}

async function prepare(
  options: ServeOptions,
  tasks: ServedTasks,
  task: Task,
  seed: number,
  port: number,
): Promise<StartedRun> {
  const { job, cwd, limits, mask } = options;
  const placement = await options.placement(task, port).catch((error: unknown) => {
    throw new ServedError('task_failed', toRunError(error).message, { cause: error });
  });
  const taskFiles = await tasks.files();
  const runId = newRunId(task);
  const cancellation = new AbortController();
  return {
    runId,
    cancel: () => cancellation.abort(),
    run: async (client) => {
      const plan = { task, agent: 'served', client, runId, groupId: newGroupId(), seed, cwd, taskFiles, limits, mask };
      const listen: RunListener = (event) => {
        if (event.type === 'log') options.log(event.text);
      };
      const record = await job.run(plan, placement, listen, cancellation.signal);
      options.ended(record);
      return record;
    },
  };
}
