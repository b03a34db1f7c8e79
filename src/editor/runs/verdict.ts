import * as l10n from '@vscode/l10n';
import type { PanelStatus } from '../panel/messages.ts';

/** The state or result of a run. Each kind has an icon. */
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
  /** For a list: `0.67`, `stopped`, `call timeout`. */
  readonly text: string;
  /** A phrase for tooltips and screen readers. */
  readonly spoken: string;
}

/** The properties of a run that determine its verdict. */
export interface Judged {
  readonly status: PanelStatus;
  readonly reward: number | null;
  readonly success: boolean;
  readonly error: { readonly code: string } | null;
}

export const NOT_RUN: RunVerdict = { kind: 'none', text: '', spoken: l10n.t('not run yet') };

export function verdictOf(run: Judged): RunVerdict {
  const reward = run.reward === null ? null : formatReward(run.reward);
  switch (run.status) {
    case 'starting':
    case 'running':
      return { kind: 'running', text: l10n.t('running'), spoken: l10n.t('running') };
    case 'interrupted':
      return { kind: 'interrupted', text: l10n.t('interrupted'), spoken: l10n.t('interrupted') };
    case 'error': {
      const text = words(run.error?.code ?? 'error');
      return { kind: 'error', text, spoken: l10n.t('error: {0}', text) };
    }
    case 'cancelled':
      return {
        kind: 'cancelled',
        text: reward === null ? l10n.t('stopped') : l10n.t('{0} stopped', reward),
        spoken: reward === null ? l10n.t('stopped') : l10n.t('stopped, reward {0}', reward),
      };
    case 'completed':
      if (reward === null)
        return { kind: 'ungraded', text: l10n.t('no reward'), spoken: l10n.t('completed without a reward') };
      if (run.success) return { kind: 'passed', text: reward, spoken: l10n.t('passed, reward {0}', reward) };
      return run.reward !== null && run.reward > 0
        ? { kind: 'partial', text: reward, spoken: l10n.t('partly passed, reward {0}', reward) }
        : { kind: 'failed', text: reward, spoken: l10n.t('failed, reward {0}', reward) };
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

/** A short relative time. Both arguments are in milliseconds since 1970. */
export function age(then: number, now: number): string {
  const secondsAgo = Math.max(0, Math.round((now - then) / 1000));
  if (secondsAgo < 45) return l10n.t('just now');
  const minutes = Math.round(secondsAgo / 60);
  if (minutes < 60) return l10n.t('{0} min ago', minutes);
  const hours = Math.round(minutes / 60);
  if (hours < 24) return l10n.t('{0} h ago', hours);
  const days = Math.round(hours / 24);
  return days < 14 ? l10n.t('{0} d ago', days) : new Date(then).toISOString().slice(0, 10);
}
