import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { taskwright } from '../../unit/cli/command-line.ts';
import { type Marked, nothingLeft, placeForAll } from '../server/harness.ts';

/** What one command came to, as `start` tells it. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** What no command may change in its process. */
function stateOfProcess() {
  const listeners = SIGNALS.map((signal) => process.listenerCount(signal));
  return { cwd: process.cwd(), env: { ...process.env }, exitCode: process.exitCode, listeners };
}

/**
 * Carries out command lines in the process of the tests, in environments of one server for all tests of a file: to start the
 * program, a server, and its first session takes three times as long as most runs. For what depends on the process, such as
 * variables, signals, standard streams, and the logs of servers, there is `start`.
 */
export function shareCommandLine(): (args: readonly string[], cwd: string) => Promise<Ended> {
  let marked: Marked;
  let before: ReturnType<typeof stateOfProcess>;
  beforeAll(() => {
    marked = placeForAll();
    before = stateOfProcess();
  });
  // A run that was not released would keep its session from the next test.
  afterEach(() => {
    expect(marked.placement.running().flatMap(({ tasks }) => tasks)).toEqual([]);
    expect(stateOfProcess()).toEqual(before);
  });
  afterAll(async () => {
    await marked.placement.dispose();
    await nothingLeft(marked.mark);
  });
  return async (args, cwd) => {
    const { exit, out, err } = await taskwright(args, {
      cwd,
      placement: { ...marked.placement, dispose: async () => {} },
    });
    return { code: exit, out, err };
  };
}
