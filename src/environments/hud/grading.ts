import type { Json } from '../../base/json.ts';
import type { CallResult } from '../../functions/declaration.ts';
import { RefusalError } from './channel.ts';
import { readGrade } from './grade.ts';
import { gradeIn } from './grade-frame.ts';
import { HudSession } from './session.ts';
import { type HudVerifier, NO_MESSAGE } from './spec.ts';

/** A template that grades a task instead of the task's own. */
export interface Verifier extends Pick<HudVerifier, 'template' | 'args' | 'numbers'> {
  /** Null: it runs in the session of the task. */
  readonly address: string | null;
}

/**
 * Grades a task with its verifier, as HUD does: its own grade, even if that fails, is the answer that the verifier grades.
 * Rejects with `RefusalError` if the code of the task or of the verifier fails.
 */
export async function verify(
  session: HudSession,
  { template, args, numbers, address }: Verifier,
  answer: string | null,
  signal: AbortSignal,
  log: (text: string) => void,
): Promise<CallResult> {
  const frame = await gradeTask(session, answer, signal).catch((error: unknown) => {
    if (error instanceof RefusalError && !signal.aborted) return failedGrade(answer, messageOf(error));
    throw error;
  });
  const verdict = readGrade(frame);
  const why = 'error' in verdict ? verdict.error.message : null;
  if (why !== null) log(`The verifier grades a task that has no grade: ${why}`);
  const grade = why === null || typeof gradeIn(frame) !== 'string' ? frame : failedGrade(answer, why);
  const verifier = address === null ? session : await HudSession.open(address);
  try {
    await verifier.start(template, args, numbers).catch((error: unknown) => {
      if (!(error instanceof RefusalError)) throw error;
      throw new RefusalError(error.code, `the verifier “${template}” could not be started: ${messageOf(error)}`);
    });
    return readGrade(await gradeTask(verifier, grade, signal));
  } finally {
    if (verifier !== session) await verifier.close();
  }
}

/** The grade of the started task, which the signal cancels. Rejects with `RefusalError` if the code of the task fails. */
export async function gradeTask(session: HudSession, answer: Json, signal: AbortSignal): Promise<Json> {
  // If the connection is lost, the grade fails too.
  const cancel = (): void => void session.cancel().catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    return await session.grade(answer);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

/** The grade that a verifier gets for a task that could not be graded, as in HUD. */
function failedGrade(answer: string | null, content: string): Json {
  return { score: 0, answer, content, isError: true };
}

/** The message of an exception in the code of a task. */
export function messageOf({ message }: RefusalError): string {
  return message || NO_MESSAGE;
}
