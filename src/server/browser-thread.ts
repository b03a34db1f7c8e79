import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import {
  MessageChannel,
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  Worker,
  workerData,
} from 'node:worker_threads';
import type { Browser, Page } from 'playwright-core';
import type { Json } from '../base/json.ts';
import { patient } from '../base/patience.ts';
import { type PageLink, readLinks } from '../functions/page/page-link.ts';
import { askPage } from '../functions/page/questions.ts';
import type { StartedBrowser } from './browser.ts';
import { RequestFailure, toFailure } from './failure.ts';
import type { Failure } from './protocol.ts';
import { BROWSER_THREAD, BROWSER_THREAD_NAME } from './session-names.ts';

/** Time limit for an answer, in ms. The query itself has a shorter one. */
const ANSWER_LIMIT = patient(10_000);

/** Maximum length of the folder of the socket. The path of a socket has at most 103 characters on macOS. */
const MAX_FOLDER = 60;

/** A query of a page, for a thread that controls the same browser. */
export interface PageQuery {
  readonly page: Page;
  /** A locator of the page as Playwright prints it, such as `locator('h1').first()`, if the query begins there. */
  readonly locator: string | null;
  readonly links: readonly PageLink[];
}

/** A browser in a thread of its own. */
export interface ThreadedBrowser extends StartedBrowser {
  /** Answers a query while this thread is stopped in a debugger: blocks until the answer is there. Throws if there is none. */
  readonly ask: (query: PageQuery) => Json;
}

interface ThreadData {
  readonly trySandbox: boolean;
  readonly queries: MessagePort;
  /** Its only element becomes 1 with an answer. */
  readonly answerFlag: Int32Array;
}

type Start =
  | { readonly browser: Omit<StartedBrowser, 'browser'> & { readonly endpoint: string } }
  | { readonly failure: Failure };

/** The position of a page among those of the browser, which is the same for all programs that control it. */
interface Position {
  readonly context: number;
  readonly page: number;
}

type Query = Omit<PageQuery, 'page'> & { readonly id: number; readonly position: Position };
type Answer = { readonly id: number; readonly result: Json } | { readonly id: number; readonly failure: Failure };

/**
 * Starts a browser that is controlled by a thread of this process, and connects to it through a socket that only this user can
 * open. A debugger that stops this thread does not stop the other one.
 * @throws RequestFailure as `startBrowser` does
 */
export async function startBrowserThread(trySandbox: boolean): Promise<ThreadedBrowser> {
  const { port1: queries, port2 } = new MessageChannel();
  const answerFlag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const data: ThreadData = { trySandbox, queries: port2, answerFlag };
  const thread = new Worker(process.argv[1] ?? '', {
    argv: [BROWSER_THREAD],
    name: BROWSER_THREAD_NAME,
    workerData: data,
    transferList: [port2],
  });
  const start = await new Promise<Start>((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.once('exit', () => reject(new Error('The browser thread ended while it started.')));
  });
  if ('failure' in start) {
    await thread.terminate();
    throw new RequestFailure(start.failure.code, start.failure.message);
  }
  // Its browser is reported as closed.
  thread.on('error', (error) => console.error('The browser thread failed:', error));
  thread.unref();
  queries.unref();
  const { endpoint, ...started } = start.browser;
  const { chromium } = await import('playwright-core');
  const browser = await chromium.connect(endpoint);
  browser.once('disconnected', () => void thread.terminate());
  let last = 0;
  const ask = ({ page, ...query }: PageQuery): Json => {
    last += 1;
    queries.postMessage({ ...query, id: last, position: positionOf(browser, page) } satisfies Query);
    for (;;) {
      if (Atomics.wait(answerFlag, 0, 0, ANSWER_LIMIT) === 'timed-out')
        throw new Error('The browser did not answer in time.');
      Atomics.store(answerFlag, 0, 0);
      const answer = lastAnswer(queries);
      // An earlier query may have been answered too late.
      if (answer?.id !== last) continue;
      if ('failure' in answer) throw new Error(answer.failure.message);
      return answer.result;
    }
  };
  return { ...started, browser, ask };
}

/** Runs the thread of a browser, until its browser ends or the thread that started it does. */
export async function runBrowserThread(): Promise<void> {
  const { trySandbox, queries, answerFlag } = workerData as ThreadData;
  let browser: Browser;
  try {
    const { startBrowser } = await import('./browser.ts');
    const { browser: startedBrowser, ...started } = await startBrowser(trySandbox);
    browser = startedBrowser;
    // Where Playwright puts the socket, and files that describe it, which remain if the process is killed.
    const folder = tmpdir().length <= MAX_FOLDER ? tmpdir() : await mkdtemp('/tmp/taskwright-');
    Object.assign(process.env, { XDG_RUNTIME_DIR: folder, XDG_CACHE_HOME: folder, LOCALAPPDATA: folder });
    if (folder !== tmpdir()) browser.once('disconnected', () => rmSync(folder, { recursive: true, force: true }));
    const { endpoint } = await browser.bind('Taskwright');
    parentPort?.postMessage({ browser: { ...started, endpoint } } satisfies Start);
  } catch (error) {
    parentPort?.postMessage({ failure: toFailure(error) } satisfies Start);
    return;
  }
  queries.on('message', async (query: Query) => {
    queries.postMessage(await answer(browser, query));
    Atomics.store(answerFlag, 0, 1);
    Atomics.notify(answerFlag, 0);
  });
}

async function answer(browser: Browser, { id, position, locator, links }: Query): Promise<Answer> {
  try {
    const page = browser.contexts()[position.context]?.pages()[position.page];
    if (page === undefined) throw new Error('The page is closed.');
    return { id, result: await askPage(page, locator === null ? links : [...readLinks(locator), ...links]) };
  } catch (error) {
    return { id, failure: toFailure(error) };
  }
}

function lastAnswer(queries: MessagePort): Answer | undefined {
  let last: Answer | undefined;
  for (let next = receiveMessageOnPort(queries); next !== undefined; next = receiveMessageOnPort(queries))
    last = next.message;
  return last;
}

function positionOf(browser: Browser, page: Page): Position {
  const context = page.context();
  return { context: browser.contexts().indexOf(context), page: context.pages().indexOf(page) };
}
