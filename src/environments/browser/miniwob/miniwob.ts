import type { BrowserContext, Page } from 'playwright-core';
import { firstLine } from '../../../base/first-line.ts';
import type { JsonObject } from '../../../base/json.ts';
import type { EnvironmentSpec } from '../../../tasks/task.ts';
import { EnvironmentError } from '../../environment.ts';
import type { Benchmark, Judgement } from '../browsergym/benchmark.ts';
import { LIMITS, within } from '../limits.ts';
import type { Tab } from '../pages/tab.ts';
import { awaitRest, begin, isReady, readGoal, replacePage } from './page.ts';
import { MINIWOB_ORIGIN, servePages } from './pages.ts';
import { pageSeed } from './seed.ts';
import { watchTimers } from './timers.ts';

/** The time limit of an episode in BrowserGym in ms, so long that no task reaches it. */
const EPISODE_MAX_TIME = 1_000_000;
/** BrowserGym observes a page half a second after an action, plus a tenth of a second of overhead, in ms. */
const OBSERVATION_DELAY = 600;

/** Two goals have a part that is drawn. */
const GOALS: Readonly<Record<string, 'icon' | 'colour'>> = { 'click-menu-2': 'icon', 'use-colorwheel-2': 'colour' };

/** One task of MiniWoB++, driven as BrowserGym 0.14 does (`browsergym.miniwob`). */
export class Miniwob implements Benchmark {
  readonly viewport = { width: 332, height: 214 };
  readonly scale = 1.5;
  readonly scrollBars = true;
  /** BrowserGym's limit for element actions is 500 ms, which a valid click may need on a busy machine. */
  readonly limits = { ...LIMITS, action: 2000 };
  readonly folder: string;
  readonly dialect = 'browsergym';
  readonly maxSteps = null;
  readonly #name: string;
  /** Whether only the full raw reward is a success. */
  readonly #needsFullReward: boolean;
  #page: Page | null = null;

  /** `folder` contains `miniwob/` and `core/`. */
  constructor(env: EnvironmentSpec, folder: string) {
    this.folder = folder;
    this.#name = String(env['task_name']);
    this.#needsFullReward = env['success'] === 'full';
  }

  get #url(): string {
    return `${MINIWOB_ORIGIN}/miniwob/${this.#name}.html`;
  }

  async prepare(context: BrowserContext): Promise<void> {
    const browser = context.browser();
    await Promise.all([context.addInitScript(watchTimers), browser && servePages(browser, this.folder)]);
  }

  async start(tab: Tab, seed: number): Promise<string> {
    const { page } = tab;
    this.#page = page;
    try {
      const options = { waitUntil: 'load', timeout: this.limits.navigation } as const;
      if (page.url() === 'about:blank') await page.goto(this.#url, options);
      else await Promise.all([page.waitForNavigation(options), tab.call(replacePage, this.#url)]);
      const settings = [pageSeed(seed), EPISODE_MAX_TIME, GOALS[this.#name] ?? 'text'] as const;
      const goal = await tab.call(begin, settings);
      if (goal !== null) return goal;
      await page.waitForFunction(isReady, undefined, { timeout: LIMITS.action });
      return await tab.call(readGoal, null);
    } catch (error) {
      const message = `the task “${this.#name}” of MiniWoB++ cannot start: ${firstLine(error)}`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    }
  }

  judge(tab: Tab): Promise<Judgement> {
    return within(this.limits.observe, 'the page', this.#judge(tab));
  }

  async #judge(tab: Tab): Promise<Judgement> {
    const { page } = tab;
    // A page that navigates meanwhile is not idle. The next page is read.
    const result = await tab.call(awaitRest, OBSERVATION_DELAY).catch(() => null);
    const atRest = result?.atRest ?? false;
    if (page !== this.#page) return leftPage('invalid page, terminating task', atRest);
    if (page.url() !== this.#url) return leftPage('invalid url, terminating task', atRest);
    const { state } = result ?? (await tab.call(awaitRest, 0));
    const raw = state.RAW_REWARD_GLOBAL;
    const enough = this.#needsFullReward ? raw >= 1 : raw > 0;
    const info = state as unknown as JsonObject;
    return { reward: enough ? 1 : 0, terminated: state.DONE_GLOBAL, atRest, info };
  }
}

function leftPage(error: string, atRest: boolean): Judgement {
  return { reward: 0, terminated: true, atRest, info: { error } };
}
