import { dirname, join, resolve } from 'node:path';
import { groupBy } from '../base/group-by.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { didYouMean, nearestWord } from '../base/nearest.ts';
import { kindOfType } from '../environments/kinds.ts';
import type { UserFunctions } from '../environments/user-functions.ts';
import { refusal } from '../language/findings/diagnose.ts';
import type { SelectedTask } from '../runs/selection/selected-task.ts';
import { addressOf, selectRow } from '../tasks/address.ts';
import { prepareToRead, readTasks } from '../tasks/read.ts';
import type { Task } from '../tasks/task.ts';
import { ServedError } from './served-environment.ts';

/** Where the served tasks come from. */
export interface TaskLoader {
  /** All tasks, as their files are now: the same list as long as no file has changed. Rejects with `ServedError`. */
  load(): Promise<readonly SelectedTask[]>;
  /** User-defined functions next to a file. */
  beside(file: string): Promise<UserFunctions>;
  /** Base of relative paths in addresses. */
  readonly cwd: string;
}

/** A task that can run, and its name. */
interface ChosenTask {
  readonly task: Task;
  readonly name: string;
}

/** The split of tasks that name none. */
const DEFAULT_SPLIT = 'train';
/** The keys of a task in the Task API. */
const SUMMARY_KEYS = new Set(['id', 'split', 'index', 'prompt', 'environment', 'tags', 'max_steps']);

/** The served tasks: what `reset` chooses from and the Task API lists. */
export class ServedTasks {
  readonly #loader: TaskLoader;
  readonly #seed: number;
  readonly #trustsClients: boolean;
  /** Number of resets that named no task. */
  #count = 0;
  /** The tasks that could run when the files were last read. */
  #cache: { readonly all: readonly SelectedTask[]; readonly runnable: readonly SelectedTask[] } | null = null;

  /**
   * @param seed decides the order of tasks for resets that name none
   * @param trustsClients whether tasks of clients may run programs on this machine
   */
  constructor(loader: TaskLoader, seed: number, trustsClients: boolean) {
    this.#loader = loader;
    this.#seed = seed;
    this.#trustsClients = trustsClients;
  }

  /** Rejects with `ServedError`. */
  async choose({ task, split, index, task_name: taskName }: JsonObject): Promise<ChosenTask> {
    if (task !== undefined && task !== null) {
      if (typeof task === 'string') return runnable(await this.#findTask(task));
      if (isObject(task)) return await this.#fromObject(task);
      throw new ServedError('bad_argument', '"task" is the id of a task, or an object.');
    }
    if (index !== undefined && index !== null) return runnable(await this.#at(split, index));
    if (typeof taskName === 'string' && taskName !== '') return runnable(await this.#findTask(taskName));
    return await this.#next(split);
  }

  async splits(): Promise<readonly string[]> {
    return [...new Set((await this.#runnable()).map(splitOf))];
  }

  /** The tasks of a split for the Task API. */
  async summaries(split: string): Promise<readonly JsonObject[]> {
    const tasks = (await this.#runnable()).filter((one) => splitOf(one) === split);
    const namesakes = groupBy(await this.#loader.load(), ({ row }) => row.name);
    return tasks.map((loaded, index) => {
      const { file, row } = loaded;
      const id = namesakes.get(row.name)?.length === 1 ? row.name : addressOf(file, row);
      return summaryOf(loaded, id, index);
    });
  }

  /** The paths of all task files. */
  async files(): Promise<readonly string[]> {
    return [...new Set((await this.#loader.load()).map(({ file }) => file.file))];
  }

  async #runnable(): Promise<readonly SelectedTask[]> {
    const all = await this.#loader.load();
    if (this.#cache?.all !== all) this.#cache = { all, runnable: all.filter(canRun) };
    return this.#cache.runnable;
  }

  async #findTask(id: string): Promise<SelectedTask> {
    const all = await this.#loader.load();
    const namesakes = all.filter(({ row }) => row.name === id);
    const isMeant = (loaded: SelectedTask): boolean =>
      isAt(loaded, id, this.#loader.cwd) || loaded.row.task?.env['task_name'] === id;
    const matches = namesakes.length > 0 ? namesakes : all.filter(isMeant);
    const [first, second] = matches;
    if (first === undefined) {
      const near = nearestWord(
        id,
        all.map(({ row }) => row.name),
      );
      throw new ServedError('unknown_task', `There is no task “${id}”${didYouMean(near) || '.'}`);
    }
    if (second === undefined) return first;
    const places = matches.map(({ file, row }) => addressOf(file, row)).join(', ');
    throw new ServedError('unknown_task', `Several tasks have the id “${id}”. Name one by its address: ${places}.`);
  }

  async #at(split: Json | undefined, index: Json): Promise<SelectedTask> {
    const name = split ?? DEFAULT_SPLIT;
    const tasks = (await this.#runnable()).filter((one) => splitOf(one) === name);
    const task = Number.isInteger(index) ? tasks.at(Number(index)) : undefined;
    if (task !== undefined) return task;
    const size = `It has ${tasks.length} task${tasks.length === 1 ? '' : 's'}`;
    throw new ServedError(
      'unknown_task',
      `There is no task ${JSON.stringify(index)} in the split “${String(name)}”. ${size}.`,
    );
  }

  /** The next task in an order that the seed of the server decides. Each task comes once before any comes again. */
  async #next(split: Json | undefined): Promise<ChosenTask> {
    const all = await this.#runnable();
    const tasks = split === undefined || split === null ? all : all.filter((one) => splitOf(one) === split);
    if (tasks.length === 0) {
      const what = tasks === all ? 'No task can run.' : `The split “${String(split)}” has no task that can run.`;
      throw new ServedError('unknown_task', what);
    }
    const round = Math.floor(this.#count / tasks.length);
    const position = this.#count % tasks.length;
    this.#count += 1;
    const task = shuffle(tasks, this.#seed + round)[position];
    if (task === undefined) throw new Error('The order has fewer tasks than the set.');
    return runnable(task);
  }

  /** A task that is not in a file: read as if it were in a file next to the first task. */
  async #fromObject(value: JsonObject): Promise<ChosenTask> {
    const { id } = value;
    if (typeof id === 'string' && Object.keys(value).every((key) => SUMMARY_KEYS.has(key))) {
      return runnable(await this.#findTask(id));
    }
    const [first] = await this.#loader.load();
    const file = join(first === undefined ? this.#loader.cwd : dirname(first.file.file), 'reset.task.json');
    await prepareToRead(file);
    const read = readTasks(file, JSON.stringify(value));
    const [row] = read.rows;
    if (row === undefined) throw new ServedError('bad_argument', '"task" is not a task.');
    const userFunctions = await this.#loader.beside(file);
    if (!this.#trustsClients) {
      const reason = whyNotData({ file: read, row, userFunctions });
      if (reason !== null) {
        const remedy = 'Put the task into a file of the server and name it, or start the server with --trust-clients.';
        throw new ServedError('bad_argument', `${reason} ${remedy}`);
      }
    }
    return runnable({ file: read, row, userFunctions });
  }
}

/** Whether Run accepts a task. */
export function canRun({ file, row, userFunctions }: SelectedTask): boolean {
  return row.task !== null && refusal(file, row, userFunctions) === null;
}

function runnable({ file, row, userFunctions }: SelectedTask): ChosenTask {
  const reason = refusal(file, row, userFunctions);
  if (reason !== null) throw new ServedError('bad_argument', `The task “${row.name}” cannot run: ${reason.message}`);
  if (row.task === null) throw new ServedError('bad_argument', `The task “${row.name}” cannot be read.`);
  return { task: row.task, name: row.name };
}

/** Why a task of a client would run more than built-in functions and a browser on this machine; null if it would not. */
function whyNotData({ file, row, userFunctions }: SelectedTask): string | null {
  const { task } = row;
  if (task === null) return null;
  const kind = kindOfType(task.env);
  if (kind !== null && (kind.hasDataTasks !== true || (kind.userTask?.(task.env) ?? null) !== null)) {
    return `A client cannot define a task of the type “${task.env.type}”, which can run programs on the server.`;
  }
  const runsWith = (own: UserFunctions): boolean => refusal(file, row, own) === null;
  if (runsWith(userFunctions) && !runsWith(new Map())) {
    return 'A task that a client defines cannot call functions of files on the server.';
  }
  return null;
}

/** Whether an address names a task. */
function isAt({ file, row }: SelectedTask, address: string, cwd: string): boolean {
  const hash = address.lastIndexOf('#');
  if (hash < 0 || resolve(cwd, address.slice(0, hash)) !== file.file) return false;
  return selectRow(file, address.slice(hash + 1)) === row;
}

function splitOf({ row }: SelectedTask): string {
  const split = row.task?.metadata['split'];
  return typeof split === 'string' && split !== '' ? split : DEFAULT_SPLIT;
}

/** The public part of a task: nothing that reveals its evaluate calls or its solution. `id`: what `reset` finds it by. */
function summaryOf(loadedTask: SelectedTask, id: string, index: number): JsonObject {
  const { task } = runnable(loadedTask);
  return {
    id,
    split: splitOf(loadedTask),
    index,
    prompt: task.prompt ?? '',
    environment: task.env.type,
    tags: task.tags,
    max_steps: task.max_steps,
  };
}

/** A permutation that depends on the seed only (Fisher and Yates). */
function shuffle<T>(values: readonly T[], seed: number): T[] {
  const random = mulberry32(seed);
  const result = [...values];
  for (let index = result.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}

/** A generator of numbers from 0 to 1 (mulberry32). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let hash = Math.imul(state ^ (state >>> 15), state | 1);
    hash ^= hash + Math.imul(hash ^ (hash >>> 7), hash | 61);
    return ((hash ^ (hash >>> 14)) >>> 0) / 2 ** 32;
  };
}
