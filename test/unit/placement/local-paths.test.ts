import { expect, test } from 'vitest';
import { localPaths, withLocalPaths } from '../../../src/placement/local-paths.ts';
import { type EnvironmentServer, ServerError } from '../../../src/placement/placement.ts';
import type { CallOutcome, Method, Params } from '../../../src/server/protocol.ts';
import type { Results, ServerEvent } from '../../../src/server/results.ts';
import { seen } from '../runs/fake-placement.ts';
import { task } from '../runs/tasks.ts';

const own = localPaths('/taskwright/tasks', '/home/me/my shop');

test.each([
  [
    'at check (file:///taskwright/tasks/shop.functions.ts?v=1:12:5)',
    'at check (file:///home/me/my%20shop/shop.functions.ts?v=1:12:5)',
  ],
  ['/taskwright/tasks/shop.functions.ts:12', '/home/me/my shop/shop.functions.ts:12'],
  ["ENOENT: open '/taskwright/tasks/data/a.json'", "ENOENT: open '/home/me/my shop/data/a.json'"],
  ['the folder /taskwright/tasks.', 'the folder /home/me/my shop.'],
  ['file:///taskwright/tasks', 'file:///home/me/my%20shop'],
  ['http://example.com/taskwright/tasks/5', 'http://example.com/taskwright/tasks/5'],
  ['/taskwright/tasks-of-others/a.ts', '/taskwright/tasks-of-others/a.ts'],
  ['/taskwright/tasks.json', '/taskwright/tasks.json'],
  ['/home/taskwright/tasks/a.ts', '/home/taskwright/tasks/a.ts'],
  ['expected 3, found /tasks/5', 'expected 3, found /tasks/5'],
])('%s is said as %s', (text, said) => {
  expect(own(text)).toBe(said);
});

/** A server that answers every request with what it is given. */
function server(answer: (method: Method) => unknown): EnvironmentServer & { say(event: ServerEvent): void } {
  const listeners = new Set<(event: ServerEvent) => void>();
  return {
    whenEnded: new Promise(() => {}),
    dispose: async () => {},
    reach: async (port) => port,
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    request: async <M extends Method>(method: M) => answer(method) as Results[M],
    say: (event) => {
      for (const listener of listeners) listener(event);
    },
  };
}

async function reset(on: EnvironmentServer, files: Params<'session.reset'>['files']): Promise<void> {
  await on.request('session.reset', { session: 's', task: task({}), files, seed: 0 });
}

const call = { function: 'check', args: [], range: task({}).range };

test('replaces paths in errors, stacks, reasons, console messages, and the log with those of the user’s files', async () => {
  const answers: Partial<Record<Method, unknown>> = {
    'session.reset': { ...seen('start'), goal: null, folder: '/mnt' },
    'session.step': {
      ...seen('a page that says /mnt/a.ts', {
        info: { messages: [{ kind: 'error', text: 'at /mnt/a.ts:1', location: '/mnt/a.ts:2' }] },
        error: { code: 'x', message: 'see /mnt/a.ts' },
      }),
    },
    'session.evaluate': {
      error: { code: 'call_threw', message: 'threw in /mnt/a.ts:3', stack: 'at file:///mnt/a.ts?v=1:3:4' },
      duration_ms: 1,
    } satisfies CallOutcome,
    'session.setup': { value: 1, reason: 'read /mnt/b.json', duration_ms: 1, step: null } satisfies CallOutcome,
  };
  const far = server((method) => answers[method]);
  const near = withLocalPaths(far, '/home/me');
  const heard: ServerEvent[] = [];
  near.onEvent((event) => heard.push(event));
  await reset(near, { folder: '/mnt' });

  const step = await near.request('session.step', { session: 's', actions: [] });
  const evaluate = await near.request('session.evaluate', { session: 's', call, limit_ms: 1 });
  const setup = await near.request('session.setup', { session: 's', call, limit_ms: 1 });
  far.say({ event: 'log', session: 's', level: 'info', text: 'loaded /mnt/a.ts' });

  expect(step.info.messages).toEqual([{ kind: 'error', text: 'at /home/me/a.ts:1', location: '/home/me/a.ts:2' }]);
  expect(step.error?.message).toBe('see /home/me/a.ts');
  // What an agent sees is the same wherever the environment runs.
  expect(step.observation.text).toBe('a page that says /mnt/a.ts');
  expect(evaluate).toMatchObject({
    error: { message: 'threw in /home/me/a.ts:3', stack: 'at file:///home/me/a.ts?v=1:3:4' },
  });
  expect(setup).toMatchObject({ reason: 'read /home/me/b.json' });
  expect(heard).toMatchObject([{ text: 'loaded /home/me/a.ts' }]);
});

test('explains what to do about a package that a container does not see', async () => {
  const message =
    "shop.functions.ts could not be loaded: Cannot find package 'zod' imported from /mnt/shop.functions.ts";
  const near = withLocalPaths(
    server((method) =>
      method === 'session.reset'
        ? { ...seen('start'), goal: null, folder: '/mnt' }
        : { error: { code: 'unknown_function', message }, duration_ms: 1 },
    ),
    '/home/me',
  );
  await reset(near, { folder: '/mnt' });

  const outcome = await near.request('session.evaluate', { session: 's', call, limit_ms: 1 });

  expect(outcome).toMatchObject({
    error: {
      message: expect.stringMatching(/from \/home\/me\/shop\.functions\.ts\. A container can only .*--placement local/),
    },
  });
});

test('reads from the server where it has put files that were sent to it', async () => {
  const near = withLocalPaths(
    server((method) => {
      if (method === 'session.reset') return { ...seen('start'), goal: null, folder: '/tmp/taskwright-1/s/task-2' };
      throw new ServerError('start_failed', 'nothing at /tmp/taskwright-1/s/task-2/a.html');
    }),
    '/home/me',
  );
  await reset(near, { contents: {} });

  await expect(near.request('session.urls', { session: 's' })).rejects.toThrow('nothing at /home/me/a.html');
});
