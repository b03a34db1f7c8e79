import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { HUD_0_4, HUD_0_5 } from '../../../scripts/python.ts';
import type { Json } from '../../../src/base/json.ts';
import { McpEnvironment } from '../../../src/environments/mcp/environment.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { call, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';
import { hudEnvironment } from '../python.ts';

const servers = join(root, 'test', 'fixtures', 'hud', 'servers');
const hud04 = await hudEnvironment(HUD_0_4);
const hud05 = await hudEnvironment(HUD_0_5);
const VARIABLES = {
  HUD_TELEMETRY_ENABLED: 'false',
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONPATH: join(servers, 'without-data-sets'),
};
const signal = new AbortController().signal;

const opened: McpEnvironment[] = [];
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close();
});

async function begin(env: Readonly<Record<string, Json>>, more: Partial<Task> = {}, folder = servers) {
  const log: string[] = [];
  const environment = new McpEnvironment((text) => log.push(text));
  opened.push(environment);
  const mcpTask = task({ env: { type: 'mcp', ...env }, ...more });
  const start = await environment.reset({ task: mcpTask, files: { folder }, seed: 0 });
  return { environment, start, log };
}

/** Serves a file of test/fixtures/hud/servers over HTTP. */
async function serve(venv: string, file: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const child = spawn(join(venv, 'bin', 'python3'), [file, '0'], {
    cwd: servers,
    env: { ...process.env, ...VARIABLES },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  const port = await new Promise<string>((listening, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /running on http:\/\/127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (found !== undefined) listening(found);
    });
    void exited.then(() => reject(new Error(`the server ended:\n${output}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  return { url: `http://127.0.0.1:${port}/mcp`, stop };
}

const titles = (schema: unknown) => (schema as { oneOf: { title: string }[] }).oneOf.map(({ title }) => title);
const LIMIT = 60_000;

describe.skipIf(hud04 === null)('an environment of HUD 0.4.74', { timeout: LIMIT }, () => {
  it('is a program that is set up, acted on, and evaluated', async () => {
    const local = {
      command: join(hud04 ?? '', 'bin', 'python3'),
      args: ['server.py'],
      env: { ...VARIABLES, GREETING: ', hello' },
    };
    const evaluate = call('evaluate', [{ target: 3 }]);
    const { environment, start } = await begin(
      { mcp_config: { local }, allowed_tools: ['act', 'look', 'evaluate'] },
      { setup: [call('setup', [{ start: 1 }])], evaluate: [evaluate] },
    );
    expect(titles(start.actions)).toEqual(['act', 'look']);
    expect(await environment.call(call('setup', [{ start: 1 }]), 'setup', { signal })).toMatchObject({
      reason: 'The counter starts at 1, hello.',
    });
    expect(await environment.call(evaluate, 'evaluate', { signal })).toMatchObject({ value: 0.25, reason: '1 of 3' });
    expect((await environment.step([{ name: 'act', arguments: { amount: 2 } }])).observation.text).toBe(
      'The counter is 3.',
    );
    expect((await environment.step([{ name: 'look' }])).observation.screenshot).toMatchObject({ width: 1, height: 1 });
    expect((await environment.step([{ name: 'act', arguments: { amount: 'x' } }])).error?.message).toMatch(/“amount”/);
    expect(await environment.call(evaluate, 'evaluate', { signal })).toMatchObject({ value: 1, reason: '3 of 3' });
  });

  it('is served over HTTP, and its rewards are read as HUD reads them', async () => {
    const { url, stop } = await serve(hud04 ?? '', 'server.py');
    try {
      const { environment } = await begin({ mcp_config: { hud: { url, headers: { authorization: 'Bearer x' } } } });
      const of = (name: string, args: Json = {}) => environment.call(call(name, [args]), 'evaluate', { signal });
      expect(await of('text')).toMatchObject({ value: 0.5 });
      const errors: [string, RegExp][] = [
        ['number', /returned .*0\.7.* HUD fails on a text that is JSON but no object/],
        ['none', /The "reward" of `none` is no number. It returned .*null/],
        ['raises', /The tool `raises` failed: .*evaluator exploded/],
        ['look', /The result of the tool `look` has no reward/],
      ];
      for (const [name, message] of errors) {
        expect(await of(name)).toMatchObject({ error: { message: expect.stringMatching(message) } });
      }
    } finally {
      await stop();
    }
  });
});

describe.skipIf(hud05 === null)('an environment of HUD 0.5.41', { timeout: LIMIT }, () => {
  const grade = call('grade');
  const env = { mcp_config: null, name: 'counting-things' };
  let server: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    server = await serve(hud05 ?? '', 'env.py');
  }, LIMIT);
  afterAll(() => server.stop());

  const over = (scenario: string, args: Json = {}) =>
    begin({ ...env, mcp_config: { env: { url: server.url } }, scenario, args }, { evaluate: [grade] });

  it('is the env.py next to the task', async () => {
    const folder = await temporaryFolder();
    await copyFile(join(servers, 'env.py'), join(folder, 'env.py'));
    await symlink(hud05 ?? '', join(folder, '.venv'));
    const args = { target: 2, words: { who: 'Ada' } };
    const { environment, start, log } = await begin({ ...env, scenario: 'count-to', args }, {}, folder);
    expect(start.goal).toBe('Count to 2, Ada.');
    // Of the environment's tools the scenario hides one.
    expect(titles(start.actions)).toEqual(['add']);
    await environment.step([{ name: 'add', arguments: { amount: 2 } }]);
    await environment.step(['response("done")']);
    expect(await environment.call(grade, 'evaluate', { signal })).toEqual({
      value: 1,
      reason: '2 of 2',
      parts: [
        { name: 'counted', value: 1, reason: 'weight 0.5' },
        { name: 'said', value: 1, reason: 'weight 0.5' },
      ],
    });
    await expect.poll(() => log.join('\n'), { timeout: 60_000 }).toContain('this goes to standard output');
  });

  it('is served over HTTP, and graded without an answer, too', async () => {
    const { environment, start } = await over('count-to', { target: 1 });
    expect(start.goal).toBe('Count to 1, you.');
    await environment.step([{ name: 'add', arguments: {} }]);
    expect(await environment.call(grade, 'evaluate', { signal })).toMatchObject({ value: 0.5, reason: '1 of 1' });
    expect(await environment.call(grade, 'evaluate', { signal })).toMatchObject({
      error: { message: expect.stringMatching(/grades a scenario once/) },
    });
  });

  it.each<[string, RegExp]>([
    ['score', /yielded "score" and no "reward", which HUD 0\.5 counts as 0/],
    ['raises', /raised an exception while it graded.*Resource not found: counting-things:raises/],
  ])('whose scenario “%s” gives no grade says what came instead', async (scenario, message) => {
    const { environment } = await over(scenario);
    expect(await environment.call(grade, 'evaluate', { signal })).toMatchObject({
      error: { message: expect.stringMatching(message) },
    });
  });

  it.each<[string, Json, RegExp]>([
    ['no-setup', {}, /could not be started: .*setup exploded/],
    ['count-to', { targets: 2 }, /unexpected keyword argument 'targets'/],
    ['nope', {}, /no scenario “counting-things:nope”. It has counting-things:count-to, /],
  ])('does not start with the scenario “%s” and %j', async (scenario, args, message) => {
    await expect(over(scenario, args)).rejects.toThrow(message);
  });

  it('may be left while it grades', async () => {
    const { environment } = await over('slow');
    const abort = new AbortController();
    const graded = environment.call(grade, 'evaluate', { signal: abort.signal });
    abort.abort(new Error('enough'));
    await expect(graded).rejects.toThrow('enough');
  });
});
