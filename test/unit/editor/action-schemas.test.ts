import { EventEmitter } from 'node:events';
import { afterAll, expect, it, vi } from 'vitest';
import { ActionSchemas } from '../../../src/editor/language/action-schemas.ts';
import type { LiveRun } from '../../../src/editor/runs/live-run.ts';
import type { Task } from '../../../src/tasks/task.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

vi.mock('vscode', () => ({
  EventEmitter: class {
    readonly #events = new EventEmitter();
    readonly event = (listener: (value: unknown) => void) => this.#events.on('event', listener);
    fire(value: unknown): void {
      this.#events.emit('event', value);
    }
    dispose(): void {}
  },
  workspace: { isTrusted: true },
}));

const task = (env: Task['env'], file = '/w/a.task.json') => ({ env, file }) as Task;
const MOVE = { type: 'object', properties: { move: { enum: ['UP', 'DOWN'] } } };

it('knows the tools of MCP servers, and of environments of HUD, apart', () => {
  const memento = { get: (_key: string, initial: unknown) => initial, update: async () => {} };
  const started: ((run: LiveRun) => void)[] = [];
  const runs = { onDidStart: (listener: (run: LiveRun) => void) => started.push(listener) };
  const known = new ActionSchemas(memento as never, runs as never, {} as never);
  const one = (more: object = {}, command = 'a') =>
    task({ type: 'mcp', mcp_config: { s: { command } }, ...more } as Task['env']);
  const event = { type: 'actions', schema: MOVE };
  started[0]?.({ task: one(), onEvent: (listener: (one: unknown) => void) => listener(event) } as never);
  expect(known.of(one())).toEqual(MOVE);
  expect(known.of(one({ solution: [{ name: 'move' }] }))).toEqual(MOVE);
  expect(known.of(one({ allowed_tools: ['x'] }))).toBeUndefined();
  expect(known.of(one({}, 'b'))).toBeUndefined();
  const hud = (name: string, more: object = {}, file?: string) =>
    task({ type: 'hud', name, template: 't', ...more } as Task['env'], file);
  started[0]?.({ task: hud('shop'), onEvent: (listener: (one: unknown) => void) => listener(event) } as never);
  expect(known.of(hud('shop', { template: 'other', args: { a: 1 } }))).toEqual(MOVE);
  expect(known.of(hud('letters'))).toBeUndefined();
  expect(known.of(hud('shop', { runtime_config: { image: 'shop' } }))).toBeUndefined();
  expect(known.of(hud('shop', {}, '/other/a.task.json'))).toBeUndefined();
});

it('learns the schema of actions from a run, for all tasks in the environment, and remembers it in the workspace', () => {
  const stored = new Map<string, unknown>();
  const memento = {
    get: (key: string, initial: unknown) => stored.get(key) ?? initial,
    update: async (key: string, value: unknown) => void stored.set(key, value),
  };
  const started: ((run: LiveRun) => void)[] = [];
  const runs = { onDidStart: (listener: (run: LiveRun) => void) => started.push(listener) };
  const schemas = () => new ActionSchemas(memento as never, runs as never, {} as never);
  const known = schemas();
  const learned = vi.fn();
  known.onDidLearn(learned);
  const maze = task({ type: 'openenv', folder: './maze' });
  expect(known.of(maze)).toBeUndefined();

  const event = { type: 'actions', schema: MOVE };
  started[0]?.({ task: maze, onEvent: (listener: (one: unknown) => void) => listener(event) } as never);
  expect(learned).toHaveBeenCalledOnce();
  for (const of of [known, schemas()]) {
    expect(of.of(task({ type: 'openenv', folder: '../w/maze', task: 'x' }, '/w/b.task.json'))).toEqual(MOVE);
    expect(of.of(task({ type: 'openenv', folder: './other' }))).toBeUndefined();
    // Its actions are not objects.
    expect(of.of(task({ type: 'hud-browser', folder: './maze' }))).toBeUndefined();
  }
});
