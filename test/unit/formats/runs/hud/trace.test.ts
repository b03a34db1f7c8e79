import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRuns } from '../../../../../src/formats/runs/importers.ts';
import { TraceError } from '../../../../../src/traces/trace-file.ts';
import { ASKS_SUB_AGENT, spansOf } from './spans.ts';

const fixtures = join(import.meta.dirname, '../../../../fixtures/hud');
const READ_AT = '2026-11-20T00:00:00.000Z';

/** A run as HUD 0.6.21 returned it, and the trace file that it wrote. */
interface Rollout {
  readonly trace_file?: string | null;
  readonly run: {
    readonly task_id: string;
    readonly prompt_text: string;
    readonly trace_error: string | null;
    readonly grade: { readonly reward: number; readonly content: string | null; readonly is_error: boolean };
    readonly steps: readonly { readonly id: number; readonly source: string; readonly error: string | null }[];
  };
}

const rollouts = readFileSync(join(fixtures, 'rollout-0.6.21.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Rollout)
  .flatMap(({ trace_file, run }) => (trace_file == null ? [] : [{ file: trace_file, run }]));

function trace(name: string): string {
  return readFileSync(join(fixtures, 'traces-0.6', name), 'utf8');
}

function read(text: string) {
  const [run] = readRuns(Buffer.from(text), '/t/trace.jsonl', READ_AT);
  if (run === undefined) throw new Error('no run');
  return run;
}

const SOURCE: Readonly<Record<string, string>> = { task: 'setup' };

describe('a trace of HUD 0.6', () => {
  it.each(rollouts)('has the same result as HUD: $file', ({ file, run }) => {
    const { record, steps, header } = read(trace(file));
    const graded = run.grade.content !== 'not graded';
    expect(header.trace_id).toBe(file.replace('.jsonl', ''));
    if (run.steps.some(({ source }) => source === 'task')) expect(record.task_id).toBe(run.task_id);
    expect(record.prompt).toBe(run.prompt_text ?? '');
    expect(record.reward).toBe(graded ? run.grade.reward : null);
    expect(record.error?.message ?? null).toBe(run.steps.find(({ error }) => error !== null)?.error ?? null);
    const sources = run.steps.filter(({ source }) => source !== 'user').map(({ source }) => SOURCE[source] ?? source);
    expect(steps.map(({ source }) => (source === 'evaluate' ? 'setup' : source))).toEqual(sources);
  });

  it.each(readdirSync(join(fixtures, 'traces-0.6')))('of a real rollout is read: %s', (file) => {
    const { header, steps } = read(trace(file));
    expect(header.trace_id).toBe(file.replace('.jsonl', ''));
    expect(steps.length).toBeGreaterThan(0);
  });

  it('shows what the policy of a robot saw and did', () => {
    const robot = (payload: object) =>
      JSON.stringify({
        trace_id: 'a',
        span_id: 'b',
        attributes: { 'hud.schema': 'hud.robot.step.v1', 'hud.payload': payload },
      });
    const data = readFileSync(join(fixtures, '../../../media/icon.png')).toString('base64');
    const run = read(
      [
        spansOf({ source: 'user', messages: [] }),
        robot({
          ...{ source: 'observation', step_id: 2, tick: 7, images: { wrist: { type: 'image', data } } },
          state: { joints: { names: ['shoulder', 'elbow'], values: [0.1, 0.2] }, grip: { values: [1] } },
        }),
        robot({ source: 'video_segment', step_id: 3, camera: 'wrist' }),
        robot({
          source: 'inference',
          step_id: 4,
          tick: 7,
          names: ['x'],
          chunk: [
            [0.5, 1],
            [0.25, 0],
          ],
          later: true,
        }),
      ].join('\n'),
    );
    expect(run.steps).toMatchObject([
      {
        source: 'tool',
        observation: {
          text: 'joints: shoulder 0.1, elbow 0.2\ngrip: 1\ncameras: wrist',
          screenshot: expect.any(Object),
        },
        info: { kind: 'observation', tick: 7 },
      },
      {
        source: 'agent',
        action: [
          {
            name: 'inference',
            arguments: {
              actions: [
                { x: 0.5, 1: 1 },
                { x: 0.25, 1: 0 },
              ],
            },
          },
        ],
        info: { tick: 7 },
      },
    ]);
    expect(JSON.stringify(run)).toContain('fragments of a video, are not shown: 1.');
  });

  it('shows tool calls with their results, and the answer', () => {
    const { record, steps } = read(trace('179c4f65cc774e8c8c1e59f86d14dfcd.jsonl'));
    expect(steps.map(({ source }) => source)).toEqual(['setup', 'agent', 'tool', 'tool', 'agent', 'evaluate']);
    expect(steps[1]).toMatchObject({
      action: [{ name: 'bash', arguments: { command: 'ls' } }],
      turn: {
        message: 'thinking',
        reasoning: 'because',
        model: 'scripted',
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      },
    });
    expect(steps[2]).toMatchObject({ observation: { text: 'a.txt' }, error: null });
    expect(steps[3]).toMatchObject({ error: { message: 'bad', code: 'tool_failed' } });
    expect(steps[4]).toMatchObject({ action: [{ type: 'response', text: '3' }], terminated: true });
    expect(record).toMatchObject({ prompt: 'hi\nsys\nplain', reward: 0.5, grade: { content: '3' } });
  });

  it('has the steps of sub-agents as lines after theirs', () => {
    const { record, steps } = read(spansOf(...ASKS_SUB_AGENT));
    expect(steps.map(({ source, info }) => [source, info['depth'] ?? 0, info['kind'] ?? null])).toEqual([
      ['agent', 0, null],
      ['tool', 0, null],
      ['subagent', 0, 'subagent'],
      ['subagent', 1, 'user'],
      ['subagent', 1, 'agent'],
      ['subagent', 1, 'tool'],
      ['subagent', 1, 'subagent'],
      ['subagent', 2, 'agent'],
      ['subagent', 1, 'agent'],
      ['agent', 0, null],
    ]);
    expect(steps[2]).toMatchObject({ observation: { text: 'three' }, error: null });
    expect(steps[3]?.observation?.text).toBe('Count the letters r.');
    expect(steps[4]).toMatchObject({ action: [{ name: 'count' }], turn: { reasoning: 'r, r, r' } });
    expect(steps[5]).toMatchObject({ observation: { text: 'not found' }, error: { code: 'tool_failed' } });
    expect(steps[6]?.error?.message).toBe('gone');
    // Only the agent of the run counts, and only its answer.
    expect(record).toMatchObject({ steps: 2, prompt: 'How many r are in strawberry?', grade: { content: '3' } });
  });

  it.each(['isError', 'is_error'])('knows a tool that failed by %s', (key) => {
    const result = { content: [{ type: 'text', text: 'no' }], [key]: true };
    const [step] = read(spansOf({ source: 'tool', call: { name: 'x' }, result })).steps;
    expect(step?.error).toEqual({ message: 'no', code: 'tool_failed' });
  });

  it('ignores fields of a later HUD', () => {
    const usage = { prompt_tokens: 1, later: true };
    const inner = { steps: [{ source: 'agent', later: 1 }], later: 2 };
    const { steps } = read(spansOf({ source: 'agent', later: 3, usage }, { source: 'subagent', subagent: inner }));
    expect(steps[0]?.turn?.usage).toEqual({ prompt_tokens: 1 });
    expect(steps).toHaveLength(3);
  });

  it('has the parts of its grade', () => {
    const { record } = read(trace('2842d83257b64313b631027afc967d1e.jsonl'));
    expect(record.grade.subscores.length).toBeGreaterThan(0);
    expect(record.grade.subscores[0]).toMatchObject({ weight: expect.any(Number), value: expect.any(Number) });
  });

  it.each<[string, object, number | null, string | null]>([
    ['that failed without a reason', { score: 0, isError: true }, 0, 'the grade says that it failed'],
    ['that is no number, as HUD writes NaN', { score: null }, null, 'the "score" of the grade must be a finite number'],
    ['of an old HUD without a score', { reward: 1 }, null, 'the grade has no "score"'],
    ['from a dictionary', { score: 1, done: 1, subscores: [{ name: 'a', value: true, later: 1 }] }, 1, null],
  ])('has a grade %s', (_what, result, reward, error) => {
    const { record } = read(spansOf({ source: 'task', task_call: { phase: 'evaluate', name: 't', result } }));
    expect(record).toMatchObject({ reward, success: error === null, status: error === null ? 'completed' : 'error' });
    expect(record.error?.message ?? null).toEqual(error === null ? null : expect.stringContaining(error));
  });

  it('has null for numbers that are not finite, as HUD writes them', () => {
    const sample = { output_token_ids: [1], output_logprobs: [null] };
    const inference = { source: 'inference', names: ['x'], chunk: [[null, 1]] };
    const lines = [
      spansOf({ source: 'agent', content: 'a', sample }),
      spansOf(inference).replace('hud.step.v1', 'hud.robot.step.v1'),
    ];
    const { steps } = read(lines.join('\n'));
    expect(steps[1]?.action).toEqual([{ name: 'inference', arguments: { actions: [{ x: null, 1: 1 }] } }]);
  });

  it('loses only a truncated last line', () => {
    const text = trace('179c4f65cc774e8c8c1e59f86d14dfcd.jsonl').trimEnd();
    const whole = read(text).steps.length;
    expect(read(text.slice(0, -1)).steps).toHaveLength(whole - 1);
  });

  it('that is truncated is read as far as possible, or gives an error message', () => {
    const text = trace('179c4f65cc774e8c8c1e59f86d14dfcd.jsonl');
    for (let end = 0; end < text.length; end += 7) {
      try {
        read(text.slice(0, end));
      } catch (error) {
        expect(error).toBeInstanceOf(TraceError);
        expect((error as Error).message).toMatch(/^\/t\/trace\.jsonl:\d+:\d+: /);
      }
    }
  });

  it('that is broken in the middle is read without that line, which is said, as HUD does', () => {
    const [first = '', second = '', ...rest] = trace('179c4f65cc774e8c8c1e59f86d14dfcd.jsonl').split('\n');
    const { record, steps } = read([first, second, rest[0]?.slice(0, 40), ...rest].join('\n'));
    expect(steps).toEqual(read([first, second, ...rest].join('\n')).steps);
    expect(record.grade.info).toMatchObject({ warning: 'Lines that are incomplete are left out: 1.' });
    expect(() => read([first.slice(0, 40), second].join('\n'))).toThrow(/^\/t\/trace\.jsonl:1:\d+: /);
  });

  it('with a step that HUD does not write gives an error with its place', () => {
    const brokenTrace = trace('179c4f65cc774e8c8c1e59f86d14dfcd.jsonl').replace('"source":"user"', '"source":5');
    expect(() => read(brokenTrace)).toThrow(/^\/t\/trace\.jsonl:2:\d+: .*not a source of a step/);
  });

  it('counts steps of a kind that only a later HUD has', () => {
    const { steps, record } = read(spansOf({ source: 'agent', content: 'a' }, { source: 'review', verdict: 'good' }));
    expect(steps).toHaveLength(1);
    expect(record.grade.info).toMatchObject({ warning: expect.stringContaining('not shown: 1.') });
  });

  it('has steps without a number where they are', () => {
    const texts = (run: ReturnType<typeof read>) => run.steps.map(({ turn }) => turn?.message);
    const agent = (step_id: number | undefined, content: string) => ({ source: 'agent', step_id, content });
    const late = spansOf(agent(2, 'b'), agent(undefined, 'c'), agent(1, 'a'), agent(3, 'd'));
    expect(texts(read(late))).toEqual(['a', 'b', 'c', 'd']);
  });

  it('reports what it does not show', () => {
    const span = { name: 'x', trace_id: 'a', span_id: 'b', attributes: { 'hud.schema': 'hud.filetracking.v1' } };
    expect(read(JSON.stringify(span)).record.grade.info).toEqual({ warning: expect.stringContaining('not shown: 1.') });
  });
});
