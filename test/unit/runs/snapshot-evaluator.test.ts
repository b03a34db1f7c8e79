import { expect, it } from 'vitest';
import { ServerError } from '../../../src/placement/placement.ts';
import type { Snapshot } from '../../../src/runs/rescoring/recording.ts';
import { SnapshotEvaluator } from '../../../src/runs/rescoring/snapshot-evaluator.ts';
import type { Params } from '../../../src/server/protocol.ts';
import { FakePlacement, verdict } from './fake-placement.ts';
import { call, task as taskOf } from './tasks.ts';

const { signal } = new AbortController();

const momentOf = (text: string, more: Partial<Snapshot> = {}): Snapshot => ({
  index: 0,
  page: Buffer.from(text),
  missing: null,
  resources: { [`of ${text}`]: Buffer.from(text) },
  actions: [],
  response: null,
  files: null,
  ...more,
});

const many = (count: number) => Array.from({ length: count }, (_, index) => momentOf(`page ${index}`));
const task = taskOf({ env: { type: 'hud-browser' } });
const asked = (moments: readonly Snapshot[], calls = [call('page_contains', ['a'])]) =>
  moments.map((snapshot, index) => ({ calls, snapshot, task, run: `run ${index}` }));

it('snapshots are evaluated in batches, and their resources are sent once', async () => {
  const given: string[][] = [];
  const sizes: number[] = [];
  const placement = new FakePlacement({
    judge: ({ moments, resources }) => {
      sizes.push(moments.length);
      given.push(Object.keys(resources));
    },
  });
  const judge = new SnapshotEvaluator(placement);
  const shared = { resources: { sheet: Buffer.from('') } };
  const judged = await judge.evaluateAll(asked(many(150).map((one) => ({ ...one, ...shared }))), signal);
  expect(judged).toEqual(Array.from({ length: 150 }, () => [{ value: 1, reason: 'because', failed: false }]));
  expect(sizes).toEqual([64, 64, 22]);
  expect(given).toEqual([['sheet'], [], []]);
  // Large pages are not held all at once.
  sizes.length = 0;
  const large = many(6).map((one, at) => ({ ...one, page: Buffer.alloc(1024 * 1024, at) }));
  await judge.evaluateAll(asked(large), signal);
  expect(sizes).toEqual([2, 2, 2]);
  await judge.close();
});

it('equal snapshots are evaluated once, but user-defined functions each time in a separate page', async () => {
  const placement = new FakePlacement();
  const judge = new SnapshotEvaluator(placement);
  const [one] = many(1) as [Snapshot];
  const same = [one, { ...one, index: 3 }, { ...one, response: 'x' }];
  expect(await judge.evaluateAll(asked(same), signal)).toHaveLength(3);
  await judge.evaluate([call('page_contains', ['a'])], one, task, signal);
  expect(placement.requests.filter(({ method }) => method === 'session.evaluateSnapshots')).toMatchObject([
    { params: { moments: [{ response: null }, { response: 'x' }] } },
  ]);
  await judge.evaluateAll(asked(same, [call('mine')]), signal);
  expect(placement.methods.filter((method) => method === 'session.restore')).toHaveLength(3);
  await judge.close();
});

it('snapshots of a batch that ends its session are evaluated one by one', async () => {
  const placement = new FakePlacement({
    judge: () => {
      throw new ServerError('call_timeout', 'It took too long.');
    },
    restore: ({ page }) => {
      if (Buffer.from(page ?? []).toString() === 'page 1') throw new ServerError('page_crashed', 'It crashed.');
      return [];
    },
    evaluate: () => verdict(0.5),
  });
  const judge = new SnapshotEvaluator(placement);
  const judged = await judge.evaluateAll(asked(many(3)), signal);
  expect(judged.flat().map(({ value, reason }) => value ?? reason)).toEqual([0.5, 'It crashed.', 0.5]);
  await judge.close();
  expect(placement.sessions.size).toBe(0);
  expect(placement.released).toBe(placement.methods.filter((method) => method === 'session.open').length);
});

it('cancelling does not wait for the other snapshots', async () => {
  const cancel = new AbortController();
  const placement = new FakePlacement({
    evaluate: ({ args }) => {
      if (args[0] === 'stop') cancel.abort(new Error('enough'));
      return verdict(1);
    },
  });
  const judge = new SnapshotEvaluator(placement);
  const all = [...asked(many(20)), ...asked(many(60), [call('page_contains', ['stop'])])];
  await expect(judge.evaluateAll(all, cancel.signal)).rejects.toThrow('enough');
  expect(placement.methods.filter((method) => method === 'session.evaluateSnapshots').length).toBeLessThanOrEqual(2);
  await judge.close();
});

it('snapshots of a task are evaluated in sequence, because their pages mostly have one address', async () => {
  const placement = new FakePlacement({
    judge: ({ moments }) => {
      pages.push(moments.map(({ page }) => Buffer.from(page ?? []).toString()));
    },
    evaluate: ({ args }) => verdict(args[0] === 'a' ? 0.25 : 0.75),
  });
  const pages: string[][] = [];
  const judge = new SnapshotEvaluator(placement);
  const other = taskOf({ env: { type: 'hud-browser' }, index: 1 });
  const mixed = many(4).map((moment, at) =>
    at % 2 === 0
      ? { calls: [call('page_contains', ['a'])], snapshot: moment, task, run: '' }
      : { calls: [call('page_contains', ['b'])], snapshot: moment, task: other, run: '' },
  );
  const judged = await judge.evaluateAll(mixed, signal);
  expect(pages).toEqual([['page 0', 'page 2', 'page 1', 'page 3']]);
  expect(judged.flat().map(({ value }) => value)).toEqual([0.25, 0.75, 0.25, 0.75]);
  await judge.close();
});

it('a call has the time that it needs, or the time limit that its job sets', async () => {
  const placement = new FakePlacement();
  const judge = new SnapshotEvaluator(placement);
  const coding = taskOf({ env: { type: 'coding' } });
  const calls = [call('command_succeeds', ['make', 90]), call('mine')];
  for (const evaluateTimeoutMs of [undefined, 2_000]) {
    await judge.evaluate(calls, momentOf(''), coding, signal, evaluateTimeoutMs);
  }
  const asked = placement.requests.filter(({ method }) => method === 'session.evaluate');
  expect(asked.map(({ params }) => (params as Params<'session.evaluate'>).limit_ms)).toEqual([
    95_000, 30_000, 2_000, 2_000,
  ]);
  await judge.close();
});
