import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/base/json.ts';
import { McpConnection, type ServerTransport } from '../../../../src/environments/mcp/client/connection.ts';
import { rewardOfScenario } from '../../../../src/environments/mcp/reward.ts';
import { Scenarios } from '../../../../src/environments/mcp/scenario.ts';

type Message = { readonly [key: string]: Json };

interface Frame {
  readonly case: string;
  readonly dir: 'c2s' | 's2c';
  readonly frame: { readonly id?: number; readonly method?: string; readonly params?: Json } & Message;
}

const frames = readFileSync(join(import.meta.dirname, '../../../fixtures/hud/wire-0.5.41.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Frame);

const ENVIRONMENT = 'lab-env-x';
const signal = new AbortController().signal;

/** What the recorded server answered to a request in a case; its lists are in one case of their own. */
function recordedAnswer(name: string, method: Json, params: Json | undefined): Message {
  for (const searched of [name, 'init-and-list']) {
    const own = frames.filter((one) => one.case === searched);
    const asked = own.find(
      ({ dir, frame }) =>
        dir === 'c2s' &&
        frame.method === method &&
        (isList(method) || same(frame.params, params) || method === 'initialize'),
    );
    const answer = own.find(({ dir, frame }) => dir === 's2c' && frame.id === asked?.frame.id && asked !== undefined);
    if (answer !== undefined) return answer.frame;
  }
  throw new Error(`The recorded client never asked ${JSON.stringify({ method, params })} in ${name}.`);
}

function isList(method: Json): boolean {
  return String(method).endsWith('/list');
}

/** No arguments are none. */
function same(a: Json | undefined, b: Json | undefined): boolean {
  const [one, other] = [a, b].map((params) => JSON.stringify({ arguments: {}, ...(params as Message | undefined) }));
  return one === other;
}

/** A server that answers as in a recorded case, except for the results that are given by their methods. */
class RecordedServer implements ServerTransport {
  readonly name = 'recorded server';
  readonly lost = new Promise<never>(() => {});
  readonly #case: string;
  readonly #results: Message;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(name: string, results: Message = {}) {
    this.#case = name;
    this.#results = results;
  }

  async start(): Promise<void> {}

  async send(message: JSONRPCMessage): Promise<void> {
    const { id, method, params } = message as Frame['frame'];
    if (id === undefined) return;
    const result = this.#results[String(method)];
    if (result !== undefined) {
      this.onmessage?.({ jsonrpc: '2.0', id, result } as unknown as JSONRPCMessage);
      return;
    }
    this.onmessage?.({ ...recordedAnswer(this.#case, method ?? null, params), id } as unknown as JSONRPCMessage);
  }

  async close(): Promise<void> {}
}

/** Runs the scenario of a recorded case, with the answer of its client. */
async function run(name: string) {
  const sent = frames.filter((one) => one.case === name && one.dir === 'c2s').map(({ frame }) => frame);
  const begun = sent.find(({ method }) => method === 'prompts/get')?.params as { name: string; arguments?: Message };
  const submitted = sent.find(({ method }) => method === 'tools/call')?.params as { arguments: Message } | undefined;
  const connection = await McpConnection.open(new RecordedServer(name), 1000);
  const scenarios = new Scenarios([connection], {
    environment: ENVIRONMENT,
    name: begun.name.split(':')[1] ?? '',
    args: begun.arguments ?? {},
  });
  const { prompt } = await scenarios.start(signal);
  const answer = submitted?.arguments['answer'];
  const grade = await scenarios.grade(typeof answer === 'string' ? answer : null, signal);
  return { prompt, ...('error' in grade ? grade : rewardOfScenario(scenarios.name, grade.text)) };
}

const cases = [...new Set(frames.map((one) => one.case))].filter(
  // A number as an argument is what the recorded client was refused; ours are texts.
  (name) => name.startsWith('scenario:') && name !== 'scenario:count{"word": 5}',
);

describe('a scenario of HUD 0.5.41', () => {
  it.each<[string, object]>([
    ['scenario:count', { prompt: 'How many r in strawberry?', value: 1 }],
    ['scenario:count{"word": "abc", "letter": "a"}', { prompt: 'How many a in abc?', value: 1 }],
    ['scenario:count-nosubmit', { value: 0 }],
    ['scenario:evalresult', { value: 0.5, reason: 'half', parts: [{ name: 'a' }, { name: 'b' }] }],
    ['scenario:gdict', { value: 0.25 }],
    ['scenario:gstr', { value: 1 }],
    ['scenario:gbool', { value: 1 }],
    ['scenario:nosecond', { value: 1 }],
    ['scenario:big', { value: 7.5 }],
    ['scenario:echo', { value: 0, reason: "'3'" }],
    ['scenario:dictprompt', { prompt: "{'prompt': 'x'}" }],
  ])('%s has a reward', async (name, expected) => {
    expect(await run(name)).toMatchObject(expected);
  });

  it.each<[string, string, RegExp]>([
    ['scenario:gdict_score', 'call_returned_nothing', /yielded "score" and no "reward"/],
    ['scenario:gnone', 'call_threw', /yielded no usable grade/],
    ['scenario:nan', 'call_returned_nothing', /is no number\. .*NaN/],
    ['scenario:raises_grade', 'call_threw', /raised an exception while it graded.*Resource not found: lab-env-x/],
  ])('%s has an error and no reward', async (name, code, message) => {
    expect(await run(name)).toMatchObject({ error: { code, message: expect.stringMatching(message) } });
  });

  it.each<[string, string]>([
    ['scenario:raises_setup', 'setup exploded'],
    ['scenario:count{"wrd": "x"}', "count() got an unexpected keyword argument 'wrd'"],
    ['scenario:typed{}', "typed() missing 1 required positional argument: 'i'"],
  ])('%s does not begin', async (name, message) => {
    await expect(run(name)).rejects.toThrow(message);
  });

  it.each(cases)('%s is asked for as the recorded client asked', async (name) => {
    // Else the recorded server throws.
    await run(name).catch((error: Error) => expect(error.name).toBe('ProtocolError'));
  });

  it('is graded once', async () => {
    const connection = await McpConnection.open(new RecordedServer('scenario:count'), 1000);
    const scenarios = new Scenarios([connection], { environment: null, name: 'lab-env-x:count', args: {} });
    await scenarios.start(signal);
    await scenarios.grade('3', signal);
    expect(await scenarios.grade('3', signal)).toMatchObject({
      error: { message: expect.stringMatching(/grades a scenario once/) },
    });
  });

  it.each<[string, Json, string]>([
    ['prompts/list', { prompts: 5 }, '"prompts": Invalid input: expected array'],
    ['prompts/list', { prompts: [], nextCursor: 5 }, '"nextCursor": Invalid input: expected string'],
    ['prompts/list', { prompts: [{}] }, '"prompts.0.name": Invalid input: expected string'],
    ['prompts/get', {}, '"messages": Invalid input: expected array'],
    ['prompts/get', { messages: [5] }, '"messages.0": Invalid input: expected object'],
    ['tools/call', { content: 'x' }, '"content": Invalid input: expected array'],
    ['tools/call', { content: [5] }, '"content.0": Invalid input'],
    ['tools/call', { content: [], isError: 'no' }, '"isError": Invalid input: expected boolean'],
    ['resources/read', { contents: [] }, '"contents": Too small'],
    ['resources/read', { contents: [{ blob: 'AA==' }] }, '"contents.0.text": Invalid input: expected string'],
  ])('is an error where %s is answered with %j', async (method, result, message) => {
    const connection = await McpConnection.open(new RecordedServer('scenario:count', { [method]: result }), 1000);
    const scenarios = new Scenarios([connection], { environment: null, name: 'lab-env-x:count', args: {} });
    const graded = scenarios.start(signal).then(() => scenarios.grade('3', signal));
    await expect(graded).rejects.toThrow(
      `the recorded server answers “${method}” in another form than MCP: ${message}`,
    );
  });

  it('is found by its own name where the environment has another one, else said to be missing', async () => {
    const connection = await McpConnection.open(new RecordedServer('scenario:count'), 1000);
    const of = (name: string) => new Scenarios([connection], { environment: 'my-org/lab', name, args: {} });
    expect((await of('count').start(signal)).prompt).toBe('How many r in strawberry?');
    await expect(of('nope').start(signal)).rejects.toThrow(/no scenario “my-org\/lab:nope”. It has lab-env-x:count, /);
  });
});
