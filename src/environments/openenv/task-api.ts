import * as z from 'zod';
import type { Json } from '../../base/json.ts';
import { parseExactJson } from '../../base/raw-number.ts';
import { serverError } from './connection-error.ts';
import { ask } from './server-info.ts';

/** A named part of an environment's own tasks. */
export interface Split {
  readonly name: string;
  readonly count: number;
}

const namesSchema = z.array(z.string()).min(1);
const splitsSchema = z.array(z.looseObject({ name: z.string() }));
const countSchema = z.looseObject({ num_tasks: z.number().int().min(0) });
const tasksSchema = z.looseObject({ tasks: z.array(z.custom<Json>((value) => value !== undefined)) });

/**
 * The environment's own tasks, by OpenEnv's Task API; null if it has none. Rejects with `EnvironmentError`.
 * @param http address of the server
 */
export async function readSplits(http: string): Promise<readonly Split[] | null> {
  const name = await environmentPath(http);
  // All servers have the routes, but only those of an environment with tasks of its own support this one.
  const splits = name === null ? null : await answer(http, `/${name}/splits`, splitsSchema);
  if (splits === null) return null;
  return Promise.all(
    splits.map(async ({ name: split }) => {
      const total = await answer(http, `/${name}/num_tasks`, countSchema, { split });
      return { name: split, count: total?.num_tasks ?? 0 };
    }),
  );
}

/** Tasks of a split, from one index up to another one. Rejects with `EnvironmentError`. */
export async function readOwnTasks(http: string, split: string, from: number, to: number): Promise<readonly Json[]> {
  const name = await environmentPath(http);
  const range = await answer(http, `/${name}/task_range`, tasksSchema, { split, start: from, stop: to });
  if (range !== null) return range.tasks;
  // Environments must support the list, but not a range of it.
  return ((await answer(http, `/${name}/tasks`, tasksSchema, { split }))?.tasks ?? []).slice(from, to);
}

/** The name of the environment in the Task API; null if the server does not have the API. Rejects with `EnvironmentError`. */
export async function readEnvironmentName(http: string): Promise<string | null> {
  return (await answer(http, '/list_environments', namesSchema))?.[0] ?? null;
}

async function environmentPath(http: string): Promise<string | null> {
  const name = await readEnvironmentName(http);
  return name === null ? null : encodeURIComponent(name);
}

/** Null if the server does not support it. */
async function answer<T>(http: string, path: string, schema: z.ZodType<T>, body?: object): Promise<T | null> {
  const url = `${http}${path}`;
  const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await ask(url, http, body === undefined ? {} : post);
  if (response.status === 404 || response.status === 501) return null;
  const text = await response.text();
  if (!response.ok) {
    const what = `answers ${path} with HTTP status ${response.status}: ${text.slice(0, 300)}`;
    throw serverError('environment_failed', http, what);
  }
  try {
    return schema.parse(parseExactJson(text));
  } catch (error) {
    const what = `answers ${path} in another form than OpenEnv’s Task API.`;
    throw serverError('environment_failed', http, what, { cause: error });
  }
}
