import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import type { ActionInput } from '../../../src/actions/action.ts';
import type { Json } from '../../../src/base/json.ts';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import type { CallOutcome } from '../../../src/server/protocol.ts';
import type { Call, EnvironmentSpec } from '../../../src/tasks/task.ts';
import { type Marked, placeForAll, task } from '../server/harness.ts';

/** A coding task in a session of its own. */
export class Coding {
  readonly server: EnvironmentServer;
  readonly session: string;

  private constructor(server: EnvironmentServer, session: string) {
    this.server = server;
    this.session = session;
  }

  static async in({ placement }: Marked): Promise<Coding> {
    const server = await placement.server();
    const { session } = await server.request('session.open', {});
    return new Coding(server, session);
  }

  static async open(marked: Marked, env: Omit<EnvironmentSpec, 'type'>, folder = tmpdir()) {
    const coding = await Coding.in(marked);
    return { coding, start: await coding.reset(env, folder) };
  }

  reset(env: Omit<EnvironmentSpec, 'type'>, folder = tmpdir()) {
    const { session } = this;
    const codingTask = task('', { env: { ...env, type: 'coding' }, file: join(folder, 'a.task.json') });
    return this.server.request('session.reset', { session, task: codingTask, files: { folder }, seed: 0 });
  }

  step(...actions: ActionInput[]) {
    return this.server.request('session.step', { session: this.session, actions });
  }

  /** `loops` gets a moment only. */
  evaluate(name: string, ...args: Json[]): Promise<CallOutcome> {
    const limit_ms = name === 'loops' ? 100 : 20_000;
    return this.server.request('session.evaluate', { session: this.session, call: call(name, args), limit_ms });
  }

  setup(name: string, ...args: Json[]): Promise<CallOutcome> {
    return this.server.request('session.setup', { session: this.session, call: call(name, args), limit_ms: 20_000 });
  }

  close() {
    return this.server.request('session.close', { session: this.session });
  }
}

/**
 * Coding tasks in one environment server for all tests of a file. The function that is returned opens one in a session that
 * ends with the test.
 */
export function openInSharedServer() {
  const marked = placeForAll();
  afterAll(() => marked.placement.dispose());
  return async (env: Omit<EnvironmentSpec, 'type'>, folder = tmpdir()) => {
    const coding = await Coding.in(marked);
    onTestFinished(async () => void (await coding.close()));
    return { coding, start: await coding.reset(env, folder) };
  };
}

const call = (name: string, args: readonly Json[]): Call => ({ function: name, args: [...args], range: EMPTY_RANGE });

export function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'taskwright-coding-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}
