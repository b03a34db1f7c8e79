import type { PanelStatus } from '../panel/messages.ts';

/** How a run stands or ended, in the few kinds that get an icon of their own. */
export type VerdictKind =
  | 'none'
  | 'running'
  | 'passed'
  | 'partial'
  | 'failed'
  | 'ungraded'
  | 'error'
  | 'cancelled'
  | 'interrupted';

export interface RunVerdict {
  readonly kind: VerdictKind;
  /** For a list: `0.67`, `cancelled`, `an evaluate call threw`. */
  readonly text: string;
  /** For a screen reader, a whole phrase. */
  readonly spoken: string;
}

/** What a verdict is read from: a run's record, or as much of it as a list holds. */
export interface Judged {
  readonly status: PanelStatus;
  readonly reward: number | null;
  readonly success: boolean;
  readonly error: { readonly code: string } | null;
}

export const NOT_RUN: RunVerdict = { kind: 'none', text: '', spoken: 'not run yet' };

export function verdictOf(run: Judged): RunVerdict {
  const reward = run.reward === null ? null : formatReward(run.reward);
  switch (run.status) {
    case 'starting':
    case 'running':
      return { kind: 'running', text: 'running', spoken: 'running' };
    case 'interrupted':
      return { kind: 'interrupted', text: 'interrupted', spoken: 'interrupted' };
    case 'error': {
      const text = words(run.error?.code ?? 'error');
      return { kind: 'error', text, spoken: `ended in an error: ${text}` };
    }
    case 'cancelled':
      return {
        kind: 'cancelled',
        text: reward === null ? 'stopped' : `${reward} stopped`,
        spoken: reward === null ? 'stopped' : `stopped, reward ${reward}`,
      };
    case 'completed':
      if (reward === null) return { kind: 'ungraded', text: 'no reward', spoken: 'completed without a reward' };
      if (run.success) return { kind: 'passed', text: reward, spoken: `passed, reward ${reward}` };
      return run.reward !== null && run.reward > 0
        ? { kind: 'partial', text: reward, spoken: `partly, reward ${reward}` }
        : { kind: 'failed', text: reward, spoken: `failed, reward ${reward}` };
  }
}

/** Two decimals that never say more than is true: what is not 1 is not shown as 1.00, what is not 0 not as 0.00. */
export function formatReward(reward: number): string {
  if (reward >= 1 - 1e-9) return '1.00';
  if (reward <= 0) return '0.00';
  return Math.min(0.99, Math.max(0.01, Math.round(reward * 100) / 100)).toFixed(2);
}

/** `call_timeout` → `call timeout`. */
function words(code: string): string {
  return code.replace(/[_-]+/g, ' ');
}

/** How long ago, as short as a list wants it. Both in milliseconds since 1970. */
export function age(then: number, now: number): string {
  const secondsAgo = Math.max(0, Math.round((now - then) / 1000));
  if (secondsAgo < 45) return 'just now';
  const minutes = Math.round(secondsAgo / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  const days = Math.round(hours / 24);
  return days < 14 ? `${days} d ago` : new Date(then).toISOString().slice(0, 10);
}
