import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { firstLine } from '../../../base/first-line.ts';
import type { JsonObject } from '../../../base/json.ts';
import { didYouMean, nearestWord } from '../../../base/nearest.ts';
import { fold } from '../../../functions/page/page-text.ts';
import { readPage } from '../../../functions/page/read-page.ts';
import { loadUserFunctions } from '../../../functions/user/load.ts';
import { FailedClass, PythonTask, WrongResult } from '../../../functions/user/python/tasks.ts';
import { taskModule } from '../../../functions/user/task-module.ts';
import { EnvironmentError } from '../../environment.ts';
import { openAddress } from '../acting/navigation.ts';
import { LIMITS, OutOfTime, within } from '../limits.ts';
import { type Tab, VIEWPORT } from '../pages/tab.ts';
import type { TaskPages } from '../pages/task-pages.ts';
import type { Benchmark, Judgement, StepActions } from './benchmark.ts';
import { type Method, pythonClass, type ReadPage, scriptClass, type TaskClass } from './task-class.ts';

/** The time limit of a method of a user-defined class in ms, the same as that of an evaluate call. */
const METHOD_LIMIT = 30_000;
/** How often a page is read if it navigates meanwhile. */
const READS = 3;

/**
 * The custom task of that name in the folder. Its class is reloaded if its file has changed.
 *
 * @throws EnvironmentError `start_failed` if there is none, `task_failed` if the class cannot be instantiated
 */
export async function openCustomTask(name: string, folder: string, seed: number): Promise<Benchmark> {
  const own = await loadUserFunctions(folder);
  const script = own.tasks.get(name);
  try {
    if (script !== undefined) return new CustomTask(name, scriptClass(script), folder);
    const result = await PythonTask.open(name, folder, seed);
    if (result instanceof PythonTask) return new CustomTask(name, pythonClass(result), folder);
    const why = [...own.failures.map(({ message }) => message), ...result.failures];
    throw new EnvironmentError(
      'start_failed',
      await explainMissing(name, folder, why, [...own.tasks.keys(), ...result.names]),
    );
  } catch (error) {
    if (!(error instanceof FailedClass)) throw error;
    throw taskFailure(name, error.where, error.message, error.cause);
  }
}

async function explainMissing(
  name: string,
  folder: string,
  failures: readonly string[],
  names: readonly string[],
): Promise<string> {
  const module = await taskModule(folder);
  const why = [...failures, ...(module !== null && 'refusal' in module ? [module.refusal] : [])];
  const near = didYouMean(nearestWord(name, names));
  const because = why.length > 0 ? ` (${why.join('; ')})` : '';
  return `no custom task “${name}” is registered next to the task file${because}${near || `: write registerCustomTask(${JSON.stringify(name)}, YourClass) in a *.functions.ts file, or register_custom_task(${JSON.stringify(name)}, YourClass) in a Python file`}`;
}

/** One episode of a user-defined class, judged after each step. */
class CustomTask implements Benchmark {
  readonly viewport = VIEWPORT;
  readonly scale = 1;
  readonly scrollBars = false;
  readonly limits = LIMITS;
  readonly folder = null;
  readonly dialect = 'own';
  readonly maxSteps: number;
  warning: string | null = null;
  readonly #name: string;
  readonly #task: TaskClass;
  readonly #filesFolder: string;
  #taskPages: TaskPages | null = null;
  /** Whether a method did not return in time. */
  #isLate = false;

  constructor(name: string, task: TaskClass, folder: string) {
    this.#name = name;
    this.#task = task;
    this.#filesFolder = folder;
    this.maxSteps = task.maxSteps;
  }

  async prepare(_context: unknown, taskPages: TaskPages): Promise<void> {
    this.#taskPages = taskPages;
  }

  async start(tab: Tab, seed: number): Promise<string> {
    const first = await this.#call('html', () => this.#task.firstPage(seed, this.#filesFolder));
    try {
      await this.#taskPages?.serve();
      const url = 'html' in first ? (this.#taskPages?.show(first.html) ?? '') : first.url;
      await openAddress(tab, url, this.limits);
    } catch (error) {
      const message = `the custom task “${this.#name}” cannot start: ${firstLine(error)}`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    }
    const goal = await this.#call('goal', () => this.#task.goal());
    if (this.#task.warnAtStart !== undefined) {
      const { page } = tab;
      this.warning = await this.#read(page, (facts) =>
        this.#call('extract', async () => (await this.#task.warnAtStart?.(page, facts)) ?? null),
      );
    }
    return goal;
  }

  async judge(tab: Tab, { action, error }: StepActions): Promise<Judgement> {
    const { page } = tab;
    const read = await this.#read(page, async (facts) => ({
      ...facts,
      custom_data: await this.#call('extract', () => this.#task.extract(page, facts)),
    }));
    const reward = await this.#call('reward', () => this.#task.reward(page, read, action, error));
    const done = await this.#call('done', () => this.#task.done(page, read));
    const info = { done, custom_data: read.custom_data as JsonObject };
    return { reward, terminated: done, atRest: true, info };
  }

  /** Reads the page for the class; again if the page navigates meanwhile. */
  async #read<T>(page: Page, use: (facts: ReadPage) => Promise<T>): Promise<T> {
    for (let left = READS - 1; ; left--) {
      try {
        const facts = Promise.all([page.title(), page.content(), readPage(page, { explain: false })]);
        const [title, content, { text }] = await within(this.limits.observe, 'the page', facts);
        return await use({ url: page.url(), title, text: fold(text), content });
      } catch (error) {
        if (left > 0 && !(error instanceof OutOfTime) && !this.#isLate && !page.isClosed()) continue;
        throw error;
      }
    }
  }

  async #call<T>(method: Method, run: () => Promise<T>): Promise<T> {
    const name = this.#task.methods[method];
    try {
      const running = Promise.resolve().then(run);
      // No time limit with a debugger, which may stop in the method.
      return await (this.#task.isDebugged() ? running : within(METHOD_LIMIT, `${name}()`, running));
    } catch (error) {
      if (error instanceof OutOfTime) {
        this.#isLate = true;
        this.#task.abandon();
      }
      const { file } = this.#task;
      if (error instanceof WrongResult) throw taskFailure(this.#name, file, error.message);
      throw taskFailure(this.#name, file + this.#task.placeOf(error), `${name}() failed: ${firstLine(error)}`, error);
    }
  }
}

/** @param where path of the file of the class, and optionally the line and the column */
function taskFailure(name: string, where: string, message: string, cause?: unknown): EnvironmentError {
  const options = cause === undefined ? {} : { cause };
  return new EnvironmentError('task_failed', `The custom task “${name}” (${basename(where)}): ${message}`, options);
}
