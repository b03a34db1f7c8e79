import { EnvironmentError } from '../../environments/environment.ts';
import { addressesOf } from '../../environments/openenv/addresses.ts';
import { type OpenEnvPlace, readOpenEnv } from '../../environments/openenv/spec.ts';
import { readEnvironmentName, readOwnTasks, readSplits } from '../../environments/openenv/task-api.ts';
import { type OwnTask, ownTaskAddress, ownTaskRow } from '../../language/actions/own-task.ts';
import { isObject } from '../../tasks/calls.ts';
import { describedTask } from '../../tasks/read.ts';
import type { Json, Task } from '../../tasks/task.ts';
import { containsUnknown } from '../../tasks/unknown.ts';
import type { RegisteredTask } from './registry.ts';
import type { Selected } from './selected.ts';

/** The maximum number of tasks of a split that are listed. */
const MAX_LISTED = 10_000;
/** The number of tasks in one answer of a server. */
const AT_ONCE = 1000;

/** Own tasks of environments, and why others are missing. */
export interface OwnTasks {
  readonly tasks: readonly RegisteredTask[];
  readonly notes: readonly string[];
}

/** Calls `use` with the address of the server of a task's environment. */
export type WithServer = <T>(task: Task, use: (http: string) => Promise<T>) => Promise<T>;

/** An OpenEnv environment. */
interface Environment {
  readonly place: OpenEnvPlace;
  /** The first task in the environment. */
  readonly first: Selected;
  readonly task: Task;
  readonly value: { readonly [key: string]: Json };
}

/**
 * The own tasks of the OpenEnv environments that have a `url`, by OpenEnv's Task API. Nothing is started. A server that
 * does not answer is a note.
 * @param tasks all tasks of the task files
 */
export function listOwnTasks(tasks: Iterable<Selected>): Promise<OwnTasks> {
  return askAll(tasks, null, async (environment, http) => {
    const [name, splits] = await Promise.all([readEnvironmentName(http), readSplits(http)]);
    if (name === null || splits === null) return { tasks: [], notes: [] };
    const found: RegisteredTask[] = [];
    const notes: string[] = [];
    for (const { name: split, count } of splits) {
      const end = Math.min(count, MAX_LISTED);
      for (let from = 0; from < end; from += AT_ONCE) {
        const read = await readOwnTasks(http, split, from, Math.min(from + AT_ONCE, end));
        for (const [at, task] of read.entries()) {
          found.push(registered(environment, name, { split, index: from + at, task }));
        }
      }
      if (count > end) notes.push(`${http} has ${count} tasks in “${split}”. The first ${end} are listed.`);
    }
    return { tasks: found, notes };
  });
}

/**
 * The own tasks with an id such as `words/train/12`. Asks the servers for these tasks only.
 * @param withServer for environments that have no `url`; null leaves them out
 */
export async function findOwnTasks(
  id: string,
  tasks: Iterable<Selected>,
  withServer: WithServer | null = null,
): Promise<OwnTasks> {
  const [, named, split, index] = /^([^/]+)\/(.+)\/(\d{1,15})$/.exec(id) ?? [];
  if (named === undefined || split === undefined) return { tasks: [], notes: [] };
  const at = Number(index);
  return askAll(tasks, withServer, async (environment, http) => {
    if ((await readEnvironmentName(http)) !== named) return { tasks: [], notes: [] };
    const count = (await readSplits(http))?.find(({ name }) => name === split)?.count ?? 0;
    const read = at < count ? await readOwnTasks(http, split, at, at + 1) : [];
    return { tasks: read.map((task) => registered(environment, named, { split, index: at, task })), notes: [] };
  });
}

async function askAll(
  tasks: Iterable<Selected>,
  withServer: WithServer | null,
  ask: (environment: Environment, http: string) => Promise<OwnTasks>,
): Promise<OwnTasks> {
  const askOne = (environment: Environment): Promise<OwnTasks> => {
    const { place, task } = environment;
    if (place.kind === 'url') return ask(environment, addressesOf(place.url).http);
    return withServer === null
      ? Promise.resolve({ tasks: [], notes: [] })
      : withServer(task, (http) => ask(environment, http));
  };
  const answers = await Promise.all(
    environmentsOf(tasks).map((environment) =>
      askOne(environment).catch((error: unknown) => {
        if (!(error instanceof EnvironmentError)) throw error;
        return { tasks: [], notes: [error.message] };
      }),
    ),
  );
  return { tasks: answers.flatMap((one) => one.tasks), notes: answers.flatMap((one) => one.notes) };
}

/** The environments of tasks, each once. */
function environmentsOf(tasks: Iterable<Selected>): readonly Environment[] {
  const found = new Map<string, Environment>();
  for (const first of tasks) {
    const { task, value } = first.row;
    if (task?.env.type !== 'openenv' || !isObject(value) || !isObject(value['gym']) || containsUnknown(value)) continue;
    const spec = readOpenEnv(task.env);
    if ('problems' in spec) continue;
    const { place } = spec;
    // The folder of an environment is relative to the file of the task.
    const key = place.kind === 'url' ? addressesOf(place.url).http : JSON.stringify([first.file.file, place]);
    if (!found.has(key)) found.set(key, { place, first, task, value });
  }
  return [...found.values()];
}

/** The task with the id by which it can be run. */
function registered({ first, value }: Environment, name: string, own: OwnTask): RegisteredTask {
  const id = ownTaskAddress(name, own);
  const file = describedTask(first.file.file, first.row.range.start, ownTaskRow(value, own, id));
  const [row] = file.rows;
  if (row === undefined) throw new Error('a described task has no row');
  return { id, inCode: true, file, row, userFunctions: first.userFunctions };
}
