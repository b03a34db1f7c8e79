import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ErrorCode } from '../../../src/environments/faults.ts';
import { type EnvironmentServer, type Placement, ServerError } from '../../../src/placement/placement.ts';
import { type EvaluationRequest, SnapshotEvaluator } from '../../../src/runs/rescoring/snapshot-evaluator.ts';
import type { CallOutcome, Params } from '../../../src/server/protocol.ts';
import { call, task as taskOf } from './tasks.ts';

/** What a call does in its session. */
const BEHAVIOURS = ['returns', 'throws', 'loops', 'dies', 'damages', 'ends later', 'counts'] as const;
type Behaviour = (typeof BEHAVIOURS)[number];

interface Ending {
  readonly code: ErrorCode;
  readonly message: string;
}

/** A session with the semantics of the environment server: a dead one reports how it died to whoever asks next. */
class FakeSession {
  #end: Ending | null = null;
  #endsAtNext: Ending | null = null;
  #isSlow = false;
  #count = 0;

  check(): void {
    this.#end ??= this.#endsAtNext;
    if (this.#end !== null) throw new ServerError(this.#end.code, this.#end.message);
  }

  evaluate(run: string, behaviour: Behaviour): CallOutcome {
    this.check();
    // A timer of an earlier call keeps the process busy.
    if (this.#isSlow) return this.#endWith({ code: 'call_timeout', message: `${run}: took too long` });
    const value = 0.5;
    switch (behaviour) {
      case 'returns':
        return { value, reason: `${run}: fine`, duration_ms: 1, step: null };
      case 'counts':
        this.#count += 1;
        return {
          value: this.#count === 1 ? value : 0,
          reason: `${run}: call ${this.#count}`,
          duration_ms: 1,
          step: null,
        };
      case 'throws':
        return { error: { code: 'call_threw', message: `${run}: threw` }, duration_ms: 1 };
      case 'loops':
        return this.#endWith({ code: 'call_timeout', message: `${run}: did not return` });
      case 'dies':
        return this.#endWith({ code: 'session_died', message: `${run}: died` });
      case 'damages':
        this.#isSlow = true;
        return { value, reason: `${run}: fine`, duration_ms: 1, step: null };
      case 'ends later':
        this.#endsAtNext = { code: 'session_died', message: `${run}: died` };
        return { value, reason: `${run}: fine`, duration_ms: 1, step: null };
    }
  }

  #endWith(end: Ending): CallOutcome {
    this.#end = end;
    return { error: { message: end.message, code: end.code as 'call_timeout' }, duration_ms: 1 };
  }
}

function fakePlacement(): Placement {
  const sessions = new Map<string, FakeSession>();
  const restored = new Map<string, string>();
  const answer = (method: string, params: unknown): unknown => {
    if (method === 'session.open') {
      const session = `session ${sessions.size}`;
      sessions.set(session, new FakeSession());
      return { session };
    }
    const { session: name } = params as { session: string };
    const session = sessions.get(name);
    if (method === 'session.close') return {};
    session?.check();
    if (method === 'session.restore') {
      const { page } = params as Params<'session.restore'>;
      restored.set(name, Buffer.from(page ?? []).toString());
      return { gaps: [] };
    }
    const { call: evaluated } = params as Params<'session.evaluate'>;
    return session?.evaluate(restored.get(name) ?? '', evaluated.args[0] as Behaviour);
  };
  const server = {
    request: async (method: string, params: unknown) => answer(method, params),
  } as unknown as EnvironmentServer;
  return {
    kind: 'local',
    open: async () => ({ server, files: { folder: '/' }, release: async () => {} }),
    running: () => [],
    dispose: async () => {},
  } as unknown as Placement;
}

/** `click` is a built-in that is evaluated one by one in a shared session; any other name is user-defined. */
const runOf = fc.record({
  behaviour: fc.constantFrom(...BEHAVIOURS),
  name: fc.constantFrom('mine', 'selector_history'),
});

const EXPECTED: Readonly<Record<Behaviour, (run: string) => object>> = {
  returns: (run) => ({ value: 0.5, reason: `${run}: fine`, failed: false }),
  counts: (run) => ({ value: 0.5, reason: `${run}: call 1`, failed: false }),
  throws: (run) => ({ value: null, reason: `${run}: threw`, failed: true }),
  loops: (run) => ({ value: null, reason: `${run}: did not return`, failed: true }),
  dies: (run) => ({ value: null, reason: `${run}: died`, failed: true }),
  damages: (run) => ({ value: 0.5, reason: `${run}: fine`, failed: false }),
  'ends later': (run) => ({ value: 0.5, reason: `${run}: fine`, failed: false }),
};

it('the results, errors, and times of parallel runs are not mixed up', async () => {
  const runs = fc.array(runOf, { minLength: 2, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(runs, async (all) => {
      // Built-in functions keep no state between calls.
      const plans = all.map((one) =>
        one.name !== 'mine' && one.behaviour === 'counts' ? { ...one, behaviour: 'returns' as const } : one,
      );
      const evaluator = new SnapshotEvaluator(fakePlacement());
      const requests = plans.map(({ behaviour, name }, index): EvaluationRequest => {
        const page = Buffer.from(`run ${index}`);
        const snapshot = { index: 0, page, missing: null, resources: {}, actions: [], response: null, files: null };
        const task = taskOf({ env: { type: 'hud-browser' } });
        return { calls: [call(name, [behaviour])], snapshot, task, run: `run ${index}` };
      });
      const results = await evaluator.evaluateAll(requests, new AbortController().signal);
      await evaluator.close();
      expect(results.flat()).toEqual(plans.map(({ behaviour }, index) => EXPECTED[behaviour](`run ${index}`)));
    }),
    { numRuns: 300 },
  );
});

it('a call that ends its session does not fail the next call of its run', async () => {
  const evaluator = new SnapshotEvaluator(fakePlacement());
  const snapshot = {
    index: 0,
    page: Buffer.from('run'),
    missing: null,
    resources: {},
    actions: [],
    response: null,
    files: null,
  };
  const calls = ['loops', 'returns', 'ends later', 'returns', 'dies', 'throws'].map((one) => call('mine', [one]));
  const task = taskOf({ env: { type: 'hud-browser' } });
  const results = await evaluator.evaluate(calls, snapshot, task, new AbortController().signal);
  expect(results.map(({ reason }) => reason)).toEqual([
    'run: did not return',
    'run: fine',
    'run: fine',
    'run: fine',
    'run: died',
    'run: threw',
  ]);
});
