import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pythonCode } from '../../../src/editor/serving/python-code.ts';
import { TaskServer } from '../../../src/editor/serving/task-server.ts';
import { isAlive } from '../../alive.ts';

/** Does what its arguments say in place of the command line. */
const PROGRAM = `
const [serve, json, does] = process.argv.slice(2);
if (serve !== 'serve' || json !== '--json') process.exit(9);
console.error('a note');
if (does === 'refuse') {
  console.log(JSON.stringify({ error: { message: 'No tasks.', code: 'no_tasks' } }, null, 2));
  process.exitCode = 2;
} else if (does === 'crash') {
  console.error('Internal error');
  process.exitCode = 1;
} else {
  const token = process.env.TASKWRIGHT_TOKEN;
  console.log(JSON.stringify({ url: 'http://127.0.0.1:1/' + token, token, agent_token: 'agent', pid: process.pid }));
  if (does === 'listen') process.stdin.on('end', () => process.exit(0)).resume();
  if (does === 'vanish') process.exitCode = 3;
}
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'task-server-'));
  await writeFile(join(folder, 'program.cjs'), PROGRAM);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const start = (does: string) =>
  TaskServer.start({ file: process.execPath, args: [join(folder, 'program.cjs')], env: process.env }, [does], {
    folder,
    token: 'secret',
  });

describe('a server of tasks', () => {
  it('reports its address, keeps its log, and ends when it is stopped', async () => {
    const server = await start('listen');
    // The token is in the environment of the process: other users see arguments.
    expect(server).toMatchObject({
      url: 'http://127.0.0.1:1/secret',
      token: 'secret',
      logLines: { lines: ['a note'] },
    });
    expect(isAlive(server.pid)).toBe(true);
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    expect(await server.whenEnded).toEqual({ stopped: true });
  });

  it('reports an unexpected end', async () => {
    expect(await (await start('vanish')).whenEnded).toEqual({ stopped: false });
  });

  it.each([
    ['refuse', { code: 'no_tasks', message: 'No tasks.' }],
    [
      'crash',
      { code: 'server_ended', message: 'The server ended with exit code 1 before it listened. Internal error' },
    ],
  ])('that does not start says why: %s', async (does, error) => {
    await expect(start(does)).rejects.toMatchObject(error);
  });
});

it('the Python code connects with the token', () => {
  expect(pythonCode({ url: 'http://127.0.0.1:8000', token: 'abc' })).toContain(
    'GenericEnvClient(base_url="http://127.0.0.1:8000", headers={"Authorization": "Bearer abc"}).sync() as env:',
  );
});
