import { type Json, type JsonObject, objectOf, textOf } from '../../base/json.ts';

/** One of an environment's own tasks. */
export interface OwnTask {
  readonly split: string;
  readonly index: number;
  /** What the environment says of it. */
  readonly task: Json;
}

/** Keys in which environments tell what is to be done, the likeliest first. */
const PROMPTS = ['prompt', 'instruction', 'question', 'goal', 'task'] as const;

/** The id by which a task of an environment can be run without a copy: `words/train/12`. */
export function ownTaskAddress(environment: string, { split, index }: OwnTask): string {
  return `${environment}/${split}/${index}`;
}

/** What the id of an own task says; null if it is another id. */
export function parseOwnTaskAddress(
  id: string,
): { readonly environment: string; readonly split: string; readonly index: number } | null {
  const [, environment, split, index] = /^([^/]+)\/(.+)\/(\d{1,15})$/.exec(id) ?? [];
  return environment === undefined || split === undefined ? null : { environment, split, index: Number(index) };
}

/** `train-12`, or what the environment calls it. */
export function ownTaskId({ split, index, task }: OwnTask): string {
  const id = objectOf(task)['id'] ?? objectOf(task)['task_id'];
  const text = typeof id === 'string' || typeof id === 'number' ? String(id) : '';
  // It becomes the name of a file of actions.
  return text === '' || /[/\\]/.test(text) ? `${split}-${index}` : text;
}

/** What is to be done, in the words of the environment; null if it does not say. */
export function ownTaskPrompt({ task }: OwnTask): string | null {
  if (typeof task === 'string') return task;
  return PROMPTS.map((key) => textOf(objectOf(task)[key])).find((text) => text !== null) ?? null;
}

/**
 * The row for one of an environment's own tasks, which is graded by the environment's reward.
 * @param row of a task in the same environment
 */
export function ownTaskRow(row: JsonObject, own: OwnTask, id: string): Json {
  const { evaluate: _evaluate, setup: _setup, id: _id, prompt, gym, ...rest } = row;
  const { task: _task, reset, ...environment } = objectOf(gym);
  const { task: _ofReset, ...args } = objectOf(reset);
  return {
    id,
    prompt: ownTaskPrompt(own) ?? prompt ?? '',
    ...rest,
    gym: { ...environment, reset: { ...args, split: own.split, index: own.index } },
  };
}
