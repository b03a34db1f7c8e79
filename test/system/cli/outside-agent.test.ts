import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import type { AgentAddress } from '../../../src/agents/agent-kind.ts';
import { connect, shownIn } from '../../unit/agents/mcp-client.ts';
import { dist } from '../programs.ts';
import { type Started, start } from './program.ts';

const TASK = {
  id: 'sum',
  prompt: 'What is 2 + 2?',
  gym: 'qa',
  evaluate: ['response_is', '4'],
};

/** A run of the command line that waits for an agent. */
async function waitingRun(task: object = TASK): Promise<{ program: Started; address: AgentAddress; runId: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-outside-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'sum.task.json'), JSON.stringify(task));
  const program = start(['run', 'sum.task.json', '--agent', 'mcp', '--json'], folder);
  await program.saying('run_id');
  const line = program
    .said()
    .err.split('\n')
    .find((one) => one.startsWith('{"mcp"'));
  const { mcp, run_id: runId } = JSON.parse(line ?? '') as { mcp: AgentAddress; run_id: string };
  return { program, address: mcp, runId };
}

it('A client of MCP solves the task of a run that waits for it', async () => {
  const { program, address, runId } = await waitingRun();
  const client = await connect(address);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['answer', 'finish']);
  const answered = await client.callTool({ name: 'answer', arguments: { response: '4' } });
  expect(shownIn(answered).isError).toBe(false);
  const { code, out } = await program.ended;
  expect(JSON.parse(out).runs).toMatchObject([{ run_id: runId, reward: 1, steps: 1 }]);
  expect(code).toBe(0);
});

it('The pages of a run do not reach the address at which it waits', async () => {
  const { program, address } = await waitingRun({ id: 'page', prompt: 'p', evaluate: ['page_contains', 'nothing'] });
  const client = await connect(address);
  const { port, pathname } = new URL(address.url);
  for (const name of ['127.0.0.1', 'localhost', 'a.localhost', '[::1]', '0x7f.1']) {
    const url = `http://${name}:${port}${pathname}`;
    const opened = shownIn(await client.callTool({ name: 'browser_navigate', arguments: { url } }));
    expect(opened, name).toMatchObject({ isError: true, text: expect.stringContaining('ERR_NAME_NOT_RESOLVED') });
  }
  expect((await fetch(address.url)).status).toBe(401);
  await client.callTool({ name: 'finish', arguments: {} });
  expect(JSON.parse((await program.ended).out).runs).toMatchObject([{ status: 'completed' }]);
});

it.each(['legacy', { pin: '2026-07-28' }] as const)(
  'A client that starts agent-stdio solves the task (%j)',
  async (mode) => {
    const { program, address } = await waitingRun();
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const { url, token } = address;
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(dist, 'cli.js'), 'agent-stdio', url],
        env: { TASKWRIGHT_TOKEN: token },
      }),
    );
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(2);
    const wrong = await client.callTool({ name: 'answer', arguments: { text: '4' } });
    expect(shownIn(wrong).isError).toBe(true);
    await client.callTool({ name: 'finish', arguments: { response: '5' } });
    const { out } = await program.ended;
    expect(JSON.parse(out).runs).toMatchObject([{ status: 'completed', reward: 0 }]);
    await expect(client.callTool({ name: 'finish', arguments: {} })).rejects.toThrow('The run has ended');
  },
);
