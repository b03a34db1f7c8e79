import * as l10n from '@vscode/l10n';
import { formatReward } from '../../results/reward.ts';
import { statusWord } from '../../results/status.ts';
import type { Run } from '../../traces/trace.ts';
import { withoutIcons } from '../plain-text.ts';
import type { PanelStatus } from './messages.ts';

/** The state or result of a run. Each kind has an icon. */
export type VerdictKind =
  | 'none'
  | 'running'
  | 'paused'
  | 'passed'
  | 'partial'
  | 'failed'
  | 'ungraded'
  | 'error'
  | 'cancelled'
  | 'interrupted';

export interface RunVerdict {
  readonly kind: VerdictKind;
  /** For a list: `0.67`, `cancelled`, `call timeout`. */
  readonly text: string;
  /** A phrase for tooltips and screen readers. */
  readonly accessibleText: string;
}

/** The properties of a run that determine its verdict. */
export interface RunResult extends Pick<Run, 'reward' | 'success'> {
  readonly status: PanelStatus;
  readonly error: { readonly code: string } | null;
}

export const NOT_RUN: RunVerdict = { kind: 'none', text: '', accessibleText: l10n.t('not run yet') };

/** Whether the run is in progress. */
export function isActive({ kind }: RunVerdict): boolean {
  return kind === 'running' || kind === 'paused';
}

export function verdictOf(run: RunResult): RunVerdict {
  const reward = run.reward === null ? null : formatReward(run.reward);
  switch (run.status) {
    case 'starting':
    case 'running':
      return { kind: 'running', text: l10n.t('running'), accessibleText: l10n.t('running') };
    case 'paused':
      return { kind: 'paused', text: l10n.t('paused'), accessibleText: l10n.t('paused by the debugger') };
    case 'interrupted':
      return { kind: 'interrupted', text: statusWord('interrupted'), accessibleText: statusWord('interrupted') };
    case 'error': {
      const text = spacedCode(run.error?.code ?? 'error');
      return { kind: 'error', text, accessibleText: l10n.t('error: {0}', text) };
    }
    case 'cancelled':
      return {
        kind: 'cancelled',
        text: reward === null ? statusWord('cancelled') : `${reward} ${statusWord('cancelled')}`,
        accessibleText: reward === null ? statusWord('cancelled') : l10n.t('cancelled, reward {0}', reward),
      };
    case 'completed':
      if (reward === null)
        return { kind: 'ungraded', text: l10n.t('no reward'), accessibleText: l10n.t('completed without a reward') };
      if (run.success) return { kind: 'passed', text: reward, accessibleText: l10n.t('passed, reward {0}', reward) };
      return run.reward !== null && run.reward > 0
        ? { kind: 'partial', text: reward, accessibleText: l10n.t('partly passed, reward {0}', reward) }
        : { kind: 'failed', text: reward, accessibleText: l10n.t('failed, reward {0}', reward) };
  }
}

/** `call_timeout` → `call timeout`. */
function spacedCode(code: string): string {
  // A code in a file of a run may be any text.
  return withoutIcons(code.replace(/[_-]+/g, ' '));
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
