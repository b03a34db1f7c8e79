import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Reply } from '../../../../../src/agents/agent.ts';
import { readForExport } from '../../../../../src/formats/runs/exporter.ts';
import { traceFileOf } from '../../../../../src/formats/runs/hud/trace-exporter.ts';
import { spanSchema, stepAttributesSchema } from '../../../../../src/formats/runs/hud/types/span.ts';
import type { Step } from '../../../../../src/formats/runs/hud/types/trace.ts';
import { readRunFile } from '../../../../../src/formats/runs/importers.ts';
import { openRun } from '../../../../../src/traces/store.ts';
import { attempt } from '../../../runs/attempt.ts';
import { seen, verdict } from '../../../runs/fake-placement.ts';
import { call, fileIn, temporaryFolder } from '../../../runs/tasks.ts';

const tracesFolder = join(import.meta.dirname, '../../../../fixtures/hud/traces-0.6');
const PNG = { type: 'png' as const, data: Buffer.from('iVBORw0KGgo=', 'base64'), width: 1, height: 1 };
const AT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

type Line = ReturnType<typeof spanSchema.parse> & { readonly payload: Record<string, unknown> };

function linesOf(text: string): readonly Line[] {
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const span = JSON.parse(line);
      return { ...span, payload: span.attributes['hud.payload'] };
    });
}

/** Runs a task and writes its trace as HUD does. */
async function exportTrace(of: Parameters<typeof attempt>[0]) {
  const run = await attempt(of);
  const folder = await temporaryFolder();
  const { name, text } = await traceFileOf(await readForExport(await openRun(run.folder)));
  return { ...run, name, path: await fileIn(folder, name, text), lines: linesOf(text) };
}

/** The keys of spans and payloads in HUD's own files, by kind of step. */
function keysOfHud(): ReadonlyMap<string, ReadonlySet<string>> {
  const keys = new Map<string, Set<string>>();
  for (const file of readdirSync(tracesFolder)) {
    for (const { payload, ...span } of linesOf(readFileSync(join(tracesFolder, file), 'utf8'))) {
      const keysOfSpan = keys.get(span.name) ?? new Set();
      keysOfSpan.add(keysOf(payload));
      keys.set(span.name, keysOfSpan);
    }
  }
  return keys;
}

/** HUD's scripted agent does not say when its steps began, and gives no reasons of how it was made. */
function keysOf(payload: object): string {
  const optional = ['started_at', 'content', 'reasoning', 'finish_reason', 'model', 'usage'];
  return Object.keys(payload)
    .filter((key) => !optional.includes(key))
    .join();
}

const SHOP = {
  task: { setup: [call('goto', ['/shop'])], evaluate: [call('page_contains', ['Thanks'])] },
  lines: 'click(\'#buy\')\n{"type": "response", "text": "done"}\n',
  answers: {
    step: (_: unknown, count: number) =>
      count === 1
        ? seen('the cart', { observation: { text: 'the cart', screenshot: PNG } })
        : seen('the end', { info: { response: 'done' } }),
    evaluate: () => verdict(0.5, 'half'),
  },
};

describe('the trace of a run as HUD writes it', () => {
  it('has the spans of HUD in its order', async () => {
    const { record, name, lines } = await exportTrace(SHOP);
    const id = name.replace(/\.jsonl$/, '');
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(lines.map((line) => line.name)).toEqual([
      'step.task',
      'step.user',
      'step.tool',
      'step.agent',
      'step.tool',
      'step.agent',
      'step.task',
    ]);
    const keys = keysOfHud();
    for (const [index, { payload, ...span }] of lines.entries()) {
      spanSchema.parse(span);
      expect(Object.keys(span)).toEqual(Object.keys(JSON.parse(firstLine())));
      expect(span).toMatchObject({ trace_id: id, parent_span_id: null, kind: 'INTERNAL', status_code: 'OK' });
      expect(span).toMatchObject({ status_message: null, events: [], attributes: { 'hud.task_run_id': id } });
      expect(Object.keys(span.attributes)).toEqual(['hud.schema', 'hud.task_run_id', 'hud.payload']);
      expect(stepAttributesSchema.parse(span.attributes)['hud.payload'].step_id).toBe(index + 1);
      for (const at of [span.start_time, span.end_time, payload['ended_at']]) expect(at).toMatch(AT);
      // The first observation is not the result of a call.
      if (span.name !== 'step.tool' || 'call' in payload) expect(keys.get(span.name)).toContain(keysOf(payload));
    }
    expect(new Set(lines.map(({ span_id }) => span_id)).size).toBe(lines.length);
    expect(lines[0]?.payload).toMatchObject({
      task_call: { phase: 'setup', name: 'shop', arguments: {}, result: { prompt: record.prompt } },
      extra: { calls: [{ function: 'goto', args: ['/shop'] }] },
    });
    expect(lines[3]?.payload).toMatchObject({
      tool_calls: [{ id: 'call-1', name: 'custom', arguments: { action: "click('#buy')" } }],
      done: false,
    });
    expect(lines[4]?.payload).toMatchObject({
      call: { id: 'call-1' },
      result: {
        content: [
          { type: 'text', text: 'the cart' },
          { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
        ],
        isError: false,
        call_id: 'call-1',
      },
    });
    expect(lines[5]?.payload).toMatchObject({ content: 'done', done: true, tool_calls: [] });
    expect(lines[6]?.payload).toMatchObject({
      task_call: {
        phase: 'evaluate',
        arguments: { answer: 'done' },
        result: { score: 0.5, subscores: [{ value: 0.5, weight: 1, children: null, info: { reason: 'half' } }] },
      },
    });
  });

  it('is read back as the same run', async () => {
    const { record, path } = await exportTrace(SHOP);
    const [run] = await readRunFile(path);
    expect(run?.record).toMatchObject({ task_id: 'shop', prompt: record.prompt, reward: 0.5, status: 'completed' });
    expect(run?.record.grade).toMatchObject({ content: 'done', subscores: [{ value: 0.5, reason: 'half' }] });
    expect(run?.steps.map(({ source }) => source)).toEqual(['setup', 'tool', 'agent', 'tool', 'agent', 'evaluate']);
    expect(run?.steps[3]?.observation?.screenshot).toMatchObject({ type: 'png' });
    expect(run?.steps[4]?.action).toEqual([{ type: 'response', text: 'done' }]);
  });

  it('ends with a system step if the grade fails', async () => {
    const { lines } = await exportTrace({ ...SHOP, answers: { ...SHOP.answers, evaluate: () => verdict(7) } });
    const { payload, ...last } = lines.at(-1) as Line;
    expect(last).toMatchObject({ name: 'step.system', status_code: 'ERROR', status_message: payload['error'] });
    expect(payload['error']).toMatch(/^\[grading\] .*page_contains/);
    expect(keysOfHud().get('step.system')).toContain(keysOf(payload));
    expect(lines.filter(({ payload }) => (payload as unknown as Step).task_call?.phase === 'evaluate')).toEqual([]);
  });

  it('is a system step alone if the task does not start', async () => {
    const { lines } = await exportTrace({
      ...SHOP,
      answers: { setup: () => ({ error: { message: 'no shop', code: 'call_threw' }, duration_ms: 1, step: null }) },
    });
    expect(lines.map((line) => line.name)).toEqual(['step.system']);
    expect(lines[0]?.status_message).toMatch(/^\[starting task\] .*no shop/);
  });

  it('marks a tool that failed', async () => {
    const failed = seen('', {
      observation: { text: null, screenshot: null },
      error: { message: 'no such element', code: 'no_element' },
    });
    const { lines } = await exportTrace({ ...SHOP, answers: { ...SHOP.answers, step: () => failed } });
    expect(lines[4]?.payload).toMatchObject({
      result: { content: [{ type: 'text', text: 'no such element' }], isError: true },
    });
  });

  it('has the calls of tools as the environment has them', async () => {
    const answers = [{ name: 'bash', arguments: { command: 'ls' } }, null];
    const client = { act: async () => ({ actions: answers.shift() ?? null }), close: async () => {} };
    const { lines: spans } = await exportTrace({ ...SHOP, plan: { agent: 'program', client } });
    expect(spans[3]?.payload).toMatchObject({
      tool_calls: [{ id: 'call-1', name: 'bash', arguments: { command: 'ls' } }],
    });
  });

  it('has what a model said, also in its last answer', async () => {
    const usage = { prompt_tokens: 12, cached_tokens: 4, completion_tokens: 3, cost_usd: 0.5 };
    const replies: Reply[] = [
      {
        actions: "click('#apply')",
        turn: { message: 'I click.', reasoning: 'Apply.', model: 'm-1', usage, requests: 2 },
      },
      { actions: null, turn: { message: 'Done.', stop_reason: 'end_turn' } },
    ];
    const client = { act: async () => replies.shift() ?? { actions: null }, close: async () => {} };
    const { lines: spans } = await exportTrace({ ...SHOP, plan: { agent: 'program', client } });
    const said = spans.flatMap(({ payload }) => (payload['source'] === 'agent' ? [payload] : []));
    expect(said).toMatchObject([
      { content: 'I click.', reasoning: 'Apply.', model: 'm-1', usage: { ...usage, llm_call_count: 2 }, done: false },
      { content: 'Done.', finish_reason: 'end_turn', tool_calls: [], done: true },
    ]);
  });

  it('has the template and the arguments of a row of HUD 0.6', async () => {
    const args = { word: 'raspberry' };
    const env = { type: 'hud', name: 'letters', template: 'count', args };
    const { lines } = await exportTrace({ ...SHOP, task: { ...SHOP.task, id: 'count-2dc7d4b0', env } });
    expect(lines[0]?.payload).toMatchObject({ task_call: { phase: 'setup', name: 'count', arguments: args } });
    expect(lines.at(-1)?.payload).toMatchObject({ task_call: { phase: 'evaluate', name: 'count' } });
  });

  it('is masked', async () => {
    const secret = { site: { password: 'hunter2hunter2' } };
    const { path } = await exportTrace({
      ...SHOP,
      task: { ...SHOP.task, prompt: 'Use hunter2hunter2.', sensitive_data: secret },
      lines: "fill('#p', 'hunter2hunter2')\n",
    });
    const text = await readFile(path, 'utf8');
    expect(text).not.toContain('hunter2');
    expect(text).toContain('<secret>password</secret>');
  });

  it('has the turns of a prompt, with its last picture', async () => {
    const picture = { type: 'image', data: '(picture, 1×1)', mimeType: 'image/png' };
    const data = [
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: [{ type: 'text', text: 'What?' }, picture] },
      { role: 'user', content: picture },
      'This.',
    ];
    const observation = { text: 'Be brief.', screenshot: PNG, data };
    const { lines } = await exportTrace({
      task: { env: { type: 'hud', name: 'shop', template: 'buy' } },
      lines: 'response("done")',
      answers: {
        reset: () => ({ ...seen(''), observation, goal: 'Be brief.' }),
        step: () => seen('done', { terminated: true, info: { response: 'done' } }),
      },
    });
    const said = (role: string, text: string) => ({ role, content: { type: 'text', text } });
    expect(lines.find(({ name }) => name === 'step.user')?.payload['messages']).toEqual([
      said('user', 'Be brief.'),
      said('assistant', 'What?'),
      said('assistant', '(picture, 1×1)'),
      { role: 'user', content: { type: 'image', data: PNG.data.toString('base64'), mimeType: 'image/png' } },
      said('user', 'This.'),
    ]);
    expect(lines.map(({ name }) => name).slice(0, 3)).toEqual(['step.task', 'step.user', 'step.agent']);
  });
});

function firstLine(): string {
  const [file = ''] = readdirSync(tracesFolder);
  return readFileSync(join(tracesFolder, file), 'utf8').split('\n')[0] ?? '';
}
