import { type Json, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { digitsOf, isNumber } from '../../base/raw-number.ts';

/** One of an environment's own tasks. */
export interface OwnTask {
  readonly split: string;
  readonly index: number;
  /** As the environment describes it. */
  readonly task: Json;
}

/** Keys under which environments describe the goal, the most likely first. */
const PROMPTS = ['prompt', 'instruction', 'question', 'goal', 'task'] as const;

/** The id by which a task of an environment can be run without a copy: `words/train/12`. */
export function ownTaskAddress(environment: string, { split, index }: OwnTask): string {
  return `${environment}/${split}/${index}`;
}

/** The parts of the address of an own task; null if the id is not such an address. */
export function parseOwnTaskAddress(
  id: string,
): { readonly environment: string; readonly split: string; readonly index: number } | null {
  const [, environment, split, index] = /^([^/]+)\/(.+)\/(\d{1,15})$/.exec(id) ?? [];
  return environment === undefined || split === undefined ? null : { environment, split, index: Number(index) };
}

/** `train-12`, or what the environment calls it. */
export function ownTaskId({ split, index, task }: OwnTask): string {
  const id = objectOf(task)['id'] ?? objectOf(task)['task_id'];
  const text = isNumber(id) ? digitsOf(id) : (textOf(id) ?? '');
  // It becomes the name of a file of actions.
  return text === '' || /[/\\]/.test(text) ? `${split}-${index}` : text;
}

/** The goal, as the environment describes it; null if it does not. */
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
