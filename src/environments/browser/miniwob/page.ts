/// <reference lib="dom" />
import type { Pending } from './timers.ts';

/** The globals of a MiniWoB++ page (`core/core.js` of miniwob 1.1.0). */
interface Page {
  readonly core: {
    EPISODE_MAX_TIME: number;
    clearTimer(): void;
    createDisplay(): void;
    canvasDrawClick(event: Event): void;
    startEpisodeReal(): void;
    endEpisode(...args: unknown[]): void;
    /** The goal; some tasks also return its parts. */
    getUtterance(): string | { readonly utterance: string };
  };
  readonly WOB_REWARD_GLOBAL: number;
  readonly WOB_RAW_REWARD_GLOBAL: number;
  readonly WOB_REWARD_REASON: string | null;
  readonly WOB_DONE_GLOBAL: boolean;
  readonly WOB_EPISODE_ID: number;
  readonly WOB_TASK_READY: boolean;
}

/**
 * Runs in the page: starts an episode as BrowserGym does. Removes the elements for human users (rewards, clock, clicks,
 * the START cover) from the document, and the goal from `#query`. They are only restored while functions of the page
 * that use them run. Returns the goal, or null if the task is not ready yet.
 */
export function begin([seed, maxTime, goalFrom]: readonly [number, number, 'text' | 'icon' | 'colour']): string | null {
  const page = globalThis as unknown as Page;
  const { core } = page;
  const query = (): HTMLElement => document.getElementById('query') as HTMLElement;
  const foldText = (node: Node | null | undefined): string => (node?.textContent ?? '').replace(/\s+/g, ' ').trim();

  // Two goals have a part that is drawn, which BrowserGym puts into words.
  const plain = core.getUtterance;
  if (goalFrom === 'icon') {
    core.getUtterance = () => {
      const [icon] = query().children;
      if (!icon) return plain();
      const name = icon.className.split(' ')[1] ?? '';
      const [before, , after] = query().childNodes;
      return `${foldText(before)} "${name}" ${foldText(after)}`;
    };
  } else if (goalFrom === 'colour') {
    core.getUtterance = () => {
      const [before, patch, after] = query().children;
      const parts = (patch as HTMLElement).style.backgroundColor.match(/\d+/g) ?? [];
      const colour = parts.map((part) => Number(part).toString(16).padStart(2, '0')).join('');
      return `${foldText(before)} #${colour} ${foldText(after)}`;
    };
  }

  const overlays: Element[] = [];
  let goal = '';
  const hide = (): void => {
    core.clearTimer();
    document.body.removeEventListener('click', core.canvasDrawClick);
    goal = query().innerHTML;
    query().innerHTML = '';
    overlays.length = 0;
    for (const id of ['reward-display', 'click-canvas', 'sync-task-cover']) {
      const element = document.getElementById(id);
      if (!element) continue;
      element.remove();
      overlays.push(element);
    }
  };
  const show = (): void => {
    query().innerHTML = goal;
    for (const element of overlays) document.body.appendChild(element);
    core.createDisplay();
  };
  const whileShown = <Args extends unknown[], Result>(run: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      show();
      const result = run(...args);
      hide();
      return result;
    };
  };
  core.getUtterance = whileShown(core.getUtterance);
  core.endEpisode = whileShown(core.endEpisode);
  core.startEpisodeReal = whileShown(core.startEpisodeReal);
  hide();

  (Math as unknown as { seedrandom(seed: number): void }).seedrandom(seed);
  core.EPISODE_MAX_TIME = maxTime;
  core.startEpisodeReal();
  if (!page.WOB_TASK_READY) return null;
  const utterance = core.getUtterance();
  return typeof utterance === 'string' ? utterance : utterance.utterance;
}

/** Runs in the page: replaces it by another page, also in the history. */
export function replacePage(url: string): void {
  const referrer = document.createElement('meta');
  referrer.name = 'referrer';
  referrer.content = 'no-referrer';
  document.head.append(referrer);
  location.replace(url);
}

/** Runs in the page. */
export function isReady(): boolean {
  return (globalThis as unknown as Page).WOB_TASK_READY;
}

/** Runs in the page: returns the goal. */
export function readGoal(): string {
  const utterance = (globalThis as unknown as Page).core.getUtterance();
  return typeof utterance === 'string' ? utterance : utterance.utterance;
}

/** Runs in the page: waits until it is idle, at most `ms`. Then returns the state of the episode, with BrowserGym's names. */
export async function awaitRest(ms: number) {
  const page = globalThis as unknown as Page & { readonly taskwrightPending?: Pending };
  const atRest = (await page.taskwrightPending?.rest(ms)) ?? true;
  const state = {
    REWARD_GLOBAL: page.WOB_REWARD_GLOBAL,
    RAW_REWARD_GLOBAL: page.WOB_RAW_REWARD_GLOBAL,
    REWARD_REASON: page.WOB_REWARD_REASON ?? null,
    DONE_GLOBAL: page.WOB_DONE_GLOBAL,
    EPISODE_ID: page.WOB_EPISODE_ID,
    TASK_READY: page.WOB_TASK_READY,
  };
  return { atRest, state };
}
