import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { listen } from '../../../src/serving/http/main.ts';
import type { ServedEnvironment, ServedResult } from '../../../src/serving/served-environment.ts';

const RESULT: ServedResult = { observation: [Buffer.from('{}')], metadata: {}, reward: null, done: false };
const ADD = {
  name: 'add',
  description: 'Adds an item.',
  inputSchema: { type: 'object', properties: { item: { type: 'string' } } },
} as const;

it('an environment whose actions are calls of tools offers them over MCP when it has a task', async () => {
  const steps: string[] = [];
  const environment: ServedEnvironment = {
    name: 'shop',
    description: '',
    version: '1',
    schemas: { action: {}, observation: {}, state: {} },
    splits: async () => [],
    tasks: async () => [],
    open: () => {
      let isReset = false;
      return {
        reset: async () => {
          isReset = true;
          return RESULT;
        },
        step: async () => RESULT,
        act: async (action) => {
          steps.push(action);
        },
        state: () => ({}),
        tools: () => (isReset ? [ADD] : []),
        observe: () => (isReset ? 'a shop' : null),
        close: async () => undefined,
      };
    },
  };
  const server = await listen(environment, {
    host: '127.0.0.1',
    port: 0,
    token: null,
    agentToken: 'agent',
    maxSessions: 1,
    idleMs: 60_000,
    log: () => undefined,
  });
  try {
    const ask = async (method: string, params: Json): Promise<Record<string, Json>> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
      const headers = { 'content-type': 'application/json', authorization: 'Bearer agent' };
      const answer = await fetch(`http://127.0.0.1:${server.port}/mcp`, { method: 'POST', headers, body });
      const { result, error } = (await answer.json()) as Record<string, Record<string, Json>>;
      return result ?? error ?? {};
    };
    const { session_id } = await ask('openenv/session/create', {});
    const list = async () => ((await ask('tools/list', { session_id: session_id ?? null }))['tools'] ?? []) as Json[];
    const call = (name: string, args: Json) =>
      ask('tools/call', { session_id: session_id ?? null, name, arguments: args });

    expect((await list()).map((one) => (one as typeof ADD).name)).toEqual(['act', 'observe']);
    expect(await call('add', {})).toMatchObject({ message: "Unknown tool: 'add'" });
    await call('observe', {});
    expect(await list()).toMatchObject([ADD, { name: 'act' }, { name: 'observe' }]);
    expect(await call('add', { item: 'apple' })).toMatchObject({ data: 'a shop' });
    expect(steps).toEqual(['{"name":"add","arguments":{"item":"apple"}}']);
  } finally {
    await server.close();
  }
});
