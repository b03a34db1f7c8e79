import { patient } from '../../base/patience.ts';
import { credentialsOf, withoutCredentials } from '../../environments/credentials.ts';

/** Time limit for a server to become ready, in ms: environments may load models first. */
const READY_LIMIT = 120_000;
const PAUSE = 100;
const ASK_LIMIT = patient(5_000);

/**
 * Resolves when the server answers `/health` with 200. Otherwise rejects; the message is the reason, as the end of
 * a sentence.
 * @param exit resolves with how the server ended
 * @param limit time limit in ms
 */
export async function untilHealthy(
  address: string,
  exit: Promise<string>,
  signal?: AbortSignal,
  limit = READY_LIMIT,
): Promise<void> {
  let end: string | null = null;
  void exit.then((how) => {
    end = how;
  });
  let last = 'it does not answer';
  for (const late = performance.now() + limit; performance.now() < late; ) {
    signal?.throwIfAborted();
    try {
      const { status } = await fetch(`${withoutCredentials(address)}/health`, {
        headers: { ...credentialsOf(address) },
        signal: AbortSignal.timeout(ASK_LIMIT),
      });
      // Another program may answer at the port of a server that has ended.
      if (status === 200 && end === null) return;
      last = `/health answers with status ${status}`;
    } catch {
      last = 'it does not answer';
    }
    if (end !== null) throw new Error(end);
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  throw new Error(`was not ready within ${limit / 1000} s (${last})`);
}
