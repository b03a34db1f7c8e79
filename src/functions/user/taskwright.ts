import type { Page } from 'playwright-core';
import * as z from 'zod';

export { type Page, z };

/**
 * What `import { defineFunction, z } from 'taskwright'` gives a person's own functions and tasks. Built on its own into
 * `dist/taskwright.mjs`; `dist/taskwright.d.ts` says the same to the editor.
 */

/** Marks what `defineFunction` made, across the two copies of this module (the program's and the person's). */
const MARK = Symbol.for('taskwright.function');

/** The state on the environment's side, as a person's function gets it. */
export interface UserContext {
  /** The active page; reading it throws in environments without one. */
  readonly page: Page;
  /** The text of the response that counts, or null where the agent gave none. */
  readonly response: string | null;
  /** The agent's actions so far, printed: `click('#apply')`. */
  readonly actions: readonly { readonly action: string; readonly error: string | null }[];
  /** The folder of files that the agent works in, such as that of a `coding` task; null where there is none. */
  readonly folder: string | null;
  /** Opens an address, a page file beside the task, or inline HTML. */
  open(target: { readonly url: string } | { readonly html: string }): Promise<void>;
}

/** A value from 0 to 1, and why. */
export interface UserVerdict {
  readonly value: number | boolean;
  readonly reason?: string;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a setup function returns nothing
type UserResult = number | boolean | UserVerdict | void;

/** One function of a person's own, for setup or evaluate. */
export interface UserDefinition<Args extends z.ZodType<readonly unknown[]>> {
  /** What the call's arguments must be: `z.tuple([z.number()])`. */
  readonly args: Args;
  /** One sentence for people. */
  readonly doc?: string;
  /** Where it may be called; both where nothing is said. */
  readonly phase?: 'setup' | 'evaluate';
  /** A setup function returns nothing; an evaluate function a number from 0 to 1, a boolean, or a value with its reason. */
  run(context: UserContext, ...args: z.output<Args>): UserResult | Promise<UserResult>;
}

/** Defines a function that task files can call by the name it is exported with. */
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

/** What a custom task is told of the page, after each answer of the agent. `Data` is what its `extract` gives. */
export interface PageData<Data = Readonly<Record<string, unknown>>> {
  readonly url: string;
  readonly title: string;
  /** What a person who scrolls could read, values of text fields among it; what is hidden is not. White space is folded. */
  readonly text: string;
  /** The document as HTML. */
  readonly content: string;
  /** What `extract` gave; `{}` without one. */
  readonly custom_data: Data;
}

/**
 * A task in code: its page, the reward of each step, and when it is done. Modelled on the custom tasks of OpenEnv's
 * proposal "Generic Task Support". Each run has an object of its own.
 */
export abstract class CustomBrowserTask<Data = Readonly<Record<string, unknown>>> {
  /** After so many answers of the agent the run ends and is graded; the task's own `max_steps` goes before it. */
  readonly maxSteps: number = 50;

  /** The page that the task begins with. Files beside the task can be linked to by relative addresses. */
  abstract html(seed: number): string | Promise<string>;

  /** What the agent should do, where the task file has no prompt. Asked after `html`. */
  goal(): string | Promise<string> {
    return '';
  }

  /** What `reward` and `done` need to know of the page beyond its text, as JSON. */
  extract(_page: Page): Data | Promise<Data> {
    return {} as Data;
  }

  /**
   * The reward of the last answer. `action` is what the agent did, printed, a line for each action: `click('#apply')`;
   * `error` says why it failed.
   */
  abstract reward(pageData: PageData<Data>, action: string, error: string | null): number | Promise<number>;

  /** Whether the episode has ended. Asked after `reward`. */
  abstract done(pageData: PageData<Data>): boolean | Promise<boolean>;
}

/** The classes of tasks that the module being loaded has registered, by name. The program's loader empties it. */
const REGISTRY = Symbol.for('taskwright.custom-tasks');

/** Registers a custom task under the name that task files call it by: `{"benchmark": "custom", "task_name": name}`. */
export function registerCustomTask(name: string, task: new () => CustomBrowserTask<never>): void {
  if (typeof name !== 'string' || name === '') throw new TypeError('a custom task is registered under a name');
  const prototype: unknown = typeof task === 'function' ? task.prototype : undefined;
  if (!(prototype instanceof CustomBrowserTask)) {
    throw new TypeError(`“${name}” is no class that extends CustomBrowserTask`);
  }
  const missing = (['html', 'reward', 'done'] as const).find((member) => typeof prototype[member] !== 'function');
  if (missing !== undefined) throw new TypeError(`the class of “${name}” has no method ${missing}()`);
  const globals = globalThis as { [REGISTRY]?: Map<string, new () => CustomBrowserTask<never>> };
  globals[REGISTRY] ??= new Map();
  if (globals[REGISTRY].has(name)) throw new TypeError(`“${name}” is registered twice`);
  globals[REGISTRY].set(name, task);
}
