import * as l10n from '@vscode/l10n';
import { plural } from '../src/presentation/plural.ts';
import type { PanelRun, PanelStep } from '../src/presentation/runs/messages.ts';
import { formatReward, isSuccess } from '../src/results/reward.ts';
import { statusWord } from '../src/results/status.ts';
import type { IconName } from './icons.ts';

/** The outcome of a run or call. Each has a color, an icon, and a word, so that none relies on color alone. */
export type Outcome = 'pass' | 'partial' | 'fail' | 'error' | 'none';

export const outcomeIcon: Readonly<Record<Outcome, IconName>> = {
  pass: 'pass',
  partial: 'partial',
  fail: 'fail',
  error: 'error',
  none: 'none',
};

export const outcomeWord: Readonly<Record<Outcome, string>> = {
  pass: l10n.t('passed'),
  partial: l10n.t('partly passed'),
  fail: l10n.t('failed'),
  error: l10n.t('error'),
  none: l10n.t('not graded'),
};

/** The outcome for a value from 0 to 1. Within 1e-9 of 1 is a success. */
export function outcomeOf(value: number | null, hasFailed: boolean): Outcome {
  if (hasFailed) return 'error';
  if (value === null) return 'none';
  if (isSuccess(value)) return 'pass';
  return value > 0 ? 'partial' : 'fail';
}

export function duration(ms: number): string {
  if (ms < 1000) return l10n.t('{0} ms', Math.round(ms));
  if (ms < 59_950) return l10n.t('{0} s', (ms / 1000).toFixed(1));
  return clock(ms);
}

/** `0:11`, for a running time. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

export function stepCount(n: number): string {
  return plural(n, l10n.t('1 step'), l10n.t('{0} steps', n));
}

export function messageCount(n: number): string {
  return plural(n, l10n.t('1 message'), l10n.t('{0} messages', n));
}

/** Whether all that a person sees and answers is text: a question, or an environment that begins without a picture. */
export function isTextual({ view, actions, steps }: PanelRun): boolean {
  if (view.shows !== 'screenshot' || actions !== null) return view.shows === 'text';
  return steps.some(({ source }) => source === 'system') && steps.every(({ screenshot }) => screenshot === null);
}

export function isRunning(run: PanelRun): boolean {
  return run.status === 'starting' || run.status === 'running' || run.status === 'paused';
}

/** The text of the badge, and a sentence for its tooltip and screen readers. */
export function verdictWords(run: PanelRun): { outcome: Outcome; text: string; sentence: string } {
  const verdict = run.verdict;
  const value = verdict?.reward ?? null;
  const rewardText = value === null ? '' : ` · ${formatReward(value)}`;
  switch (run.status) {
    case 'starting':
      return { outcome: 'none', text: l10n.t('starting'), sentence: l10n.t('The run is starting') };
    case 'running':
      return { outcome: 'none', text: l10n.t('running'), sentence: l10n.t('The run is in progress') };
    case 'paused':
      return { outcome: 'none', text: l10n.t('paused'), sentence: l10n.t('The debugger has stopped the run') };
    case 'cancelled':
      return {
        outcome: 'none',
        text: `${statusWord('cancelled')}${rewardText}`,
        sentence: l10n.t('The run was cancelled'),
      };
    case 'interrupted':
      return {
        outcome: 'none',
        text: statusWord('interrupted'),
        sentence: l10n.t('The run was interrupted, so the recording is incomplete'),
      };
    case 'error':
      return {
        outcome: 'error',
        text: l10n.t('error'),
        sentence: l10n.t('The run ended with an error and has no reward'),
      };
    case 'completed': {
      const outcome = outcomeOf(value, false);
      if (value === null) {
        return { outcome, text: l10n.t('no reward'), sentence: l10n.t('The run ended without a reward') };
      }
      return {
        outcome,
        text: formatReward(value),
        sentence: l10n.t('Reward {0}: {1}', formatReward(value), outcomeWord[outcome]),
      };
    }
  }
}

/** The phase of a step, as a heading. */
export function phaseOf(step: PanelStep): string {
  if (step.source === 'setup') return l10n.t('Setup');
  if (step.source === 'evaluate') return l10n.t('Evaluate');
  return step.source === 'system' ? l10n.t('Run') : l10n.t('Agent');
}

/** `click “Apply”` */
export function stepWords(step: PanelStep): string {
  return step.object === '' ? step.verb : `${step.verb} ${step.object}`;
}

/** The outcome of an evaluate step; null for others. */
export function stepOutcome(step: PanelStep): Outcome | null {
  return step.source === 'evaluate' ? outcomeOf(step.value, step.error !== null) : null;
}
