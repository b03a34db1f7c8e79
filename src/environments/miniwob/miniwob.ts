import type { BrowserContext, Page } from 'playwright-core';
import type { EnvironmentSpec, Json } from '../../tasks/task.ts';
import type { Benchmark, Judgement } from '../browser/benchmark.ts';
import { LIMITS } from '../browser/limits.ts';
import type { Messages } from '../browser/messages.ts';
import { OwnPages } from '../browser/own-pages.ts';
import { PageFiles } from '../browser/page-files.ts';
import { EnvironmentError } from '../environment.ts';
import { begin, isReady, readGoal, readState, replaceBy } from './page.ts';
import { pageSeed } from './seed.ts';
import type { SUCCESS_RULES } from './tasks.ts';
import { restOf, watchTimers } from './timers.ts';

/** Where the pages of MiniWoB++ live: a real origin without a port behind it. */
export const MINIWOB_ORIGIN = 'http://miniwob.localhost';

/** BrowserGym lets an episode last so long, in ms: no task ends by itself. */
const EPISODE_MAX_TIME = 1_000_000;
/** BrowserGym looks at a page half a second after an action, and is slowed down by a tenth besides, in ms. */
const OBSERVATION_DELAY = 600;

/** The task that an environment's object names. `folder` holds `miniwob/` and `core/`. */
export function openMiniwob(env: EnvironmentSpec, folder: string): Miniwob {
  return new Miniwob(folder, String(env['task_name']), env['success'] === 'full' ? 'full' : 'positive');
}

type SuccessRule = (typeof SUCCESS_RULES)[number];

/** Two goals have a part that is drawn. */
const GOALS: Readonly<Record<string, 'icon' | 'colour'>> = { 'click-menu-2': 'icon', 'use-colorwheel-2': 'colour' };

/** One task of MiniWoB++, driven as BrowserGym 0.14 does (`browsergym.miniwob`). */
class Miniwob implements Benchmark {
  readonly viewport = { width: 332, height: 214 };
  readonly scale = 1.5;
  readonly scrollBars = true;
  readonly limits = { ...LIMITS, action: 500 };
  readonly folder: string;
  readonly #name: string;
  readonly #success: SuccessRule;
  #page: Page | null = null;

  constructor(folder: string, name: string, success: SuccessRule) {
    this.folder = folder;
    this.#name = name;
    this.#success = success;
  }

  get #url(): string {
    return `${MINIWOB_ORIGIN}/miniwob/${this.#name}.html`;
  }

  async prepare(context: BrowserContext, messages: Messages): Promise<void> {
    await new OwnPages(new PageFiles({ folder: this.folder }), messages, MINIWOB_ORIGIN).serve(context);
    await context.addInitScript(watchTimers);
  }

  async start(page: Page, seed: number): Promise<string> {
    this.#page = page;
    try {
      const options = { waitUntil: 'load', timeout: this.limits.navigation } as const;
      if (page.url() === 'about:blank') await page.goto(this.#url, options);
      else await Promise.all([page.waitForNavigation(options), page.evaluate(replaceBy, this.#url)]);
      const settings = [pageSeed(seed), EPISODE_MAX_TIME, GOALS[this.#name] ?? 'text'] as const;
      const ready = await page.evaluate(begin, settings);
      if (!ready) await page.waitForFunction(isReady, undefined, { timeout: LIMITS.action });
      return await page.evaluate(readGoal);
    } catch (error) {
      const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw new EnvironmentError('start_failed', `the task “${this.#name}” of MiniWoB++ cannot start: ${why}`, {
        cause: error,
      });
    }
  }

  async settle(page: Page): Promise<boolean> {
    // A page that goes away meanwhile is not at rest; what it was left for is judged.
    return page.evaluate(restOf, OBSERVATION_DELAY).catch(() => false);
  }

  async judge(page: Page): Promise<Judgement> {
    if (page !== this.#page) return left('invalid page, terminating task');
    if (page.url() !== this.#url) return left('invalid url, terminating task');
    const state = await page.evaluate(readState);
    const raw = state.RAW_REWARD_GLOBAL;
    const enough = this.#success === 'full' ? raw >= 1 : raw > 0;
    return {
      reward: enough ? 1 : 0,
      terminated: state.DONE_GLOBAL,
      info: state as unknown as Readonly<Record<string, Json>>,
    };
  }
}

function left(error: string): Judgement {
  return { reward: 0, terminated: true, info: { error } };
}
