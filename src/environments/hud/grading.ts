import type { Json } from '../../base/json.ts';
import type { CallResult } from '../../functions/declaration.ts';
import { Refused } from './channel.ts';
import { readGrade } from './grade.ts';
import { gradeIn } from './grade-frame.ts';
import { NO_MESSAGE } from './no-message.ts';
import { HudSession } from './session.ts';
import type { HudVerifier } from './spec.ts';

/** The template that grades a task instead of its own. */
export interface Verifier extends Pick<HudVerifier, 'template' | 'args' | 'numbers'> {
  /** Null: it runs in the session of the task. */
  readonly address: string | null;
}

/**
 * Grades a task by its verifier, as HUD: the task is graded first, whatever comes of it, and its grade is the answer that the
 * verifier grades. Rejects with `Refused` by the code of either.
 */
export async function verify(
  session: HudSession,
  { template, args, numbers, address }: Verifier,
  answer: string | null,
  signal: AbortSignal,
  log: (text: string) => void,
): Promise<CallResult> {
  const frame = await graded(session, answer, signal).catch((error: unknown) => {
    if (error instanceof Refused && !signal.aborted) return failedGrade(answer, wordsOf(error));
    throw error;
  });
  const verdict = readGrade(frame);
  const why = 'error' in verdict ? verdict.error.message : null;
  if (why !== null) log(`The verifier grades a task that has no grade: ${why}`);
  const grade = why === null || typeof gradeIn(frame) !== 'string' ? frame : failedGrade(answer, why);
  const verifier = address === null ? session : await HudSession.open(address);
  try {
    await verifier.start(template, args, numbers).catch((refused: unknown) => {
      if (!(refused instanceof Refused)) throw refused;
      throw new Refused(refused.code, `the verifier “${template}” could not be started: ${wordsOf(refused)}`);
    });
    return readGrade(await graded(verifier, grade, signal));
  } finally {
    if (verifier !== session) await verifier.close();
  }
}

/** The grade of the started task, which is cancelled with the signal. Rejects with `Refused` by the code of the task. */
export async function graded(session: HudSession, answer: Json, signal: AbortSignal): Promise<Json> {
  // The grade itself fails if the connection is lost.
  const cancel = (): void => void session.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await session.grade(answer);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** What HUD tells a verifier of a task that could not be graded. */
function failedGrade(answer: string | null, content: string): Json {
  return { score: 0, answer, content, isError: true };
}

/** What the code of a task says. */
export function wordsOf({ message }: Refused): string {
  return message === '' ? NO_MESSAGE : message;
}
