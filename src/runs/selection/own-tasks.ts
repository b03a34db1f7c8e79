import { EnvironmentError } from '../../environments/environment.ts';
import { addressesOf } from '../../environments/openenv/addresses.ts';
import { readOpenEnv } from '../../environments/openenv/spec.ts';
import { readEnvironmentName, readOwnTasks, readSplits } from '../../environments/openenv/task-api.ts';
import { type OwnTask, ownTaskRow } from '../../language/actions/own-task.ts';
import { isObject } from '../../tasks/calls.ts';
import { describedTask } from '../../tasks/read.ts';
import type { Json } from '../../tasks/task.ts';
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

/** An OpenEnv environment with an address. */
interface Environment {
  /** Address of its server. */
  readonly http: string;
  /** The first task in the environment. */
  readonly first: Selected;
  readonly value: { readonly [key: string]: Json };
}

/**
 * The own tasks of the OpenEnv environments that have a `url`, by OpenEnv's Task API. Nothing is started. A server that
 * does not answer is a note.
 * @param tasks all tasks of the task files
 */
export function listOwnTasks(tasks: Iterable<Selected>): Promise<OwnTasks> {
  return askAll(tasks, async (environment) => {
    const { http } = environment;
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

/** The own tasks with an id such as `words/train/12`. Asks the servers for these tasks only. */
export async function findOwnTasks(id: string, tasks: Iterable<Selected>): Promise<OwnTasks> {
  const [, named, split, index] = /^([^/]+)\/(.+)\/(\d{1,15})$/.exec(id) ?? [];
  if (named === undefined || split === undefined) return { tasks: [], notes: [] };
  const at = Number(index);
  return askAll(tasks, async (environment) => {
    const { http } = environment;
    if ((await readEnvironmentName(http)) !== named) return { tasks: [], notes: [] };
    const count = (await readSplits(http))?.find(({ name }) => name === split)?.count ?? 0;
    const read = at < count ? await readOwnTasks(http, split, at, at + 1) : [];
    return { tasks: read.map((task) => registered(environment, named, { split, index: at, task })), notes: [] };
  });
}

async function askAll(
  tasks: Iterable<Selected>,
  ask: (environment: Environment) => Promise<OwnTasks>,
): Promise<OwnTasks> {
  const answers = await Promise.all(
    [...environmentsOf(tasks).values()].map((environment) =>
      ask(environment).catch((error: unknown) => {
        if (!(error instanceof EnvironmentError)) throw error;
        return { tasks: [], notes: [error.message] };
      }),
    ),
  );
  return { tasks: answers.flatMap((one) => one.tasks), notes: answers.flatMap((one) => one.notes) };
}

/** The environments of tasks by their addresses. */
function environmentsOf(tasks: Iterable<Selected>): ReadonlyMap<string, Environment> {
  const found = new Map<string, Environment>();
  for (const first of tasks) {
    const { task, value } = first.row;
    if (task?.env.type !== 'openenv' || !isObject(value) || !isObject(value['gym']) || containsUnknown(value)) continue;
    const spec = readOpenEnv(task.env);
    if ('problems' in spec || spec.place.kind !== 'url') continue;
    const { http } = addressesOf(spec.place.url);
    if (!found.has(http)) found.set(http, { http, first, value });
  }
  return found;
}

/** The task with the id by which it can be run. */
function registered({ first, value }: Environment, name: string, own: OwnTask): RegisteredTask {
  const id = `${name}/${own.split}/${own.index}`;
  const file = describedTask(first.file.file, first.row.range.start, ownTaskRow(value, own, id));
  const [row] = file.rows;
  if (row === undefined) throw new Error('a described task has no row');
  return { id, inCode: true, file, row, userFunctions: first.userFunctions };
}
