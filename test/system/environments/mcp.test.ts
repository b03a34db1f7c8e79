import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { EnvironmentError } from '../../../src/environments/environment.ts';
import { McpEnvironment } from '../../../src/environments/mcp/environment.ts';
import type { Task } from '../../../src/tasks/task.ts';
import { call, task } from '../../unit/runs/tasks.ts';
import { root } from '../programs.ts';

const script = join(root, 'test', 'fixtures', 'mcp', 'server.mjs');
const SERVER = { command: process.execPath, args: [script] };
const signal = new AbortController().signal;

const opened: McpEnvironment[] = [];
afterEach(async () => {
  for (const environment of opened.splice(0)) await environment.close();
});

/** Begins a task with the tools of the server in test/fixtures/mcp. */
async function begin(
  env: Readonly<Record<string, Json>> = {},
  more: Partial<Task> = {},
  variables: Readonly<Record<string, string>> = {},
) {
  const log: string[] = [];
  const environment = new McpEnvironment((text) => log.push(text));
  opened.push(environment);
  const mcpTask = task({ env: { type: 'mcp', mcp_config: { count: SERVER }, ...env }, ...more });
  const start = await environment.reset({ task: mcpTask, files: { folder: tmpdir() }, seed: 0, variables });
  return { environment, start, log };
}

const act = (amount: Json): { readonly [key: string]: Json } => ({ name: 'act', arguments: { amount } });
const titles = (schema: unknown) => (schema as { oneOf: { title: string }[] }).oneOf.map(({ title }) => title);

describe('an environment of MCP servers', () => {
  it('gives the agent all tools of all pages but those of setup, evaluate, and the response', async () => {
    const { start, log } = await begin(
      { response_tool_name: 'respond' },
      { setup: [call('setup', [{ start: 1 }])], evaluate: [call('evaluate', [{ target: 3 }])] },
    );
    expect(titles(start.actions)).toEqual(['act', 'picture', 'variable', 'fail', 'die', 'silent']);
    expect(start).toMatchObject({ goal: null, reward: null, observation: { text: null, screenshot: null } });
    expect(log).toEqual(expect.arrayContaining(['[count] this is no message', '[count] the server has started']));
  });

  it('gives it the tools that the task allows', async () => {
    const of = async (env: Readonly<Record<string, Json>>) => titles((await begin(env)).start.actions);
    expect(await of({ allowed_tools: ['a*', 'pictur[e]'] })).toEqual(['act', 'picture']);
    expect(await of({ disallowed_tools: ['[!af]*', 'fai?'] })).toEqual(['act']);
    expect((await begin({ allowed_tools: ['none'] })).start.actions).toBeUndefined();
  });

  it('calls tools, and shows what they return', async () => {
    const { environment } = await begin({}, { evaluate: [call('evaluate', [{ target: 3 }])] });
    const [setup, evaluate] = [call('setup', [{ start: 1 }]), call('evaluate', [{ target: 3 }])];
    expect(await environment.call(setup, 'setup', { signal })).toEqual({
      value: null,
      reason: 'The counter starts at 1.',
    });
    expect((await environment.observe()).observation.text).toBe('The counter starts at 1.');
    expect(await environment.call(evaluate, 'evaluate', { signal })).toMatchObject({ value: 0.25 });

    const stepped = await environment.step([act(2)]);
    expect(stepped).toMatchObject({ error: null, observation: { text: 'The counter is 3.' } });
    expect(await environment.call(evaluate, 'evaluate', { signal })).toMatchObject({ value: 1 });

    const seen = await environment.step([{ name: 'picture' }, 'response("I see")']);
    expect(seen.observation).toMatchObject({
      screenshot: { type: 'png', width: 1, height: 1 },
      data: { content: [{ type: 'image', data: '(picture, 1×1)' }] },
    });
    expect(seen.info).toMatchObject({ response: 'I see' });
  });

  it('keeps the results of setup from the agent where the task says so', async () => {
    const { environment } = await begin({ append_setup_output: false });
    await environment.call(call('setup', [{ start: 1 }]), 'setup', { signal });
    expect((await environment.observe()).observation.text).toBeNull();
  });

  it.each<[Json, string, RegExp]>([
    [act('two'), 'invalid_action', /arguments do not fit the schema of the tool “act”: “amount”/],
    [{ name: 'act' }, 'invalid_action', /“amount” is missing/],
    [{ name: 'evaluate', arguments: { target: 0 } }, 'invalid_action', /There is no tool “evaluate”. Tools: act, /],
    [{ tool: 'act' }, 'invalid_action', /An action is a call of a tool: {"name"/],
    ['click("a")', 'unknown_action', /Actions are JSON objects here/],
    [{ name: 'fail' }, 'tool_error', /^no such thing$/],
  ])('answers %j with an error that the agent sees', async (action, code, message) => {
    const { environment } = await begin({}, { evaluate: [call('evaluate', [{ target: 3 }])] });
    const { error } = await environment.step([action as string]);
    expect(error).toMatchObject({ code: expect.stringMatching(code), message: expect.stringMatching(message) });
    expect((await environment.step([act(1)])).error).toBeNull();
  });

  it.each<[string, Json[], RegExp]>([
    ['nothing', [], /There is no tool `nothing` for evaluate. The environment has act, /],
    ['silent', [], /has no reward/],
    ['fail', [], /failed: no such thing/],
  ])('says why it cannot be evaluated with %s', async (name, args, message) => {
    const { environment } = await begin();
    expect(await environment.call(call(name, args), 'evaluate', { signal })).toMatchObject({
      error: { message: expect.stringMatching(message) },
    });
  });

  it('passes the response on to the tool that the task names', async () => {
    const { environment } = await begin({ response_tool_name: 'respond' });
    expect((await environment.step(['response("fine")'])).error).toBeNull();
    expect((await environment.step(['response("bad")'])).error).toMatchObject({ code: 'tool_error', message: 'bad' });
    expect((await environment.step(['response("refused")'])).error).toMatchObject({
      code: 'tool_error',
      message: expect.stringContaining('no tools/call'),
    });
  });

  it('has the tools of several servers by the names of their servers', async () => {
    const { environment, start } = await begin({ mcp_config: { a: SERVER, b: SERVER }, allowed_tools: ['*_act'] });
    expect(titles(start.actions)).toEqual(['a_act', 'b_act']);
    await environment.step([{ name: 'b_act', arguments: { amount: 4 } }]);
    const evaluate = (name: string) => environment.call(call(name, [{ target: 4 }]), 'evaluate', { signal });
    expect(await evaluate('b_evaluate')).toMatchObject({ value: 1 });
    expect(await evaluate('a_evaluate')).toMatchObject({ value: 0.25 });
    expect(await evaluate('evaluate')).toMatchObject({ error: { code: 'unknown_function' } });
  });

  it('fills in variables', async () => {
    const config = { count: { ...SERVER, env: { GREETING: '$WORD, ${OTHER}$$' } } };
    const { environment } = await begin({ mcp_config: config }, {}, { WORD: 'hello' });
    expect((await environment.step([{ name: 'variable' }])).observation.text).toBe('hello, $');
    await expect(begin({ mcp_config: { count: { command: 'x$' } } })).rejects.toThrow(/write a dollar sign as \$\$/);
  });

  it('is lost with its server, which is said with its last output', async () => {
    const { environment } = await begin();
    const failure = await environment.step([{ name: 'die' }]).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EnvironmentError);
    expect(failure).toMatchObject({
      code: 'environment_lost',
      message: expect.stringMatching(
        /“count” ended \(exit code 3\): .*server\.mjs\nLast output:\n[\s\S]*the server has started/,
      ),
    });
    await expect(environment.broken).rejects.toBe(failure);
  });

  it.each<[Json, RegExp]>([
    [null, /No MCP server is specified/],
    [{ count: { command: '/no/such/program' } }, /“count” could not be started: no such file or folder: \/no\/such/],
    [
      { count: { command: process.execPath, args: ['-e', 'console.error("no"); process.exit(2)'] } },
      /exit code 2[\s\S]*no/,
    ],
    [{ good: SERVER, bad: { command: process.execPath, args: ['-e', ''] } }, /“bad” ended \(exit code 0\)/],
  ])('with the servers %j does not start', async (servers, message) => {
    await expect(begin({ mcp_config: servers })).rejects.toThrow(message);
  });

  it('ends a server that does not end by itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'taskwright-mcp-'));
    const env = { PID_FILE: join(folder, 'pid'), STUBBORN: '1' };
    const { environment } = await begin({ mcp_config: { count: { ...SERVER, env } } });
    const pid = Number(await readFile(env.PID_FILE, 'utf8'));
    expect(process.kill(pid, 0)).toBe(true);
    await environment.close();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow(), { timeout: 60_000 });
    await rm(folder, { recursive: true });
  });
});
