import { readFile } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { inCi } from '../../../scripts/in-ci.ts';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { locateMiniwob } from '../../../src/environments/browser/miniwob/locate.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { files, task } from './stage.ts';

const location = await locateMiniwob();

/** Why nothing of MiniWoB++ can be tested here; null where it can. */
export const missing = 'found' in location ? null : `no pages of MiniWoB++: ${location.tried.join('; ')}`;
if (missing !== null) console.warn(`Skipped: ${missing}`);
if (missing !== null && inCi) throw new Error(missing);

/** Where the pages are. */
export const pagesFolder = 'found' in location ? location.found.folder : '';

/** Rows of what BrowserGym itself answered (0.14.3, miniwob 1.1.0). */
export async function recorded<T>(name: string): Promise<T[]> {
  const text = await readFile(new URL(`../../fixtures/miniwob/${name}.jsonl`, import.meta.url), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
}

export function miniwobTask(task_name: string, more: Readonly<Record<string, string>> = {}): Task {
  const env = { type: 'browsergym', benchmark: 'miniwob', task_name, ...more };
  return task({}, { prompt: null, env });
}

export function miniwobEnvironment(browser: Browser): BrowserEnvironment {
  return new BrowserEnvironment({
    browser: async () => browser,
    log: console.log,
    miniwob: async () => {
      if (!('found' in location)) throw new Error(`${missing}`);
      return location.found.folder;
    },
  });
}

export function reset(environment: BrowserEnvironment, of: Task, seed: number) {
  return environment.reset({ task: of, files: files({}), seed });
}

/** The text of a page as BrowserGym had it, which served the pages at another address. */
export function asRecorded(text: string | null): string {
  return (text ?? '').replaceAll('http://miniwob.localhost/', 'http://127.0.0.1:8888/');
}

/** Works on all items, two at a time, each worker in an environment of its own. */
export async function inPairs<T>(
  browser: Browser,
  items: readonly T[],
  work: (environment: BrowserEnvironment, item: T) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const worker = async (): Promise<void> => {
    const environment = miniwobEnvironment(browser);
    try {
      for (const item of left) await work(environment, item);
    } finally {
      await environment.close();
    }
  };
  await Promise.all([worker(), worker()]);
}
