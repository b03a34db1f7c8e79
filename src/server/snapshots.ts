import { restoreActions } from '../environments/action-records.ts';
import type { SnapshotBatch, SnapshotFacts } from '../environments/environment.ts';
import { recordedEpisode } from '../environments/unrecorded.ts';
import type { FunctionContext } from '../functions/declaration.ts';
import { runCall } from '../functions/evaluate.ts';
import { pageFactOf } from '../functions/meaning.ts';
import { NO_USER_FUNCTIONS } from '../functions/user/load.ts';
import type { Call } from '../tasks/task.ts';
import type { CallOutcome, Params } from './protocol.ts';

type Moments = Params<'session.evaluateSnapshots'>['moments'];

/**
 * Runs evaluate calls on several snapshots in one pass, for built-in functions that only read from the page. Null for a
 * snapshot that must be restored and evaluated by itself.
 */
export async function judgeSnapshots(
  moments: Moments,
  readEach: (moments: SnapshotBatch['moments']) => Promise<readonly (SnapshotFacts | null)[]>,
) {
  const pageFacts = moments.map(({ calls }) => calls.map(pageFactOf));
  const withPage = moments.flatMap(({ page }, at) => {
    const queries = pageFacts[at] ?? [];
    return page === null || queries.every((one) => one === null) ? [] : [{ at, page, queries }];
  });
  const read = withPage.length === 0 ? [] : await readEach(withPage);
  const facts = new Map(withPage.map(({ at }, index) => [at, read[index] ?? null]));
  return Promise.all(
    moments.map(async (moment, at) => {
      const snapshotFacts = facts.get(at);
      // The page was not read, but a call needs it.
      if (snapshotFacts === null || (snapshotFacts === undefined && pageFacts[at]?.some((one) => one !== null)))
        return null;
      const outcomes: CallOutcome[] = [];
      for (const [index, call] of moment.calls.entries()) {
        outcomes.push(await outcomeOf(call, contextOf(moment, snapshotFacts, snapshotFacts?.facts[index])));
      }
      return { gaps: snapshotFacts?.gaps ?? [], outcomes };
    }),
  );
}

async function outcomeOf(call: Call, context: FunctionContext): Promise<CallOutcome> {
  const startedAt = performance.now();
  const result = await runCall(call, 'evaluate', context, NO_USER_FUNCTIONS);
  const duration_ms = performance.now() - startedAt;
  return 'error' in result ? { ...result, duration_ms } : { ...result, duration_ms, step: null };
}

function contextOf({ actions, response, episode }: Moments[number], read: SnapshotFacts | undefined, fact: unknown) {
  return {
    page: undefined,
    fact,
    response,
    actions: restoreActions(actions),
    open: async () => {
      throw new Error('a recording has only the page that was open');
    },
    ...(read && { recording: { history: read.history, lacking: async () => [] } }),
    ...(episode === undefined ? {} : { episode: recordedEpisode(episode) }),
    actionTimeout: 0,
  } satisfies FunctionContext;
}
