/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import type { Task } from '../../../tasks/task.ts';
import type { Benchmark } from '../browsergym/benchmark.ts';
import { within } from '../limits.ts';
import type { PageFiles } from './page-files.ts';
import { createTaskState, type SessionState } from './session-state.ts';

/** Actions that may leave a key or a mouse button pressed. */
const HOLDING = new Set(['mouse', 'key']);

/**
 * Whether another task of the same benchmark can reuse this context and its tab without noticing: the page was never
 * left, opened nothing, and stored nothing. A new context starts a browser process, which takes most of the time of a
 * short task. Also starts to move the mouse to its initial position.
 */
export async function canBeReused(state: SessionState): Promise<boolean> {
  const { benchmark, context, documents, downloads, records, tabs } = state;
  const [page, ...others] = context.pages();
  if (
    benchmark === null ||
    benchmark.folder === null ||
    !downloads.isEmpty ||
    page === undefined ||
    others.length > 0 ||
    page.isClosed() ||
    documents === 0
  )
    return false;
  if (records.some(({ normalised }) => normalised !== null && HOLDING.has(normalised.type))) return false;
  try {
    const { tab } = await tabs.active();
    if (tab.page !== page || tab.documents !== documents || tab.heldKeys.size > 0 || page.frames().length > 1)
      return false;
    tab.goHome();
    const answers = Promise.all([tab.call(hasNothingStored, null), context.cookies()]);
    const [nothing, cookies] = await within(1000, 'the page', answers);
    return nothing && cookies.length === 0 && tab.documents === documents;
  } catch {
    // A page that does not answer cannot be reused.
    return false;
  }
}

/** Runs in the page. */
async function hasNothingStored(): Promise<boolean> {
  // The history has the empty page of a new tab and this page. With more entries, the agent could go back.
  if (history.length > 2) return false;
  const empty = window.name === '' && localStorage.length === 0 && sessionStorage.length === 0;
  const [databases, stores] = await Promise.all([indexedDB.databases(), caches.keys()]);
  return empty && databases.length === 0 && stores.length === 0;
}

/** Reuses the context of another task; null if the task needs its own. */
export async function reuseState(
  previous: SessionState | null,
  browser: Browser,
  task: Task,
  files: PageFiles,
  benchmark: Benchmark | null,
): Promise<SessionState | null> {
  const { cookies = [], local_storage = {} } = task.initial_state;
  if (previous === null || benchmark === null || benchmark.folder !== previous.benchmark?.folder) return null;
  if (previous.context.browser() !== browser || cookies.length > 0 || Object.keys(local_storage).length > 0)
    return null;
  const { context, tabs, messages, dialogs, downloads, taskPages } = previous;
  try {
    const { tab } = await tabs.active();
    await within(1000, 'the page', tab.home);
  } catch {
    // The context of a page that does not answer is not reused.
    return null;
  }
  taskPages.serveNow(files);
  messages.take();
  return {
    context,
    borrowed: false,
    tabs,
    messages,
    dialogs,
    downloads,
    taskPages,
    ...createTaskState(browser, task, files, benchmark.limits, benchmark),
  };
}
