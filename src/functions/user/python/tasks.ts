import type { Page } from 'playwright-core';
import * as z from 'zod';
import type { Json, JsonObject } from '../../../base/json.ts';
import { jsonSchema } from '../../../base/json-validator.ts';
import { describeLoadFailure, locationInTrace, ownFilesInTrace } from '../error-location.ts';
import { taskClassFiles } from './class-files.ts';
import { errorSchema, PythonError, refuse, requestWithPage, startPython } from './functions.ts';
import type { PythonProcess } from './process.ts';

/** The page as a Python class sees it, beside what its `_extract_observation` returns. */
export type PageFacts = Readonly<Record<'url' | 'title' | 'text' | 'content', string>>;

const openedSchema = z.object({
  file: z.string(),
  class: z.string(),
  max_steps: z.number().int().nullable(),
  wrong: z.string().optional(),
  threw: errorSchema.optional(),
});
const missingSchema = z.object({
  failures: z.array(errorSchema.extend({ file: z.string() })),
  names: z.array(z.string()),
});
const failedSchema = z.union([z.object({ wrong: z.string() }), z.object({ threw: errorSchema })]);

/** Why a folder has no Python class for a custom task. */
export interface MissingPythonTask {
  /** Why files could not be loaded. */
  readonly failures: readonly string[];
  /** The tasks that are registered. */
  readonly names: readonly string[];
}

/** A result of a Python class that is not valid. The message follows the name of the task. */
export class WrongResult extends Error {}

/** An instance of a task class in the Python process of the session. */
export class PythonTask {
  /** Absolute path of the file of its class. */
  readonly file: string;
  readonly maxSteps: number;
  readonly #python: PythonProcess;

  private constructor(file: string, maxSteps: number, python: PythonProcess) {
    this.file = file;
    this.maxSteps = maxSteps;
    this.#python = python;
  }

  /**
   * Loads the Python files of the folder that register tasks, each anew, and creates the task of that name.
   *
   * @throws PythonError from the constructor, WrongResult for an invalid class, each with the file
   */
  static async open(name: string, folder: string, seed: number): Promise<PythonTask | MissingPythonTask> {
    const files = await taskClassFiles(folder);
    if (files.length === 0) return { failures: [], names: [] };
    let python: PythonProcess;
    try {
      python = await startPython(folder);
    } catch (error) {
      return { failures: [(error as Error).message], names: [] };
    }
    const answer = await python.request({ do: 'open task', folder, files, name, seed }, refuse);
    const task = openedSchema.safeParse(answer);
    if (!task.success) {
      const { failures, names } = missingSchema.parse(answer);
      return {
        failures: failures.map(({ file, message, stack }) =>
          describeLoadFailure(file, message, (one) => locationInTrace(stack, one), ownFilesInTrace(stack, folder)),
        ),
        names,
      };
    }
    const { file, max_steps, wrong, threw } = task.data;
    if (threw !== undefined) throw failedConstructor(file, threw);
    if (wrong !== undefined) throw new FailedClass(file, `${task.data.class} ${wrong}`);
    return new PythonTask(file, max_steps ?? 0, python);
  }

  /** The initial page: its HTML or its URL, which may be a `file:` URL or a path. */
  async page(): Promise<{ readonly html: string } | { readonly url: string }> {
    const schema = z.union([z.object({ html: z.string() }), z.object({ url: z.string() })]);
    return this.#ask(schema, { what: 'page' });
  }

  async goal(): Promise<string> {
    return (await this.#ask(z.object({ goal: z.string() }), { what: 'goal' })).goal;
  }

  /** What the class says of the page before the first action. It is asked without an effect on the episode. */
  async first(page: Page, facts: PageFacts): Promise<{ readonly reward: number; readonly done: boolean }> {
    const schema = z.object({ reward: z.number(), done: z.boolean() });
    return this.#ask(schema, { what: 'first', facts }, page);
  }

  /** Reads the page for `reward` and `done`. Returns its `custom_data`. */
  async extract(page: Page, facts: PageFacts): Promise<JsonObject> {
    const schema = z.object({ custom_data: z.record(z.string(), jsonSchema) });
    return (await this.#ask(schema, { what: 'extract', facts }, page)).custom_data;
  }

  async reward(page: Page, action: string, error: string | null): Promise<number> {
    return (await this.#ask(z.object({ reward: z.number() }), { what: 'reward', action, error: error ?? '' }, page))
      .reward;
  }

  async done(page: Page): Promise<boolean> {
    return (await this.#ask(z.object({ done: z.boolean() }), { what: 'done' }, page)).done;
  }

  async #ask<T>(schema: z.ZodType<T>, question: { readonly what: string; readonly [key: string]: Json }, page?: Page) {
    const live = (): Page => {
      if (page === undefined) throw new Error('this method is called before the page is open');
      return page;
    };
    const answer = await requestWithPage(this.#python, { do: 'task', ...question }, live, refuse);
    const failure = failedSchema.safeParse(answer);
    if (!failure.success) return schema.parse(answer);
    if ('wrong' in failure.data) throw new WrongResult(failure.data.wrong);
    throw new PythonError(failure.data.threw);
  }

  /** Ends Python, because a method did not return. */
  end(): void {
    this.#python.end();
  }
}

/** A class that cannot be used. */
export class FailedClass extends Error {
  /** The path of its file, optionally with the line and the column. */
  readonly where: string;
  constructor(where: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.where = where;
  }
}

function failedConstructor(file: string, threw: z.infer<typeof errorSchema>): FailedClass {
  const place = locationInTrace(threw.stack, file);
  const where = place === undefined ? file : `${file}:${place.line}`;
  return new FailedClass(where, `the constructor failed: ${threw.message}`, new PythonError(threw));
}
