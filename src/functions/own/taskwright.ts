import type { Page } from 'playwright-core';
import * as z from 'zod';

export { z };

/**
 * What `import { defineFunction, z } from 'taskwright'` gives a person's own functions. Built on its own into
 * `dist/taskwright.mjs`; `types/taskwright.d.ts` says the same to the editor.
 */

/** Marks what `defineFunction` made, across the two copies of this module (the program's and the person's). */
const MARK = Symbol.for('taskwright.function');

/** The state on the environment's side, as a person's function gets it. */
export interface OwnContext {
  /** The active page; reading it throws in environments without one. */
  readonly page: Page;
  /** The text of the response that counts, or null where the agent gave none. */
  readonly response: string | null;
  /** The agent's actions so far, printed: `click('#apply')`. */
  readonly actions: readonly { readonly action: string; readonly error: string | null }[];
  /** Opens an address, a page file beside the task, or inline HTML. */
  open(target: { readonly url: string } | { readonly html: string }): Promise<void>;
}

/** A value from 0 to 1, and why. */
export interface OwnVerdict {
  readonly value: number | boolean;
  readonly reason?: string;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a setup function returns nothing
type OwnResult = number | boolean | OwnVerdict | void;

/** One function of a person's own, for setup or evaluate. */
export interface OwnDefinition<Args extends z.ZodType<readonly unknown[]>> {
  /** What the call's arguments must be: `z.tuple([z.number()])`. */
  readonly args: Args;
  /** One sentence for people. */
  readonly doc?: string;
  /** Where it may be called; both where nothing is said. */
  readonly phase?: 'setup' | 'evaluate';
  /** A setup function returns nothing; an evaluate function a number from 0 to 1, a boolean, or a value with its reason. */
  run(context: OwnContext, ...args: z.output<Args>): OwnResult | Promise<OwnResult>;
}

/** Defines a function that task files can call by the name it is exported with. */
export function defineFunction<Args extends z.ZodType<readonly unknown[]> = z.ZodTuple<[], null>>(
  definition: OwnDefinition<Args>,
): OwnDefinition<Args> {
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
