import type { Browser, BrowserContext } from 'playwright-core';
import type { ActionRecord } from '../../../functions/declaration.ts';
import type { Task } from '../../../tasks/task.ts';
import { EnvironmentError } from '../../environment.ts';
import type { Benchmark, Judgement } from '../browsergym/benchmark.ts';
import type { Limits } from '../limits.ts';
import type { Live } from '../live/live-view.ts';
import { Messages } from '../observing/messages.ts';
import { asksForWholePage } from '../recording/action-records.ts';
import { PageRecorder } from '../recording/page-recorder.ts';
import { PastElements } from '../recording/past-elements.ts';
import { resolveAddress } from './addresses.ts';
import { type PageFiles, TASK_ORIGIN } from './page-files.ts';
import { Tabs } from './tabs.ts';
import { OwnPages } from './task-pages.ts';

/** Size of the window's inside, in CSS pixels. */
export const VIEWPORT = { width: 1280, height: 720 };

/** Everything of one task: gone with the next reset. */
export interface SessionState {
  readonly context: BrowserContext;
  readonly tabs: Tabs;
  readonly messages: Messages;
  readonly files: PageFiles;
  readonly own: OwnPages;
  readonly pastElements: PastElements;
  /** Each action records the page that it acts on: an evaluate call will ask for it. */
  readonly recordsPages: boolean;
  /** The values that placeholders stand for, by site. */
  readonly sensitive: Task['sensitive_data'];
  readonly records: ActionRecord[];
  readonly recorder: PageRecorder;
  readonly limits: Limits;
  /** Gives the goal and the reward, where the task is of one. */
  readonly benchmark: Benchmark | null;
  /** What the benchmark said last; null where there is none, or the agent has not acted yet. */
  judged: Judgement | null;
  response: string | null;
  /** How many documents the first tab had begun to show when the task began. */
  documents: number;
}

/** A fresh context with the task's cookies and storage, and nothing open in it yet. */
export async function createSessionState(
  browser: Browser,
  task: Task,
  files: PageFiles,
  limits: Limits,
  benchmark: Benchmark | null,
  lives: ReadonlySet<Live>,
  fail: (error: EnvironmentError) => void,
): Promise<SessionState> {
  const start = await startAddress(task, files);
  const { cookies = [], local_storage = {} } = task.initial_state;
  const entries = Object.entries(local_storage).map(([name, value]) => ({ name, value }));
  const origin = start && /^https?:/.test(start) ? new URL(start).origin : TASK_ORIGIN;
  const context = await browser.newContext({
    viewport: benchmark?.viewport ?? VIEWPORT,
    deviceScaleFactor: 1,
    locale: 'en-US',
    serviceWorkers: 'block',
    acceptDownloads: false,
    ...(entries.length === 0 ? {} : { storageState: { cookies: [], origins: [{ origin, localStorage: entries }] } }),
  });
  // Chromium counts the task's own pages as public, and would keep them from sites of this machine.
  await context.grantPermissions(['local-network-access'], { origin: TASK_ORIGIN });
  const messages = new Messages();
  messages.listen(context);
  const own = new OwnPages(context, files, messages);
  // A benchmark with pages of its own has no use for others.
  if (benchmark === null || benchmark.folder === null) await own.serve();
  await benchmark?.prepare(context, own);
  context.setDefaultTimeout(limits.action);
  context.setDefaultNavigationTimeout(limits.navigation);
  if (cookies.length > 0) {
    try {
      await context.addCookies(
        cookies.map(({ url, domain, path, expires, httpOnly, secure, sameSite, name, value }) => ({
          name,
          value,
          ...(domain === undefined ? { url: url ?? start ?? `${TASK_ORIGIN}/` } : { domain, path: path ?? '/' }),
          ...(expires === undefined ? {} : { expires }),
          ...(httpOnly === undefined ? {} : { httpOnly }),
          ...(secure === undefined ? {} : { secure }),
          ...(sameSite === undefined ? {} : { sameSite }),
        })),
      );
    } catch (error) {
      await context.close();
      const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
      throw new EnvironmentError('start_failed', `the cookies of the initial state cannot be set: ${why}`, {
        cause: error,
      });
    }
  }
  const tabs = new Tabs(context, limits, benchmark?.scrollBars ?? false, lives, fail);
  return { context, tabs, messages, own, ...ofTask(browser, task, files, limits, benchmark) };
}

/** What of a state is a task's own, whatever context it is in. */
export function ofTask(
  browser: Browser,
  task: Task,
  files: PageFiles,
  limits: Limits,
  benchmark: Benchmark | null,
): Omit<SessionState, 'context' | 'tabs' | 'messages' | 'own'> {
  return {
    files,
    pastElements: new PastElements(browser, limits.action),
    recordsPages: asksForWholePage(task.evaluate),
    sensitive: task.sensitive_data,
    records: [],
    recorder: new PageRecorder(),
    limits,
    benchmark,
    judged: null,
    response: null,
    documents: 0,
  };
}

async function startAddress(task: Task, files: PageFiles): Promise<string | null> {
  const { html, start_url } = task.initial_state;
  if (html !== undefined) return `${TASK_ORIGIN}/`;
  if (start_url === undefined) return null;
  const address = await resolveAddress(start_url, files);
  return 'url' in address ? address.url : null;
}

/** Pixels of a picture for each CSS pixel. */
export function scaleOf({ benchmark }: SessionState): number {
  return benchmark?.scale ?? 1;
}
