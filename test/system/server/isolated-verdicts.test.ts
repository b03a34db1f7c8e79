import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMPTY_RANGE } from '../../../src/base/range.ts';
import type { EnvironmentServer } from '../../../src/placement/placement.ts';
import type { CallOutcome } from '../../../src/server/protocol.ts';
import { caseCount } from '../../sample.ts';
import '../../unit/seed.ts';
import { type Marked, misbehaving, placeForAll } from './harness.ts';

let marked: Marked;
let server: EnvironmentServer;
beforeAll(async () => {
  marked = placeForAll({ browserAhead: false });
  server = await marked.placement.server();
});
afterAll(() => marked.placement.dispose());

const LIMIT_MS = 150;
/** For functions that return: longer than a busy machine needs to load them. */
const LONG_LIMIT_MS = 30_000;

/** What each function may come to, whatever ran before it. */
const OUTCOMES: Readonly<Record<string, (outcome: CallOutcome) => void>> = {
  is_fine: (outcome) => expect(outcome).toMatchObject({ value: 1 }),
  throws: (outcome) => expect(outcome).toMatchObject({ error: { code: 'call_threw' } }),
  waits_for_ever: (outcome) => expect(outcome).toMatchObject({ error: { code: 'call_timeout' } }),
  loops_later: (outcome) => expect(outcome).toMatchObject({ error: { code: 'call_timeout' } }),
  loops_for_ever: (outcome) => expect(outcome).toMatchObject({ error: { code: 'call_timeout' } }),
  leaves: (outcome) => expect(outcome).toMatchObject({ error: { code: 'session_died' } }),
};

/** Functions that only their time limit ends. */
const HANGING = new Set(['waits_for_ever', 'loops_later', 'loops_for_ever']);

const evaluate = (session: string, name: string, args: string[], limit_ms: number): Promise<CallOutcome> =>
  server.request('session.evaluate', { session, call: { function: name, args, range: EMPTY_RANGE }, limit_ms });

/** A session that is replaced once it has ended, as whoever evaluates many runs does it. */
class Reopened {
  #session: Promise<string> | null = null;

  async use<T>(work: (session: string) => Promise<T>): Promise<T> {
    for (;;) {
      this.#session ??= server.request('session.open', {}).then(({ session }) => session);
      try {
        return await work(await this.#session);
      } catch (error) {
        expect(error).toMatchObject({ code: 'session_closed' });
        this.#session = null;
      }
    }
  }
}

const restore = (session: string, response: string) =>
  server.request('session.restore', {
    ...{ session, kind: 'qa', files: { folder: misbehaving }, page: null, resources: {}, actions: [], response },
  });

test('No run gets the verdict or the error of another, for any functions in any order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...Object.keys(OUTCOMES)), { minLength: 3, maxLength: 6 }),
      async (names) => {
        const session = new Reopened();
        for (const [index, name] of names.entries()) {
          const response = `run ${index}`;
          const outcome = await session.use(async (id) => {
            await restore(id, response);
            return await evaluate(id, name, [], HANGING.has(name) ? LIMIT_MS : LONG_LIMIT_MS);
          });
          OUTCOMES[name]?.(outcome);
          if ('error' in outcome && name !== 'throws') expect(outcome.error.message).toContain(name);
          const builtin = await session.use(async (id) => {
            await restore(id, response);
            return await evaluate(id, 'response_is', [response], LONG_LIMIT_MS);
          });
          expect(builtin).toMatchObject({ value: 1 });
        }
      },
    ),
    { numRuns: caseCount(3, 12) },
  );
}, 120_000);

test('A call queued after a killed call does not get its outcome', async () => {
  const { session } = await server.request('session.open', {});
  await restore(session, 'a');
  const killed = evaluate(session, 'loops_for_ever', [], 5_000);
  const next = evaluate(session, 'is_fine', [], LONG_LIMIT_MS);
  const late = expect(next).rejects.toMatchObject({ code: 'session_closed' });
  expect(await killed).toMatchObject({
    error: { code: 'call_timeout', message: expect.stringContaining('loops_for_ever') },
  });
  await late;
});
