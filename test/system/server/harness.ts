import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import { type LocalPlacement, type LocalPlacementOptions, localPlacement } from '../../../src/placement/local.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import type { CallOutcome } from '../../../src/server/protocol.ts';
import type { ServerEvent } from '../../../src/server/results.ts';
import type { Task } from '../../../src/tasks/task.ts';

const root = join(import.meta.dirname, '..', '..', '..');
export const serverProgram = process.env['TASKWRIGHT_TEST_SERVER'] ?? join(root, 'dist', 'server.js');
export const misbehaving = join(root, 'test', 'fixtures', 'misbehaving');

export interface Marked {
  readonly placement: LocalPlacement;
  /** What the server and its browser said. */
  readonly log: string[];
  /** The environment variable by which everything of this placement is found. */
  readonly mark: string;
}

interface PlaceOptions extends Partial<LocalPlacementOptions> {
  /** False where no page is shown: the server starts at once, and its first session starts no browser. */
  readonly browserAhead?: boolean;
}

/**
 * A placement whose processes can be told from all others; ended with the test. Most tests have one session, so no other is
 * prepared.
 */
export function place(options: PlaceOptions = {}): Marked {
  const marked = placeForAll(options);
  onTestFinished(() => marked.placement.dispose());
  return marked;
}

/** The same for several tests: to be disposed by them. */
export function placeForAll({ browserAhead = true, ...options }: PlaceOptions = {}): Marked {
  const mark = `TASKWRIGHT_TEST=${randomUUID()}`;
  const log: string[] = [];
  const placement = localPlacement({
    serverProgram,
    log: (text) => log.push(text),
    prepareNext: false,
    ...options,
    env: { TASKWRIGHT_TEST: mark.split('=')[1] ?? '' },
  });
  if (!browserAhead) placement.prepare();
  return { placement, log, mark };
}

export interface FoundProcess {
  readonly pid: number;
  readonly command: string;
  /** `NAME=value` each. */
  readonly variables: readonly string[];
}

/** Every living process that carries the mark in its environment: what we started, and what that started. */
export async function processesOf(mark: string): Promise<FoundProcess[]> {
  const found: FoundProcess[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const variables = (await readFile(`/proc/${name}/environ`, 'utf8')).split('\0');
      if (!variables.includes(mark)) continue;
      const command = (await readFile(`/proc/${name}/cmdline`, 'utf8')).replaceAll('\0', ' ').trim();
      if (command !== '') found.push({ pid: Number(name), command, variables });
    } catch {
      // It has just ended.
    }
  }
  return found;
}

type Kind = 'server' | 'browser' | 'session';

/** Those of that kind that run now: a server has a session more than it was asked for, each with a browser of its own. */
export async function allOf(mark: string, kind: Kind): Promise<FoundProcess[]> {
  const is = {
    server: (command: string) => command.includes(' --folder '),
    // The script that starts one is none.
    browser: (command: string) => /^(?!\S*sh ).* --remote-debugging-pipe/.test(command) && !command.includes('--type='),
    session: (command: string) => command.includes(' session --memory '),
  }[kind];
  return (await processesOf(mark)).filter(({ command }) => is(command));
}

/** The process of that kind that started first, once there is one. */
export async function processOf(mark: string, kind: Kind): Promise<FoundProcess> {
  return vi.waitFor(
    async () => {
      const [found] = await allOf(mark, kind);
      if (found === undefined) throw new Error(`no ${kind} runs`);
      return found;
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** Waits until no process with the mark is left. */
export async function nothingLeft(mark: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const left = await processesOf(mark);
      if (left.length > 0) throw new Error(`left behind: ${left.map(({ pid, command }) => `${pid} ${command}`)}`);
    },
    { timeout: 60_000, interval: 20 },
  );
}

/** The folder that a server keeps everything in. */
export async function folderOf(mark: string): Promise<string> {
  const { command } = await processOf(mark, 'server');
  return /--folder (\S+)/.exec(command)?.[1] ?? '';
}

export function task(html: string, more: Partial<Task> = {}): Task {
  return {
    file: join(misbehaving, 'some.task.json'),
    index: 0,
    id: 'some',
    era: '0.2',
    range: EMPTY_RANGE,
    name: null,
    description: null,
    prompt: 'Do it',
    system_prompt: null,
    env: { type: 'hud-browser' },
    tags: [],
    initial_state: { html },
    setup: [],
    evaluate: [],
    config: null,
    sensitive_data: {},
    metadata: {},
    max_steps: null,
    ...more,
  };
}

/** One session of a server, with a task, as the Runner talks to it. */
export class TestSession {
  readonly server: EnvironmentServer;
  readonly id: string;
  readonly events: ServerEvent[] = [];

  private constructor(server: EnvironmentServer, id: string) {
    this.server = server;
    this.id = id;
    server.onEvent((event) => {
      if ('session' in event && event.session === id) this.events.push(event);
    });
  }

  static async open(placement: LocalPlacement, html = '<p>Hello</p>'): Promise<TestSession> {
    const server = await placement.server();
    const { session } = await server.request('session.open', {});
    const opened = new TestSession(server, session);
    await opened.reset(html);
    return opened;
  }

  reset(html: string) {
    return this.server.request('session.reset', {
      session: this.id,
      task: task(html),
      files: { folder: misbehaving },
      seed: 0,
    });
  }

  step(...actions: string[]) {
    return this.server.request('session.step', { session: this.id, actions });
  }

  setup(name: string, ...args: string[]): Promise<CallOutcome> {
    return this.#call('session.setup', name, args, 20_000);
  }

  evaluate(name: string, limitMs = 20_000): Promise<CallOutcome> {
    return this.#call('session.evaluate', name, [], limitMs);
  }

  /** What the function said of a call that went well. */
  async reason(name: string): Promise<string> {
    const outcome = await this.evaluate(name);
    if ('error' in outcome) throw new Error(`${name}: ${outcome.error.message}`);
    return outcome.reason;
  }

  close() {
    return this.server.request('session.close', { session: this.id });
  }

  #call(method: 'session.setup' | 'session.evaluate', name: string, args: string[], limit_ms: number) {
    return this.server.request(method, {
      session: this.id,
      call: { function: name, args, range: EMPTY_RANGE },
      limit_ms,
    });
  }
}
