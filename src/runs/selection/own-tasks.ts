import { isObject, type JsonObject } from '../../base/json.ts';
import { EnvironmentError } from '../../environments/environment.ts';
import { kindOfType } from '../../environments/kinds.ts';
import { addressesOf } from '../../environments/openenv/addresses.ts';
import { type OpenEnvPlace, readOpenEnv } from '../../environments/openenv/spec.ts';
import { readEnvironmentName, readOwnTasks, readSplits } from '../../environments/openenv/task-api.ts';
import { type OwnTask, ownTaskAddress, ownTaskRow, parseOwnTaskAddress } from '../../language/actions/own-task.ts';
import { isServerError, type Placement } from '../../placement/placement.ts';
import { describedTask } from '../../tasks/read.ts';
import type { Task } from '../../tasks/task.ts';
import { containsUnknown } from '../../tasks/unknown.ts';
import type { RegisteredTask } from './registry.ts';
import type { SelectedTask } from './selected-task.ts';

/** The maximum number of tasks of a split that are listed. */
const MAX_LISTED = 10_000;
/** The number of tasks in one answer of a server. */
const AT_ONCE = 1000;

/** Own tasks of environments, and why others are missing. */
export interface OwnTasks {
  readonly tasks: readonly RegisteredTask[];
  readonly notes: readonly string[];
}

const NONE: OwnTasks = { tasks: [], notes: [] };

/** Calls `use` with the address of the server of a task's environment. */
export type WithServer = <T>(task: Task, use: (http: string) => Promise<T>) => Promise<T>;

/** Reaches servers of environments, which a placement starts if they have no address. */
export function serversOf(placementOf: (kind: 'local' | 'docker') => Promise<Placement>): WithServer {
  return async (task, use) => {
    const spec = readOpenEnv(task.env);
    if ('problems' in spec) throw new Error(spec.problems[0]?.message ?? '');
    if (spec.place.kind === 'url') return await use(addressesOf(spec.place.url).http);
    const placement = await placementOf(spec.place.kind === 'image' ? 'docker' : 'local');
    const lease = await placement.open(task, { progress: () => {} });
    try {
      return await use(lease.address ?? '');
    } finally {
      await lease.release();
    }
  };
}

/** An OpenEnv environment. */
interface Environment {
  readonly place: OpenEnvPlace;
  /** The first task in the environment. */
  readonly first: SelectedTask;
  readonly task: Task;
  readonly value: JsonObject;
}

/**
 * The own tasks of the OpenEnv environments that have a `url`, by OpenEnv's Task API. Nothing is started. A server that
 * does not answer is a note.
 * @param tasks all tasks of the task files
 */
export function listOwnTasks(tasks: Iterable<SelectedTask>): Promise<OwnTasks> {
  return askAll(tasks, null, async (environment, http) => {
    const [name, splits] = await Promise.all([readEnvironmentName(http), readSplits(http)]);
    if (name === null || splits === null) return NONE;
    const ownTasks: RegisteredTask[] = [];
    const notes: string[] = [];
    for (const { name: split, count } of splits) {
      const end = Math.min(count, MAX_LISTED);
      for (let from = 0; from < end; from += AT_ONCE) {
        const read = await readOwnTasks(http, split, from, Math.min(from + AT_ONCE, end));
        for (const [at, task] of read.entries()) {
          ownTasks.push(registerOwnTask(environment, name, { split, index: from + at, task }));
        }
      }
      if (count > end) notes.push(`${http} has ${count} tasks in “${split}”. The first ${end} are listed.`);
    }
    return { tasks: ownTasks, notes };
  });
}

/**
 * The own tasks with an id such as `words/train/12`. Asks the servers for these tasks only.
 * @param withServer for environments that have no `url`; null leaves them out
 */
export async function findOwnTasks(
  id: string,
  tasks: Iterable<SelectedTask>,
  withServer: WithServer | null = null,
): Promise<OwnTasks> {
  const own = parseOwnTaskAddress(id);
  if (own === null) return NONE;
  const { environment: environmentName, split, index: at } = own;
  return askAll(tasks, withServer, async (environment, http) => {
    if ((await readEnvironmentName(http)) !== environmentName) return NONE;
    const count = (await readSplits(http))?.find(({ name }) => name === split)?.count ?? 0;
    const read = at < count ? await readOwnTasks(http, split, at, at + 1) : [];
    return {
      tasks: read.map((task) => registerOwnTask(environment, environmentName, { split, index: at, task })),
      notes: [],
    };
  });
}

/**
 * The recorded own task of an environment that is started for runs, as long as a task of the file is in this environment.
 * Nothing is started.
 */
export function recordedOwnTask(
  { id, env, prompt }: Pick<Task, 'id' | 'env' | 'prompt'>,
  tasks: Iterable<SelectedTask>,
): RegisteredTask | undefined {
  const own = parseOwnTaskAddress(id ?? '');
  const spec = readOpenEnv(env);
  if (own === null || 'problems' in spec || spec.place.kind === 'url') return undefined;
  const place = JSON.stringify(spec.place);
  const environment = environmentsOf(tasks).find((one) => JSON.stringify(one.place) === place);
  return environment === undefined
    ? undefined
    : registerOwnTask(environment, own.environment, { ...own, task: { prompt } });
}

async function askAll(
  tasks: Iterable<SelectedTask>,
  withServer: WithServer | null,
  ask: (environment: Environment, http: string) => Promise<OwnTasks>,
): Promise<OwnTasks> {
  const askOne = async (environment: Environment): Promise<OwnTasks> => {
    const { place, task } = environment;
    try {
      if (place.kind === 'url') return await ask(environment, addressesOf(place.url).http);
      return (await withServer?.(task, (http) => ask(environment, http))) ?? NONE;
    } catch (error) {
      if (!(error instanceof EnvironmentError) && !isServerError(error)) throw error;
      return { tasks: [], notes: [error.message] };
    }
  };
  const answers = await Promise.all(environmentsOf(tasks).map(askOne));
  return { tasks: answers.flatMap((one) => one.tasks), notes: answers.flatMap((one) => one.notes) };
}

/** The environments of tasks, each once. */
function environmentsOf(tasks: Iterable<SelectedTask>): readonly Environment[] {
  const environments = new Map<string, Environment>();
  for (const first of tasks) {
    const { task, value } = first.row;
    if (task === null || kindOfType(task.env)?.hasOwnTasks !== true) continue;
    if (!isObject(value) || !isObject(value['gym']) || containsUnknown(value)) continue;
    const spec = readOpenEnv(task.env);
    if ('problems' in spec) continue;
    const { place } = spec;
    // The folder of an environment is relative to the file of the task.
    const key = place.kind === 'url' ? addressesOf(place.url).http : JSON.stringify([first.file.file, place]);
    if (!environments.has(key)) environments.set(key, { place, first, task, value });
  }
  return [...environments.values()];
}

/** The task with the id by which it can be run. */
function registerOwnTask({ first, value }: Environment, name: string, own: OwnTask): RegisteredTask {
  const id = ownTaskAddress(name, own);
  const file = describedTask(first.file.file, first.row.range.start, ownTaskRow(value, own, id));
  const [row] = file.rows;
  if (row === undefined) throw new Error('a described task has no row');
  return { id, inCode: true, file, row, userFunctions: first.userFunctions };
}
