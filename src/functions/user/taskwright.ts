import type { Page } from 'playwright-core';
import * as z from 'zod';

export { type Page, z };

/**
 * The module that user-defined functions and tasks import as `taskwright`. The build bundles it into
 * `dist/taskwright.mjs`, with `dist/taskwright.d.ts` for the editor.
 */

/**
 * Marks the results of `defineFunction`. A global symbol, because the program and user code have separate copies of
 * this module.
 */
const MARK = Symbol.for('taskwright.function');

/** The context of a user-defined function: the state of the environment. */
export interface UserContext {
  /** The active page. Reading it throws in environments without one. */
  readonly page: Page;
  /** The text of the response that counts, or null if the agent gave none. */
  readonly response: string | null;
  /** The agent's actions so far, as action strings: `click('#apply')`. */
  readonly actions: readonly { readonly action: string; readonly error: string | null }[];
  /** The folder that the agent works in, such as that of a `coding` task; null if there is none. */
  readonly folder: string | null;
  /** What an OpenEnv environment told so far. Reading it throws in other environments. */
  readonly episode: UserEpisode;
  /** Opens a URL, a page file next to the task, or inline HTML. */
  open(target: { readonly url: string } | { readonly html: string }): Promise<void>;
}

/** An episode of an OpenEnv environment. */
export interface UserEpisode {
  /** The last observation, as JSON. */
  readonly observation: unknown;
  /** The sum of the rewards of all actions. */
  readonly totalReward: number;
  /** The state of the environment, as JSON. */
  state(): Promise<unknown>;
}

/** A value from 0 to 1 with a reason. */
export interface UserVerdict {
  readonly value: number | boolean;
  readonly reason?: string;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a setup function returns nothing
type UserResult = number | boolean | UserVerdict | void;

/** A user-defined setup or evaluate function. */
export interface UserDefinition<Args extends z.ZodType<readonly unknown[]>> {
  /** The schema of the arguments: `z.tuple([z.number()])`. */
  readonly args: Args;
  /** A description in one sentence. */
  readonly doc?: string;
  /** The phase in which it may be called; by default both. */
  readonly phase?: 'setup' | 'evaluate';
  /** A setup function returns nothing; an evaluate function a number from 0 to 1, a boolean, or a value with its reason. */
  run(context: UserContext, ...args: z.output<Args>): UserResult | Promise<UserResult>;
}

/** Defines a function that task files can call by its exported name. */
export function defineFunction<Args extends z.ZodType<readonly unknown[]> = z.ZodTuple<[], null>>(
  definition: UserDefinition<Args>,
): UserDefinition<Args> {
  if (typeof definition !== 'object' || definition === null || typeof definition.run !== 'function') {
    throw new TypeError(
      'defineFunction needs an object with a function `run`: defineFunction({ args, async run() {} })',
    );
  }
  if (definition.args !== undefined && typeof definition.args.safeParse !== 'function') {
    throw new TypeError('`args` must be a zod schema such as z.tuple([z.string()])');
  }
  return Object.freeze({ ...definition, [MARK]: true });
}

/** The page as a custom task sees it after each answer of the agent. `Data` is the result of its `extract`. */
export interface PageData<Data = Readonly<Record<string, unknown>>> {
  readonly url: string;
  readonly title: string;
  /** The visible text, including values of text fields and text that needs scrolling, with white space folded. */
  readonly text: string;
  /** The document as HTML. */
  readonly content: string;
  /** The result of `extract`; `{}` by default. */
  readonly custom_data: Data;
}

/**
 * A task in code: its page, the reward of each step, and when it is done. Modelled on the custom tasks of OpenEnv's
 * proposal "Generic Task Support". Each run creates its own instance.
 */
export abstract class CustomBrowserTask<Data = Readonly<Record<string, unknown>>> {
  /**
   * The maximum number of answers of the agent, after which the run ends and is graded. `max_steps` of the task file
   * overrides it.
   */
  readonly maxSteps: number = 50;

  /** The HTML of the first page. Files next to the task can be linked by relative URLs. */
  abstract html(seed: number): string | Promise<string>;

  /** What the agent should do, if the task file has no prompt. Called after `html`. */
  goal(): string | Promise<string> {
    return '';
  }

  /** Additional data of the page for `reward` and `done`, as JSON. */
  extract(_page: Page): Data | Promise<Data> {
    return {} as Data;
  }

  /**
   * The reward of the last answer. `action` is the agent's answer as action strings, one per line: `click('#apply')`.
   * `error` says why an action failed.
   */
  abstract reward(pageData: PageData<Data>, action: string, error: string | null): number | Promise<number>;

  /** Whether the episode has ended. Called after `reward`. */
  abstract done(pageData: PageData<Data>): boolean | Promise<boolean>;
}

/** The task classes that the module being loaded has registered, by name. The loader clears it before each module. */
const REGISTRY = Symbol.for('taskwright.custom-tasks');

/** Registers a custom task under the name that task files use: `{"benchmark": "custom", "task_name": name}`. */
export function registerCustomTask(name: string, task: new () => CustomBrowserTask<never>): void {
  if (typeof name !== 'string' || name === '') throw new TypeError('registerCustomTask needs a name that is not empty');
  const prototype: unknown = typeof task === 'function' ? task.prototype : undefined;
  if (!(prototype instanceof CustomBrowserTask)) {
    throw new TypeError(`the class of “${name}” does not extend CustomBrowserTask`);
  }
  const missing = (['html', 'reward', 'done'] as const).find((member) => typeof prototype[member] !== 'function');
  if (missing !== undefined) throw new TypeError(`the class of “${name}” has no method ${missing}()`);
  const globals = globalThis as { [REGISTRY]?: Map<string, new () => CustomBrowserTask<never>> };
  globals[REGISTRY] ??= new Map();
  if (globals[REGISTRY].has(name)) throw new TypeError(`“${name}” is registered twice`);
  globals[REGISTRY].set(name, task);
}
