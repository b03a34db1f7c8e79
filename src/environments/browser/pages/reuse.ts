/// <reference lib="dom" />
import type { Browser } from 'playwright-core';
import type { Task } from '../../../tasks/task.ts';
import type { Benchmark } from '../browsergym/benchmark.ts';
import { within } from '../limits.ts';
import type { PageFiles } from './page-files.ts';
import { ofTask, type SessionState } from './session-state.ts';

/** Actions that may leave a key or a button of the mouse held down. */
const HOLDING = new Set(['mouse', 'key']);

/**
 * Whether another task of the same benchmark can have this context and its tab, so that it is as in new ones: the page
 * was never left, opened nothing, and keeps nothing anywhere. A new context costs a process of the browser, which is
 * the most of a short task. Begins to take the mouse back to where it is in a new tab.
 */
export async function canBeKept(state: SessionState): Promise<boolean> {
  const { benchmark, context, documents, records, tabs } = state;
  const [page, ...others] = context.pages();
  if (
    benchmark === null ||
    benchmark.folder === null ||
    page === undefined ||
    others.length > 0 ||
    page.isClosed() ||
    documents === 0
  )
    return false;
  if (records.some(({ normalised }) => normalised !== null && HOLDING.has(normalised.type))) return false;
  try {
    const { tab } = await tabs.active();
    if (tab.page !== page || tab.documents !== documents || tab.held.size > 0 || page.frames().length > 1) return false;
    tab.goHome();
    const asked = Promise.all([tab.ask(keepsNothing, null), context.cookies()]);
    const [nothing, cookies] = await within(1000, 'the page', asked);
    return nothing && cookies.length === 0 && tab.documents === documents;
  } catch {
    // A page that does not answer is none to go on with.
    return false;
  }
}

/** Runs in the page. */
async function keepsNothing(): Promise<boolean> {
  // The empty page of a new tab, and this one: links within it would be gone back to.
  if (history.length > 2) return false;
  const empty = window.name === '' && localStorage.length === 0 && sessionStorage.length === 0;
  const [databases, stores] = await Promise.all([indexedDB.databases(), caches.keys()]);
  return empty && databases.length === 0 && stores.length === 0;
}

/** The state of a task in the context of another one; null where it needs a context of its own. */
export async function takeOver(
  kept: SessionState | null,
  browser: Browser,
  task: Task,
  files: PageFiles,
  benchmark: Benchmark | null,
): Promise<SessionState | null> {
  const { cookies = [], local_storage = {} } = task.initial_state;
  if (kept === null || benchmark === null || benchmark.folder !== kept.benchmark?.folder) return null;
  if (kept.context.browser() !== browser || cookies.length > 0 || Object.keys(local_storage).length > 0) return null;
  const { context, tabs, messages, own } = kept;
  try {
    const { tab } = await tabs.active();
    await within(1000, 'the page', tab.home);
  } catch {
    // Of a page that answers no more nothing is taken over.
    return null;
  }
  own.serveNow(files);
  messages.take();
  return { context, tabs, messages, own, ...ofTask(browser, task, files, benchmark.limits, benchmark) };
}
