import { expect, test } from 'vitest';
import { portsOfLocalSites } from '../../../src/placement/local-sites.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { task } from '../runs/tasks.ts';

const call = (name: string, ...args: Task['setup'][number]['args']): Task['setup'][number] => ({
  function: name,
  args,
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
});

test('Ports are found wherever a task names them: start page, prompt, setup, evaluate, environment', () => {
  const named = task({
    prompt: 'Open localhost:3001 and log in.',
    initial_state: { start_url: 'http://localhost:3000/cart?x=1' },
    setup: [call('goto', 'http://127.0.0.1:3002'), call('seed', { api: { url: 'ws://[::1]:3003/socket' } })],
    evaluate: [call('url_contains', ['localhost:3004/done'])],
    env: { type: 'hud-browser', backend: 'http://user:secret@localhost:3005' },
    metadata: { site: 'https://shop.localhost:3006/' },
  });

  expect(portsOfLocalSites(named)).toEqual([3000, 3001, 3002, 3003, 3004, 3005, 3006]);
});

test.each([
  ['http://localhost', [80]],
  ['https://localhost/x', [443]],
  ['HTTP://LOCALHOST:8080', [8080]],
  ['see http://localhost:3000, or (http://localhost:4000).', [3000, 4000]],
  ['http://0.0.0.0:8000/', [8000]],
  ['localhost', []],
  ['http://localhost:99999', []],
  ['http://localhost.example.com:3000', []],
  ['http://example.com:3000/localhost', []],
  ['http://notlocalhost:3000', []],
  ['http://127.0.0.10:3000', []],
  ['http://example.com/?next=http://localhost:3000/', [3000]],
  ['http://task.localhost/shop.html', []],
])('%s names %j', (text, ports) => {
  expect(portsOfLocalSites(task({ prompt: text }))).toEqual(ports);
});

test('The name of the file is no text of the task', () => {
  expect(portsOfLocalSites(task({ file: '/home/me/http:/localhost:3000/a.task.json', prompt: 'Do it' }))).toEqual([]);
});
