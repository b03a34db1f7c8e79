import type { Attack } from './attack.ts';

const CONTROL = [
  'reset',
  'step',
  'state',
  'evaluate',
  'close',
  'session.evaluate',
  'get_verdict',
  'list_tasks',
  'read_run',
];
const HIDDEN = ['secret.task.json', 'secret.actions', '../secret.task.json', '{folder}/secret.task.json', 'out/job'];

/** Agents that connect to their run over MCP. */
export const OUTSIDE: readonly Attack[] = [
  {
    name: 'calls the control channel and the tools of authors by name',
    aim: 'learn',
    kinds: ['browser', 'qa', 'coding', 'openenv'],
    outside: async ({ call }) => {
      for (const name of CONTROL) await call(name, { path: '.', run: 'out', function: 'page_contains', args: [] });
    },
  },
  {
    name: 'asks its server for every other route and method',
    aim: 'learn',
    kinds: ['browser', 'qa', 'coding', 'openenv'],
    outside: async ({ ask }) => {
      for (const path of ['/', '/reset', '/state', '/tasks', '/taskwright/tasks', '/ws', '/mcp', '/../trace.jsonl']) {
        for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) await ask(path, { method });
      }
      for (const method of ['resources/read', 'resources/list', 'prompts/get', 'tasks/result', 'session.restore']) {
        const params = { uri: 'file://{folder}/secret.task.json', name: 'task' };
        await ask(null, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
      }
    },
  },
  {
    name: 'reads the task file and the solution with its tools',
    aim: 'learn',
    kinds: ['coding'],
    outside: async ({ call }) => {
      for (const path of HIDDEN) await call('read_file', { path });
    },
  },
  {
    name: 'opens the task file, the solution, and its own server in its browser',
    aim: 'learn',
    kinds: ['browser'],
    outside: async ({ call, url }) => {
      for (const path of [...HIDDEN, 'file://{folder}/secret.task.json', url, new URL('/mcp', url).href]) {
        await call('browser_navigate', { url: path });
      }
    },
  },
  {
    name: 'answers after it is done, and twice',
    aim: 'forge',
    kinds: ['browser', 'qa', 'coding', 'openenv'],
    outside: async ({ call }) => {
      const late = ['no', 'zebra'].map((response) => call('finish', { response }));
      await Promise.all([...late, call('answer', { response: 'zebra' }), call('act', { type: 'reset' })]);
    },
  },
  {
    name: 'calls a hundred tools at a time',
    aim: 'exhaust',
    kinds: ['browser', 'coding'],
    outside: async ({ call }) => {
      const one = (index: number) =>
        call(index % 2 === 0 ? 'browser_press_key' : 'read_file', { key: 'a', path: 'a.txt' });
      await Promise.all(Array.from({ length: 100 }, (_, index) => one(index)));
    },
  },
  {
    name: 'sends requests that are no MCP',
    aim: 'deny',
    kinds: ['browser', 'qa', 'coding', 'openenv'],
    outside: async ({ ask, call }) => {
      const bodies = [
        '',
        '{',
        '[]',
        'null',
        '{"jsonrpc":"2.0"}',
        `[${'['.repeat(100_000)}`,
        '\u0000'.repeat(1_000_000),
      ];
      for (const body of bodies) await ask(null, { method: 'POST', body });
      for (const args of [null, [], 'x', { __proto__: null, constructor: 1 }]) await call('finish', args);
    },
  },
];
