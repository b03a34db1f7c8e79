import type { Browser, BrowserContext } from 'playwright-core';
import { defined } from '../../../base/defined.ts';
import { firstLine } from '../../../base/first-line.ts';
import type { ActionRecord } from '../../../functions/declaration.ts';
import type { Task } from '../../../tasks/task.ts';
import { EnvironmentError } from '../../environment.ts';
import type { Benchmark, Judgement } from '../browsergym/benchmark.ts';
import type { Limits } from '../limits.ts';
import type { Live } from '../live/live-view.ts';
import { Messages } from '../observing/messages.ts';
import type { PageObservation } from '../observing/page-observation.ts';
import { needsRecordedPages } from '../recording/action-records.ts';
import { PageRecorder } from '../recording/page-recorder.ts';
import { PastElements } from '../recording/past-elements.ts';
import { resolveAddress } from './addresses.ts';
import { registerInContext } from './callable.ts';
import { Dialogs } from './dialogs.ts';
import { Downloads } from './downloads.ts';
import { PageFiles, TASK_ORIGIN } from './page-files.ts';
import { grantPermissions } from './permissions.ts';
import { refuseServiceWorkers } from './service-workers.ts';
import { CONTEXT_OPTIONS, VIEWPORT } from './tab.ts';
import { Tabs } from './tabs.ts';
import { TaskPages } from './task-pages.ts';

/** The state of one task, until the next reset. */
export interface SessionState {
  readonly context: BrowserContext;
  /** The context is that of another program, whose pages stay as they are when the task ends. */
  readonly borrowed: boolean;
  readonly tabs: Tabs;
  readonly messages: Messages;
  readonly dialogs: Dialogs;
  readonly downloads: Downloads;
  readonly files: PageFiles;
  readonly taskPages: TaskPages;
  readonly pastElements: PastElements;
  /** Whether each action records the page that it acts on, because an evaluate call needs it. */
  readonly recordsPages: boolean;
  /** The values of placeholders, by site. */
  readonly sensitive: Task['sensitive_data'];
  readonly records: ActionRecord[];
  readonly recorder: PageRecorder;
  readonly limits: Limits;
  /** Provides the goal and the reward; null for other tasks. */
  readonly benchmark: Benchmark | null;
  /** The last state of the episode; null without a benchmark, or before the agent's first action. */
  judgement: Judgement | null;
  response: string | null;
  /** The number of documents that the first tab had shown when the task started. */
  documents: number;
  /** The last observation without an open dialog. */
  lastObservation: PageObservation | null;
}

/** Creates a context with the task's cookies and storage, without pages. */
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
    ...CONTEXT_OPTIONS,
    acceptDownloads: true,
    viewport: benchmark?.viewport ?? VIEWPORT,
    ...(entries.length === 0 ? {} : { storageState: { cookies: [], origins: [{ origin, localStorage: entries }] } }),
  });
  await grantPermissions(context);
  await context.addInitScript(refuseServiceWorkers);
  const own = contextState(context, files, limits);
  own.downloads.listen(context);
  // A benchmark with its own pages does not need others.
  if (benchmark === null || benchmark.folder === null) await own.taskPages.serve();
  await benchmark?.prepare(context, own.taskPages);
  if (cookies.length > 0) {
    try {
      await context.addCookies(
        cookies.map(({ url, domain, path, expires, httpOnly, secure, sameSite, name, value }) => ({
          name,
          value,
          ...(domain === undefined ? { url: url ?? start ?? `${TASK_ORIGIN}/` } : { domain, path: path ?? '/' }),
          ...defined({ expires, httpOnly, secure, sameSite }),
        })),
      );
    } catch (error) {
      await context.close();
      const message = `the cookies of the initial state cannot be set: ${firstLine(error)}`;
      throw new EnvironmentError('start_failed', message, { cause: error });
    }
  }
  const scrollBars = benchmark?.scrollBars ?? false;
  const tabs = new Tabs(context, { limits, scrollBars, borrowed: false, dialogs: own.dialogs, lives, fail });
  return { ...own, borrowed: false, tabs, ...createTaskState(browser, task, files, limits, benchmark) };
}

/**
 * The pages that another program has opened in its browser, as they are. `target`: the id of the one to act on; null for any.
 */
export async function borrowSessionState(
  browser: Browser,
  target: string | null,
  task: Task,
  limits: Limits,
  lives: ReadonlySet<Live>,
  fail: (error: EnvironmentError) => void,
): Promise<SessionState> {
  const [context] = browser.contexts();
  if (context === undefined) throw new EnvironmentError('start_failed', 'The browser has no window.');
  await registerInContext(context);
  const files = new PageFiles({ contents: {} });
  const own = contextState(context, files, limits);
  const tabs = new Tabs(context, { limits, scrollBars: true, borrowed: true, dialogs: own.dialogs, lives, fail });
  await tabs.takeOver(target);
  return { ...own, borrowed: true, tabs, ...createTaskState(browser, task, files, limits, null) };
}

/** The part of the state that belongs to the context, whose messages are collected from now on. */
function contextState(
  context: BrowserContext,
  files: PageFiles,
  limits: Limits,
): Pick<SessionState, 'context' | 'messages' | 'dialogs' | 'downloads' | 'taskPages'> {
  context.setDefaultTimeout(limits.action);
  context.setDefaultNavigationTimeout(limits.navigation);
  const messages = new Messages();
  messages.listen(context);
  const dialogs = new Dialogs(context, messages, limits.action);
  return {
    context,
    messages,
    dialogs,
    downloads: new Downloads(messages, files),
    taskPages: new TaskPages(context, files, messages),
  };
}

/** The part of the state that belongs to the task and not to its context. */
export function createTaskState(
  browser: Browser,
  task: Task,
  files: PageFiles,
  limits: Limits,
  benchmark: Benchmark | null,
): Omit<SessionState, 'context' | 'borrowed' | 'tabs' | 'messages' | 'dialogs' | 'downloads' | 'taskPages'> {
  return {
    files,
    pastElements: new PastElements(browser, limits.action),
    recordsPages: needsRecordedPages(task.evaluate),
    sensitive: task.sensitive_data,
    records: [],
    recorder: new PageRecorder(),
    limits,
    benchmark,
    judgement: null,
    response: null,
    documents: 0,
    lastObservation: null,
  };
}

async function startAddress(task: Task, files: PageFiles): Promise<string | null> {
  const { html, start_url } = task.initial_state;
  if (html !== undefined) return `${TASK_ORIGIN}/`;
  if (start_url === undefined) return null;
  const address = await resolveAddress(start_url, files);
  return 'url' in address ? address.url : null;
}

/** Screenshot pixels per CSS pixel. */
export function scaleOf({ benchmark }: SessionState): number {
  return benchmark?.scale ?? 1;
}
