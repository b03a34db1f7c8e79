import { isSuccess } from './reward.ts';

/** The part of a run that reasons are taken from. A run without a trace has no grade. */
interface JudgedRun {
  readonly error: { readonly message: string; readonly call?: unknown } | null;
  readonly grade?: {
    readonly info: Readonly<Record<string, unknown>>;
    readonly subscores: readonly { readonly name: string; readonly value: number | null; readonly reason: string }[];
  };
}

/** The warning in the grade of a run that neither evaluate calls nor its environment have judged. */
export const NO_REWARD = 'The run has no reward: the task has no evaluate call, and its environment returns no reward.';

/** Maximum number of characters, so that a list of very many runs stays small. */
const MAX_LENGTH = 300;

/** The reasons of a run on one line: its error, or else those of the calls that did not pass, or else of all calls. */
export function reasonsOf({ error, grade }: JudgedRun): string {
  // The call and its place are at the beginning of the message, and the task is known.
  if (error?.call !== undefined) return oneLine(error.message.replace(/^.*? \([^()\n]*:\d+:\d+\): /s, ''));
  if (error !== null) return oneLine(error.message);
  const { info = {}, subscores = [] } = grade ?? {};
  // A warning of the environment says less about a run than its calls.
  const isJudged = subscores.length > 0 && info['blame'] === undefined;
  if (typeof info['warning'] === 'string' && !isJudged) return oneLine(info['warning']);
  const failures = subscores.filter(({ value }) => !isSuccess(value));
  const reasons = failures.length > 0 ? failures : subscores;
  return oneLine(reasons.map(({ name, reason }) => (reason === '' ? name : `${name}: ${reason}`)).join(' · '));
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}
