import { url as debuggerUrl } from 'node:inspector';
import { basename } from 'node:path';
import type { Page } from 'playwright-core';
import { fold } from '../../../functions/page/page-text.ts';
import { readPage } from '../../../functions/page/read-page.ts';
import { type CustomTaskClass, loadUserFunctions, type UserFunctionSet } from '../../../functions/user/load.ts';
import { placeOfError } from '../../../functions/user/place.ts';
import { taskModule } from '../../../functions/user/task-module.ts';
import type { CustomBrowserTask, PageData } from '../../../functions/user/taskwright.ts';
import { didYouMean, nearestWord } from '../../../tasks/nearest.ts';
import type { Json } from '../../../tasks/task.ts';
import { EnvironmentError } from '../../environment.ts';
import { openAddress } from '../acting/navigation.ts';
import { LIMITS, OutOfTime, within } from '../limits.ts';
import { VIEWPORT } from '../pages/session-state.ts';
import type { Tab } from '../pages/tab.ts';
import type { TaskPages } from '../pages/task-pages.ts';
import type { Benchmark, Judgement, StepActions } from './benchmark.ts';

/** The time limit of a method of a user-defined class in ms, the same as that of an evaluate call. */
const METHOD_LIMIT = 30_000;
/** How often a page is read if it navigates meanwhile. */
const READS = 3;

/** The methods of a class that are called. */
type Method = 'html' | 'goal' | 'extract' | 'reward' | 'done';

/**
 * The custom task of that name in the folder. Its class is reloaded if its file has changed.
 *
 * @throws EnvironmentError `start_failed` if there is none, `task_failed` if the class cannot be instantiated
 */
export async function openCustomTask(name: string, folder: string): Promise<Benchmark> {
  const own = await loadUserFunctions(folder);
  const found = own.tasks.get(name);
  if (found === undefined) throw new EnvironmentError('start_failed', await whyMissing(name, folder, own));
  return new CustomTask(name, found);
}

async function whyMissing(name: string, folder: string, { tasks, failures }: UserFunctionSet): Promise<string> {
  const named = await taskModule(folder);
  const why = failures.map(({ message }) => message);
  if (named !== null && 'refused' in named) why.push(named.refused);
  if (named !== null && 'python' in named) why.push(`${basename(named.python)} is Python, which is not run`);
  const near = didYouMean(nearestWord(name, tasks.keys()));
  const because = why.length > 0 ? ` (${why.join('; ')})` : '';
  return `no custom task “${name}” is registered next to the task file${because}${near || `: write registerCustomTask(${JSON.stringify(name)}, YourClass) in a *.functions.ts file`}`;
}

/** One episode of a user-defined `CustomBrowserTask`, judged after each step. */
class CustomTask implements Benchmark {
  readonly viewport = VIEWPORT;
  readonly scale = 1;
  readonly scrollBars = false;
  readonly limits = LIMITS;
  readonly folder = null;
  readonly dialect = 'own';
  readonly maxSteps: number | null;
  readonly #name: string;
  readonly #file: string;
  readonly #task: CustomBrowserTask;
  #taskPages: TaskPages | null = null;

  constructor(name: string, { file, task }: CustomTaskClass) {
    this.#name = name;
    this.#file = file;
    try {
      this.#task = new task();
    } catch (error) {
      throw this.#failure('the constructor', error);
    }
    const { maxSteps } = this.#task;
    if (!(Number.isSafeInteger(maxSteps) && maxSteps >= 1)) {
      throw this.#wrong(`its maxSteps is ${String(maxSteps)}: a whole number from 1 is needed`);
    }
    this.maxSteps = maxSteps;
  }

  async prepare(_context: unknown, taskPages: TaskPages): Promise<void> {
    this.#taskPages = taskPages;
  }

  async start(tab: Tab, seed: number): Promise<string> {
    const html = await this.#call('html', () => this.#task.html(seed));
    if (typeof html !== 'string') throw this.#returned('html', html, 'the HTML of a page');
    try {
      await openAddress(tab, this.#taskPages?.show(html) ?? '', this.limits);
    } catch (error) {
      const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw new EnvironmentError('start_failed', `the custom task “${this.#name}” cannot start: ${why}`, {
        cause: error,
      });
    }
    const goal = await this.#call('goal', () => this.#task.goal());
    if (typeof goal !== 'string') throw this.#returned('goal', goal, 'a text');
    return goal;
  }

  async judge(tab: Tab, { action, error }: StepActions): Promise<Judgement> {
    const page = await this.#read(tab.page);
    const reward = await this.#call('reward', () => this.#task.reward(page, action, error));
    if (typeof reward !== 'number' || !Number.isFinite(reward)) {
      throw this.#returned('reward', reward, 'a finite number');
    }
    const done = await this.#call('done', () => this.#task.done(page));
    if (typeof done !== 'boolean') throw this.#returned('done', done, 'true or false');
    const info = { done, custom_data: page.custom_data as Readonly<Record<string, Json>> };
    return { reward, terminated: done, atRest: true, info };
  }

  /** Reads the page for the class; again if the page navigates meanwhile. */
  async #read(page: Page): Promise<PageData> {
    for (let left = READS - 1; ; left--) {
      try {
        const facts = Promise.all([page.title(), page.content(), readPage(page, { explain: false })]);
        const [title, content, { text }] = await within(this.limits.observe, 'the page', facts);
        const url = page.url();
        return { url, title, text: fold(text), content, custom_data: await this.#extract(page) };
      } catch (error) {
        if (left > 0 && !(error instanceof OutOfTime) && !page.isClosed()) continue;
        throw error;
      }
    }
  }

  /** The data must be JSON because it is recorded in the trace. */
  async #extract(page: Page): Promise<Readonly<Record<string, unknown>>> {
    const data: unknown = await this.#call('extract', () => this.#task.extract(page));
    let copy: unknown;
    try {
      copy = JSON.parse(JSON.stringify(data));
    } catch (error) {
      throw this.#failure('the result of extract()', error);
    }
    if (typeof copy !== 'object' || copy === null || Array.isArray(copy)) {
      throw this.#returned('extract', data, 'an object');
    }
    return copy as Readonly<Record<string, unknown>>;
  }

  async #call<T>(method: Method, run: () => T | Promise<T>): Promise<T> {
    try {
      const running = Promise.resolve().then(run);
      // No time limit with a debugger, which may stop in the method.
      return await (debuggerUrl() === undefined ? within(METHOD_LIMIT, `${method}()`, running) : running);
    } catch (error) {
      throw this.#failure(`${method}()`, error);
    }
  }

  #failure(what: string, error: unknown): EnvironmentError {
    const place = placeOfError(error, this.#file);
    const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
    return this.#wrong(
      `${what} failed: ${message}`,
      place === undefined ? '' : `:${place.line}:${place.column}`,
      error,
    );
  }

  #returned(method: Method, value: unknown, needed: string): EnvironmentError {
    const shown = typeof value === 'number' || value === undefined || value === null ? String(value) : typeof value;
    return this.#wrong(`${method}() returned ${shown}: ${needed} is needed`);
  }

  #wrong(message: string, place = '', cause?: unknown): EnvironmentError {
    const where = `${basename(this.#file)}${place}`;
    const options = cause === undefined ? {} : { cause };
    return new EnvironmentError('task_failed', `The custom task “${this.#name}” (${where}): ${message}`, options);
  }
}
