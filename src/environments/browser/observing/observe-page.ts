import { setTimeout as delay } from 'node:timers/promises';
import type { Picture } from '../../environment.ts';
import { type Limits, OutOfTime, within } from '../limits.ts';
import { type SessionState, scaleOf } from '../pages/session-state.ts';
import type { Tab } from '../pages/tab.ts';
import type { OpenTab } from '../pages/tabs.ts';
import type { PageObservation } from './page-observation.ts';
import { takePicture } from './screenshot.ts';

/** How long a page may be neither readable nor drawn while it is being replaced, in ms, and at least how many attempts. */
const REPLACEMENT_LIMIT = 2_000;
const REPLACEMENT_ATTEMPTS = 3;
const REPLACED_PAUSE_MS = 20;

/** The maximum number of characters of a page's text and title in an observation. */
const MAX_TEXT = 4_000_000;
const MAX_TITLE = 10_000;

/** A screenshot that was requested right after an action. It is used if the page has not changed since. */
export interface EarlyScreenshot {
  readonly tab: Tab;
  readonly startTime: number;
  /** The same time in ms since 1970. */
  readonly requestedAt: number;
  readonly picture: Promise<Picture>;
}

/** The error of a page that does not respond because of a script. */
export const PAGE_HUNG = {
  code: 'page_hung',
  message: 'the page does not respond: one of its scripts may be in an endless loop',
};

function isLate(reason: unknown): boolean {
  return reason instanceof OutOfTime || /Timeout \d+ms exceeded/.test(String(reason));
}

/** The error of a page that cannot be observed although none of its scripts is shown to be the reason. */
export function describeUnreadable(reason: unknown): { readonly code: string; readonly message: string } {
  const why = !isLate(reason)
    ? String(reason).split('\n')[0]
    : `${reason instanceof OutOfTime ? reason.message : 'it did not answer in time'}. It may be too large, or the machine too busy.`;
  return { code: 'page_unreadable', message: `the page cannot be observed: ${why}` };
}

function shorten(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}… (${text.length - most} more characters)` : text;
}

export function takeEarlyScreenshot(tab: Tab, limits: Limits, scale: number): EarlyScreenshot {
  const startTime = performance.now();
  const requestedAt = Date.now();
  const picture = takePicture(tab, limits, scale);
  // If it is not used, nothing handles a rejection.
  picture.catch(() => undefined);
  return { tab, startTime, requestedAt, picture };
}

/**
 * Observes the active tab. While a dialog is open, nothing of its page can be read: then it is the last observation, with the
 * dialog. `rethrowCrash` throws if the page or the browser has crashed. `html`: null if the HTML is not requested.
 */
export async function observePage(
  state: SessionState,
  rethrowCrash: () => Promise<void>,
  html: { readonly passwords: boolean } | null,
  early?: EarlyScreenshot,
): Promise<PageObservation> {
  for (;;) {
    const dialog = state.dialogs.current;
    if (dialog !== null)
      return { ...(state.lastObservation ?? emptyObservation(await state.tabs.active(), html)), ...NO_TIME, dialog };
    const page = await state.dialogs.unlessOpened(readPage(state, rethrowCrash, html, early));
    if (page === null) continue;
    state.lastObservation = page.value;
    return page.value;
  }
}

const NO_TIME = { picture: 0, text: 0, error: null } as const;

/** The observation of a tab that had an open dialog from the start. */
function emptyObservation(open: OpenTab, html: object | null): PageObservation {
  return {
    ...NO_TIME,
    open,
    observation: { screenshot: null, text: null },
    requestedAt: Date.now(),
    title: '',
    recording: { page: null, missing: 'a dialog was open' },
    html: html === null ? undefined : '',
  };
}

/** Observes the active tab, with screenshot and text in parallel. */
async function readPage(
  state: SessionState,
  rethrowCrash: () => Promise<void>,
  html: { readonly passwords: boolean } | null,
  early?: EarlyScreenshot,
): Promise<PageObservation> {
  const { tabs, limits, borrowed, recorder, benchmark } = state;
  const beginning = performance.now();
  for (let attempt = 1; ; attempt += 1) {
    const open = await tabs.active();
    const { tab, reader } = open;
    const startTime = performance.now();
    const requestedAt = Date.now();
    const durations = { picture: 0, text: 0 };
    const measure = async <T>(part: keyof typeof durations, from: number, promise: Promise<T>): Promise<T> => {
      try {
        return await promise;
      } finally {
        durations[part] = performance.now() - from;
      }
    };
    const usable = early?.tab === tab && attempt === 1 ? early : undefined;
    // The screenshot is requested first, because it does not need the page's main thread, as the tree does.
    const picture = measure(
      'picture',
      usable?.startTime ?? startTime,
      usable?.picture ?? takePicture(tab, limits, scaleOf(state)),
    );
    const read = measure('text', startTime, within(limits.observe, 'reading the page', reader.read()));
    const [screenshot, text, recording, printedHtml] = await Promise.allSettled([
      picture,
      read,
      borrowed ? { page: null } : recorder.record(open, benchmark?.scrollBars ?? false, limits.observe),
      html && within(limits.observe, 'reading the page', reader.readHtml(html.passwords, read)),
    ]);
    await rethrowCrash();
    if (recording.status === 'rejected') throw recording.reason;
    const failure = [screenshot, text].find((one) => one.status === 'rejected');
    const late = failure !== undefined && isLate(failure.reason);
    const hung = late && (await reader.runsScript());
    const isEarly = attempt < REPLACEMENT_ATTEMPTS || performance.now() - beginning < REPLACEMENT_LIMIT;
    if (failure && !late && isEarly) {
      // Problems of the page are reported by the next attempt.
      await tab.settle(limits).catch(() => undefined);
      await delay(REPLACED_PAUSE_MS);
      continue;
    }
    return {
      open,
      observation: {
        screenshot: screenshot.status === 'fulfilled' ? screenshot.value : null,
        text: text.status === 'fulfilled' ? shorten(text.value.text, MAX_TEXT) : null,
      },
      requestedAt: usable?.requestedAt ?? requestedAt,
      title: text.status === 'fulfilled' ? shorten(text.value.title, MAX_TITLE) : '',
      recording: recording.value,
      picture: durations.picture,
      text: durations.text,
      html: html === null ? undefined : ((printedHtml.status === 'fulfilled' ? printedHtml.value : null) ?? ''),
      error: hung ? PAGE_HUNG : failure ? describeUnreadable(failure.reason) : null,
    };
  }
}
