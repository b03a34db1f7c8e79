import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { trajectoryOf } from '../../../../../src/formats/runs/hud/trajectory-exporter.ts';
import type { Trajectory } from '../../../../../src/formats/runs/hud/trajectory-importer.ts';
import { importRuns, remotePictures } from '../../../../../src/formats/runs/import-runs.ts';
import type { ImportedRun } from '../../../../../src/formats/runs/imported-run.ts';
import { readRuns } from '../../../../../src/formats/runs/importers.ts';
import { dataUrl, pictureOf } from '../../../../../src/formats/runs/picture.ts';
import { numberStep } from '../../../../../src/traces/new-step.ts';
import { openRun } from '../../../../../src/traces/store.ts';
import { TraceError } from '../../../../../src/traces/trace-file.ts';
import { caseCount } from '../../../../sample.ts';
import { temporaryFolder } from '../../../runs/tasks.ts';

const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const READ_AT = '2025-07-01T00:00:00.000Z';

const SHOP = {
  id: '5d9f7c1e',
  reward: 0.5,
  logs: 'grader said half',
  error: null,
  trajectory: [
    {
      observation_url: PNG,
      observation_text: 'Buy milk',
      actions: [],
      logs: null,
      start_timestamp: '2025-07-01T10:00:00+00:00',
      end_timestamp: '2025-07-01T10:00:01.500Z',
    },
    {
      observation_url: 'https://pictures.example/2.png',
      observation_text: null,
      actions: [
        { type: 'click', point: { x: 1, y: 2 } },
        { type: 'response', text: 'done' },
      ],
      logs: 'a warning',
      start_timestamp: '2025-07-01T10:00:02',
      end_timestamp: '2025-07-01T10:00:04',
    },
  ],
};

function read(value: unknown): readonly ImportedRun[] {
  return readRuns(
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
    '/t/run.json',
    READ_AT,
  );
}

function only(value: unknown): ImportedRun {
  const [run] = read(value);
  if (run === undefined) throw new Error('no run');
  return run;
}

/** Written out again, without leaving memory. */
async function again({ header, record, steps }: ImportedRun): Promise<Trajectory> {
  const pictures = new Map<string, string>();
  const named = steps.map((step, index) => {
    const one = numberStep(step, index);
    const picture = step.observation?.screenshot;
    if (one.observation?.screenshot != null && picture != null)
      pictures.set(one.observation.screenshot, dataUrl(picture));
    return one;
  });
  const picture = async (name: string) => pictures.get(name) ?? null;
  return await trajectoryOf({ header, record, steps: named, picture, warnings: [] });
}

function refusal(value: unknown): string {
  try {
    read(value);
  } catch (error) {
    if (error instanceof TraceError) return error.message;
    throw error;
  }
  throw new Error('it was read');
}

describe('a trajectory of HUD 0.2', () => {
  it('becomes a run: steps with their observations, screenshots, actions, logs, and reward', () => {
    const { record, steps } = only(SHOP);
    expect(record).toMatchObject({
      task_id: '5d9f7c1e',
      status: 'completed',
      reward: 0.5,
      success: false,
      steps: 1,
      duration_ms: 4000,
      started_at: '2025-07-01T10:00:00.000Z',
      trace_dir: null,
      grade: { content: 'done' },
    });
    expect(steps.map(({ source }) => source)).toEqual(['system', 'agent', 'system']);
    expect(steps[0]).toMatchObject({
      duration_ms: 1500,
      observation: { text: 'Buy milk', screenshot: { type: 'png' } },
    });
    expect(steps[1]).toMatchObject({
      action: [
        { type: 'click', point: { x: 1, y: 2 } },
        { type: 'response', text: 'done' },
      ],
      // No zone means UTC.
      started_at: '2025-07-01T10:00:02.000Z',
      info: {
        logs: 'a warning',
        messages: [{ kind: 'log', text: 'a warning' }],
        observation_url: 'https://pictures.example/2.png',
      },
    });
    expect(steps[2]).toMatchObject({ observation: null, info: { messages: [{ text: 'grader said half' }] } });
  });

  it('with an error becomes a run with status error and the recorded reward', () => {
    const { record } = only({ ...SHOP, error: 'browser died', reward: 0 });
    expect(record).toMatchObject({ status: 'error', reward: 0, error: { message: 'browser died', code: 'hud_error' } });
  });

  it('can be a list, have a byte order mark, and have keys that HUD ignores', () => {
    const runs = read(
      `\uFEFF${JSON.stringify([
        { ...SHOP, extra: 1 },
        { id: 'b', trajectory: [] },
      ])}`,
    );
    expect(runs.map(({ record }) => record.task_id)).toEqual(['5d9f7c1e', 'b']);
    expect(runs[1]?.record).toMatchObject({ reward: null, steps: 0, started_at: expect.any(String) });
  });

  it.each([
    ['', '/t/run.json:1:1: the file is incomplete'],
    ['{"trajectory": [', '/t/run.json:1:17: the file is incomplete'],
    ['{"trajectory": [],\n "id": 7}', '/t/run.json:2:8: "id": expected a string'],
    ['{"trajectory": []}', '/t/run.json:1:1: "id": expected a string'],
    [
      '{"id": "a",\n"trajectory": [{"actions": []},\n {"actions": [3]}]}',
      '/t/run.json:3:15: "trajectory.1.actions.0": expected an action',
    ],
    ['{"id": "a",\n"trajectory": [\n{}]}', '/t/run.json:3:1: "trajectory.0.actions": expected a list of actions'],
    ['{"id": "a", "trajectory": [], "reward": NaN}', '/t/run.json:1:41: NaN is not a JSON number'],
    ['{"id": "a", "trajectory": [], "reward": 1e999}', '/t/run.json:1:41: "reward": expected a number'],
    ['[]', '/t/run.json:1:1: The list contains no run'],
    ['{"tasks": []}', '/t/run.json:1:1: This file contains no run that can be imported'],
    ['7', '/t/run.json:1:1: This file contains no run that can be imported'],
    [`{"trajectory": ${'['.repeat(100_000)}`, 'nested more than 200 levels'],
  ])('that is broken is told of at its place: %#', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  it('that is truncated gives a message with a position', () => {
    const text = JSON.stringify([SHOP, SHOP], null, 1);
    for (let end = 0; end < text.length; end += 1)
      expect(refusal(text.slice(0, end))).toMatch(/^\/t\/run\.json:\d+:\d+: /);
  });

  it('with any value in any place is read, or rejected with a message', () => {
    const anything = fc.oneof(fc.jsonValue(), fc.constant(SHOP.trajectory));
    fc.assert(
      fc.property(
        fc.record(
          {
            id: fc.oneof(fc.string(), anything),
            trajectory: anything,
            reward: anything,
            logs: anything,
            error: anything,
          },
          { requiredKeys: ['trajectory'] },
        ),
        (value) => {
          try {
            for (const run of read(value)) expect(run.header.run_id).toMatch(/^[\w-]+$/);
          } catch (error) {
            expect(error).toBeInstanceOf(TraceError);
          }
        },
      ),
      { numRuns: caseCount(60, 300) },
    );
  });
});

describe('a trajectory that is read and written out again', () => {
  it('is the same, except that times have one format', async () => {
    const [first, second] = SHOP.trajectory;
    expect(await again(only(SHOP))).toEqual({
      ...SHOP,
      trajectory: [
        { ...first, start_timestamp: '2025-07-01T10:00:00.000Z', end_timestamp: '2025-07-01T10:00:01.500Z' },
        { ...second, start_timestamp: '2025-07-01T10:00:02.000Z', end_timestamp: '2025-07-01T10:00:04.000Z' },
      ],
    });
  });

  it('keeps logs of every form that HUD accepts, and shows them', async () => {
    const forms = [['a', { level: 'warning' }], { a: [1, null] }, []];
    const trajectory = forms.map((logs) => ({ ...SHOP.trajectory[0], logs }));
    const run = only({ ...SHOP, trajectory });
    expect(run.steps.slice(0, 3).map(({ info }) => info['messages'])).toEqual([
      [
        { kind: 'log', text: 'a' },
        { kind: 'log', text: '{"level":"warning"}' },
      ],
      [{ kind: 'log', text: '{"a":[1,null]}' }],
      [],
    ]);
    expect((await again(run)).trajectory.map(({ logs }) => logs)).toEqual(forms);
    expect(refusal(JSON.stringify({ ...SHOP, trajectory: [{ ...SHOP.trajectory[0], logs: 5 }] }))).toMatch(
      /"trajectory.0.logs": expected a string, an object, or a list of these/,
    );
  });

  it('keeps every action that HUD accepts', async () => {
    const lines = readFileSync(new URL('../../../../fixtures/hud/cla-actions-0.2.10.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n');
    const actions = lines
      .map((line) => JSON.parse(line) as { in: unknown; out?: unknown })
      .flatMap(({ in: given, out }) => (out === undefined ? [] : [given, out]));
    expect(actions.length).toBeGreaterThan(50);
    const step = { ...SHOP.trajectory[0], actions };
    const written = await again(only({ ...SHOP, trajectory: [step] }));
    expect(written.trajectory[0]?.actions).toEqual(actions);
  });

  it('with any content', async () => {
    const text = fc.option(fc.string());
    const time = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    const step = fc.record({
      observation_url: fc.option(fc.constantFrom(PNG, 'https://pictures.example/a.png', 'gs://bucket/a.png')),
      observation_text: text,
      actions: fc.array(fc.record({ type: fc.constantFrom('click', 'wait', 'response'), text: fc.string() })),
      logs: text,
      start_timestamp: time,
      length: fc.nat(100_000),
    });
    const trajectory = fc.record({
      id: fc.string(),
      reward: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
      logs: text,
      error: text,
      trajectory: fc.array(step, { maxLength: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(trajectory, async (of) => {
        const steps = of.trajectory.map(({ length, start_timestamp, ...rest }) => ({
          ...rest,
          start_timestamp: start_timestamp.toISOString(),
          end_timestamp: new Date(start_timestamp.getTime() + length).toISOString(),
        }));
        const value = JSON.parse(JSON.stringify({ ...of, trajectory: steps })) as unknown;
        expect(await again(only(value))).toEqual(value);
      }),
      { numRuns: caseCount(40, 200) },
    );
  });
});

describe('importing', () => {
  it('creates recorded runs, and fetches pictures only if requested', async () => {
    const root = await temporaryFolder();
    const runs = read([SHOP, { ...SHOP, reward: 1 }]);
    expect(remotePictures(runs)).toEqual(['https://pictures.example/2.png']);
    const [first = '', second = ''] = await importRuns(runs, root);
    const run = await openRun(first);
    expect(run.running).toBe(false);
    expect(run.record).toMatchObject({ reward: 0.5, trace_dir: first });
    const [start, acted] = await run.steps();
    expect(await readFile(run.picture(start?.observation?.screenshot ?? ''))).toEqual(
      Buffer.from('iVBORw0KGgo=', 'base64'),
    );
    expect(acted?.observation?.screenshot).toBeNull();
    expect((await openRun(second)).record.success).toBe(true);
  });

  it('leaves nothing of an import that fails', async () => {
    const root = await temporaryFolder();
    const fetching = importRuns(read(SHOP), root, () => Promise.reject(new Error('the disk is full')));
    await expect(fetching).rejects.toThrow('the disk is full');
    expect(await readdir(root)).toEqual([]);
  });

  it('stores each fetched picture once', async () => {
    const root = await temporaryFolder();
    const requests: string[] = [];
    const [folder = ''] = await importRuns(read(SHOP), root, async (url) => {
      requests.push(url);
      return pictureOf(Buffer.from('/9j/4AAQ', 'base64'));
    });
    expect(requests).toEqual(['https://pictures.example/2.png']);
    const [, acted] = await (await openRun(folder)).steps();
    expect(acted?.observation?.screenshot).toMatch(/\.jpg$/);
    expect(acted?.info).not.toHaveProperty('observation_url');
  });
});
