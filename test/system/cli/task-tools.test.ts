import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, it, onTestFinished } from 'vitest';
import { shownIn } from '../../unit/agents/mcp-client.ts';
import { dist } from '../programs.ts';

/** Misspelled functions, and a shop page. */
const BROKEN = `[
  {
    "id": "buy",
    "prompt": "Buy the lamp.",
    "gym": "hud-browser",
    "setup": ["load_html_contents", "<button id=buy onclick='document.body.textContent = 1 + 1'>Buy</button>"],
    "evaluate": [["page_contain", "2"]]
  }
]
`;

async function connected(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-tools-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [join(dist, 'cli.js'), 'mcp', folder],
      env: { ...(process.env as Record<string, string>) },
    }),
  );
  onTestFinished(() => client.close());
  const use = async (name: string, args: Record<string, unknown> = {}) =>
    shownIn(await client.callTool({ name, arguments: args }));
  return { folder, client, use };
}

it('A coding agent repairs a broken task and runs it, with tools only', async () => {
  const { folder, client, use } = await connected({ 'shop.tasks.json': BROKEN, 'buy.actions': "click('#buy')\n" });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual([
    'list_tasks',
    'validate_tasks',
    'run_task',
    'read_run',
    'rescore_runs',
    'explain_rule',
  ]);
  expect((await use('list_tasks')).text).toContain('shop.tasks.json#buy');

  const refused = await use('run_task', { address: 'shop.tasks.json#buy' });
  expect(refused).toMatchObject({ isError: true, text: expect.stringContaining('load_html_contents') });
  const { text: problems } = await use('validate_tasks');
  expect(problems).toMatch(/unknown-function\)\n {4}fix: Change to “load_html_content”/);
  expect((await use('explain_rule', { code: 'unknown-function' })).text).toContain('## How to fix it');

  expect(await use('validate_tasks', { repair: 'likely' })).toMatchObject({
    isError: false,
    text: expect.stringContaining('0 errors'),
  });
  expect(await readFile(join(folder, 'shop.tasks.json'), 'utf8')).toContain('"page_contains"');

  const { text: verdict, isError } = await use('run_task', { address: 'shop.tasks.json#buy' });
  expect(verdict).toContain('1.00');
  expect(isError).toBe(false);
  const run = /^buy: (\S+)$/m.exec(verdict)?.[1];
  expect((await use('read_run', { run })).text).toContain("click('#buy')");
  const last = await use('read_run', { run, picture: true });
  expect(last).toMatchObject({ pictures: 1, isError: false, text: expect.stringContaining('"source":"agent"') });
  expect((await use('rescore_runs', { run })).text).toContain('0 of 1 changed');
}, 60_000);

it('A coding agent reads long answers in pages, and nothing outside of its folder', async () => {
  const tasks = Array.from({ length: 60 }, (_, index) => ({ id: `q${index}`, prompt: 'Why?', gym: 'qa' }));
  const { use } = await connected({ 'many.tasks.json': JSON.stringify(tasks) });
  const first = await use('list_tasks', { limit: 10 });
  expect(first.text.split('\n')).toHaveLength(11);
  expect(first.text).toContain('Read on with offset 10.');
  expect((await use('list_tasks', { limit: 10, offset: 50 })).text).toContain('#q59');
  for (const path of ['..', '/etc', 'x/../../y']) {
    expect(await use('validate_tasks', { path })).toMatchObject({
      isError: true,
      text: expect.stringContaining('outside'),
    });
  }
  // No text is an option.
  expect((await use('run_task', { address: '--agent=noop' })).isError).toBe(true);
  expect(await use('run_task', { agent: 'noop' })).toMatchObject({
    isError: true,
    text: expect.stringContaining('address'),
  });
  expect((await use('explain_rule', { code: '../README' })).isError).toBe(true);
});
