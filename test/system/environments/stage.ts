import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { LIMITS, type Limits } from '../../../src/environments/browser/limits.ts';
import type { StepResult, TaskFiles } from '../../../src/environments/environment.ts';
import { startBrowser } from '../../../src/server/browser.ts';
import type { InitialState, Task } from '../../../src/tasks/task.ts';

/** A browser as environments are given it. */
export async function launch(): Promise<Browser> {
  return (await startBrowser(true)).browser;
}

export function task(initial_state: InitialState, more: Partial<Task> = {}): Task {
  const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
  return {
    file: '/tasks/shop.task.json',
    index: 0,
    id: 'shop',
    era: '0.2',
    range: nowhere,
    name: null,
    description: null,
    prompt: 'Buy it.',
    system_prompt: null,
    env: { type: 'hud-browser' },
    tags: [],
    initial_state,
    setup: [],
    evaluate: [],
    config: null,
    sensitive_data: {},
    metadata: {},
    max_steps: null,
    ...more,
  };
}

/** Limits for what happens, however busy the machine is. */
export const PATIENT: Limits = { ...LIMITS, action: 30_000, navigation: 30_000, observe: 30_000 };
/** Limits for what never happens. */
export const SOON: Limits = { ...LIMITS, action: 2000, navigation: 4000, observe: 6000 };

export let browser: Browser;
/** An environment that acts, and one that is put at what that has recorded. */
export let live: BrowserEnvironment;
export let rebuilt: BrowserEnvironment;

/** Opens one browser with both environments for all tests of a file. */
export function shareEnvironments(): void {
  beforeAll(async () => {
    browser = await launch();
    live = new BrowserEnvironment({ browser: async () => browser, log: console.log }, PATIENT);
    rebuilt = new BrowserEnvironment({ browser: async () => browser, log: console.log }, PATIENT);
  });
  afterAll(async () => {
    await live.close();
    await rebuilt.close();
    await browser.close();
  });
}

/** An environment with one page of inline HTML in it. */
export async function showing(
  environment: BrowserEnvironment,
  html: string,
  contents: Readonly<Record<string, string>> = {},
  more: Partial<Task> = {},
): Promise<StepResult> {
  return environment.reset({ task: task({ html }, more), files: files(contents), seed: 0 });
}

export function files(contents: Readonly<Record<string, string>>): TaskFiles {
  return { contents: Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, Buffer.from(text)])) };
}

/** A server on loopback that answers as told; a path it is not told of is never answered. */
export async function serve(
  answers: Readonly<Record<string, { status?: number; headers?: Record<string, string>; body?: string; open?: true }>>,
): Promise<{ url: string; close(): Promise<void> }> {
  const server: Server = createServer((request, response) => {
    const answer = answers[request.url ?? ''];
    if (!answer) return;
    response.writeHead(answer.status ?? 200, { 'content-type': 'text/html', ...answer.headers });
    response.write(answer.body ?? ' ');
    if (!answer.open) response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
