import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { ActionInput } from '../../actions/action.ts';
import type { NormalAction } from '../../actions/normal.ts';
import type { ActionRecord } from '../../functions/declaration.ts';
import type { Call, Json } from '../../tasks/task.ts';
import type { RecordedAction } from '../recorded.ts';
import { type ChainLink, matchesChain } from './describe.ts';
import { playwrightOnly, type Remembered } from './elements.ts';

/** Selectors that the evaluate calls of a task may ask for: every text among their arguments that could be one. */
export function selectorsOf(calls: readonly Call[]): readonly string[] {
  const found = new Set<string>();
  const collect = (value: Json): void => {
    if (typeof value === 'string') {
      if (value.trim() !== '' && value.length <= 500) found.add(value);
    } else if (Array.isArray(value)) value.forEach(collect);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const call of calls) call.args.forEach(collect);
  return [...found].slice(0, 100);
}

/** An element of the past. */
interface PastElement {
  /** The way from it to the root. */
  readonly chain: readonly ChainLink[];
  /** Selectors that are known to match it. */
  readonly matched: readonly string[];
}

/** A page apart from the task's, on which elements of the past are rebuilt to ask selectors of them. */
export class Workbench {
  readonly #browser: Browser;
  #page: Promise<{ context: BrowserContext; page: Page }> | null = null;

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async matches({ chain, matched }: PastElement, selector: string): Promise<boolean> {
    if (matched.includes(selector)) return true;
    if (playwrightOnly(selector)) return false;
    this.#page ??= this.#open();
    const { page } = await this.#page;
    return page.evaluate(matchesChain, [chain, selector] as const);
  }

  async close(): Promise<void> {
    const open = this.#page;
    this.#page = null;
    // Whoever asked of it has heard why it could not be opened.
    await (await open?.catch(() => null))?.context.close();
  }

  async #open(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await this.#browser.newContext({ serviceWorkers: 'block', offline: true });
    return { context, page: await context.newPage() };
  }
}

function past({ facts, matched }: Remembered): PastElement {
  return { chain: facts.chain, matched: [...matched] };
}

/** What an action came to. */
export interface Outcome {
  readonly error: string | null;
  readonly typed: string | null;
  readonly remembered: Remembered | null;
}

/** One action as it is recorded, to be asked about later. */
export function recordable(
  input: ActionInput,
  normalised: NormalAction | null,
  { error, typed, remembered }: Outcome,
): RecordedAction {
  return { input, normalised, error, typed, element: remembered && past(remembered) };
}

/** One action as evaluate functions see it. */
export function record(
  workbench: Workbench,
  input: ActionInput,
  normalised: NormalAction | null,
  outcome: Outcome,
): ActionRecord {
  const { remembered } = outcome;
  return {
    input,
    normalised,
    error: outcome.error,
    typed: outcome.typed,
    matches: async (selector) => remembered !== null && workbench.matches(past(remembered), selector),
  };
}
