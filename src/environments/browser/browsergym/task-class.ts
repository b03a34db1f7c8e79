import { realpath } from 'node:fs/promises';
import { url as debuggerUrl } from 'node:inspector';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { firstLine } from '../../../base/first-line.ts';
import { locationInTrace, locationOfError } from '../../../functions/user/error-location.ts';
import type { CustomTaskClass } from '../../../functions/user/load.ts';
import { isPythonDebugged } from '../../../functions/user/python/functions.ts';
import { FailedClass, type PythonTask, WrongResult } from '../../../functions/user/python/tasks.ts';
import type { CustomBrowserTask, PageData } from '../../../functions/user/taskwright.ts';
import { TASK_ORIGIN } from '../pages/page-files.ts';

/** The methods of a class that are called. */
export type Method = 'html' | 'goal' | 'extract' | 'reward' | 'done';

/** What every class gets of the page. */
export type ReadPage = Omit<PageData, 'custom_data'>;

/** An instance of a user-defined class. Methods reject with what the user's code throws, or with `WrongResult`. */
export interface TaskClass {
  /** Absolute path of the file of the class. */
  readonly file: string;
  readonly maxSteps: number;
  /** The names that its methods have. */
  readonly methods: Readonly<Record<Method, string>>;
  firstPage(seed: number, folder: string): Promise<{ readonly html: string } | { readonly url: string }>;
  goal(): Promise<string>;
  /** A warning about the first page; null if there is none. */
  warnAtStart?(page: Page, facts: ReadPage): Promise<string | null>;
  extract(page: Page, facts: ReadPage): Promise<Readonly<Record<string, unknown>>>;
  reward(page: Page, data: PageData, action: string, error: string | null): Promise<number>;
  done(page: Page, data: PageData): Promise<boolean>;
  isDebugged(): boolean;
  /** Called when a method has not returned in time. */
  abandon(): void;
  /** Where in the file of the class an error arose: `:12:5`; empty if it is unknown. */
  placeOf(error: unknown): string;
}

/**
 * A class in TypeScript or JavaScript.
 *
 * @throws FailedClass if it cannot be instantiated
 */
export function scriptClass({ file, task }: CustomTaskClass): TaskClass {
  const placeOf = (error: unknown): string => {
    const place = locationOfError(error, file);
    return place === undefined ? '' : `:${place.line}:${place.column}`;
  };
  const instance = instantiate();
  const { maxSteps } = instance;
  if (!(Number.isSafeInteger(maxSteps) && maxSteps >= 1)) {
    throw new FailedClass(file, `its maxSteps is ${String(maxSteps)}: a whole number from 1 is needed`);
  }
  return {
    file,
    maxSteps,
    methods: { html: 'html', goal: 'goal', extract: 'extract', reward: 'reward', done: 'done' },
    firstPage: async (seed) => ({ html: checkText('html', await instance.html(seed), 'the HTML of a page') }),
    goal: async () => checkText('goal', await instance.goal(), 'a text'),
    extract: async (page) => jsonOf(await instance.extract(page)),
    reward: async (_page, data, action, error) => {
      const reward: unknown = await instance.reward(data, action, error);
      if (typeof reward !== 'number' || !Number.isFinite(reward))
        throw wrongResult('reward', reward, 'a finite number');
      return reward;
    },
    done: async (_page, data) => {
      const done: unknown = await instance.done(data);
      if (typeof done !== 'boolean') throw wrongResult('done', done, 'true or false');
      return done;
    },
    isDebugged: () => debuggerUrl() !== undefined,
    // A method that awaits something cannot be stopped.
    abandon: () => undefined,
    placeOf,
  };

  function instantiate(): CustomBrowserTask {
    try {
      return new task();
    } catch (error) {
      throw new FailedClass(file + placeOf(error), `the constructor failed: ${firstLine(error)}`, error);
    }
  }
}

/** A copy of the data of `extract`, which must be JSON because it is recorded in the trace. */
function jsonOf(data: unknown): Readonly<Record<string, unknown>> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(data));
  } catch (error) {
    throw new WrongResult(`the result of extract() failed: ${firstLine(error)}`);
  }
  if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) throw wrongResult('extract', data, 'an object');
  return copy as Readonly<Record<string, unknown>>;
}

/** A class in Python, as in OpenEnv's proposal. */
export function pythonClass(task: PythonTask): TaskClass {
  const { file, maxSteps } = task;
  return {
    file,
    maxSteps,
    methods: {
      html: '_get_task_url',
      goal: '_get_goal_description',
      extract: '_extract_observation',
      reward: '_calculate_reward',
      done: '_check_done',
    },
    firstPage: async (_seed, folder) => {
      const page = await task.page();
      return 'html' in page ? page : { url: await servedAddress(page.url, folder) };
    },
    goal: () => task.goal(),
    warnAtStart: async (page, facts) => {
      const { reward, done } = await task.first(page, facts);
      if (!done && reward < 1) return null;
      const result = done ? '_check_done() is true' : `_calculate_reward() is ${reward}`;
      return `${result} for the first page, before the agent has acted: any action solves this task. Look for a success message that is in the page from the start, but hidden; \`page_data["text"]\` without _extract_observation() has visible text only`;
    },
    extract: (page, facts) => task.extract(page, facts),
    reward: (page, _data, action, error) => task.reward(page, action, error),
    done: (page) => task.done(page),
    isDebugged: isPythonDebugged,
    abandon: () => task.end(),
    placeOf: (error) => {
      const place = error instanceof Error ? locationInTrace(error.stack ?? '', file) : undefined;
      return place === undefined ? '' : `:${place.line}`;
    },
  };
}

/**
 * The address of a page that a Python class names: a file in the folder of the tasks, as a path or as a `file:` URL, is
 * served at the origin of the task's pages.
 */
async function servedAddress(address: string, folder: string): Promise<string> {
  if (/^(?:https?:|about:)/i.test(address)) return address;
  const [, plain = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(address) ?? [];
  const isUrl = /^file:/i.test(plain);
  let path: string;
  try {
    path = isUrl ? fileURLToPath(plain) : resolve(folder, plain);
  } catch {
    throw new WrongResult(`_get_task_url() returned ${JSON.stringify(address)}, which is not the URL of a file`);
  }
  let below: string;
  try {
    below = relative(await realpath(folder), await realpath(path));
  } catch {
    throw new WrongResult(`_get_task_url() returned ${JSON.stringify(address)}, but this file does not exist`);
  }
  if (below === '' || below.startsWith('..') || isAbsolute(below)) {
    throw new WrongResult(
      `_get_task_url() returned ${JSON.stringify(address)}, a file outside of the folder of the tasks. Move it there`,
    );
  }
  return `${TASK_ORIGIN}/${below.split(sep).map(encodeURIComponent).join('/')}${rest}`;
}

function checkText(method: Method, result: unknown, expectation: string): string {
  if (typeof result === 'string') return result;
  throw wrongResult(method, result, expectation);
}

function wrongResult(method: Method, value: unknown, expectation: string): WrongResult {
  const description = typeof value === 'number' || value === undefined || value === null ? String(value) : typeof value;
  return new WrongResult(`${method}() returned ${description}: ${expectation} is needed`);
}
