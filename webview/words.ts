import type { PanelRun, PanelStep } from '../src/editor/panel/messages.ts';
import type { IconName } from './icons.ts';

/** How something went; each has a colour, an icon and a word, so that none is told by colour alone. */
export type Outcome = 'pass' | 'partial' | 'fail' | 'error' | 'none';

export const outcomeIcon: Readonly<Record<Outcome, IconName>> = {
  pass: 'pass',
  partial: 'partial',
  fail: 'fail',
  error: 'error',
  none: 'none',
};

/** Rewards and values from 0 to 1; within 1e-9 of 1 is a success. */
export function outcomeOf(value: number | null, failed: boolean): Outcome {
  if (failed) return 'error';
  if (value === null) return 'none';
  if (value >= 1 - 1e-9) return 'pass';
  return value > 0 ? 'partial' : 'fail';
}

export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  return clock(ms);
}

/** `0:11`, for a time that runs. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Two decimals at most, and never rounded up to a success or down to nothing. */
export function score(value: number): string {
  if (value > 0 && value < 0.01) return '<0.01';
  if (value < 1 && value > 0.99) return '0.99';
  return String(Number(value.toFixed(2)));
}

/** A reward for the badge: always two decimals. */
export function reward(value: number): string {
  const text = score(value);
  return text.startsWith('<') ? text : Number(text).toFixed(2);
}

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function isRunning(run: PanelRun): boolean {
  return run.status === 'starting' || run.status === 'running';
}

/** What the badge says: text to see, and a sentence for the tooltip and screen readers. */
export function verdictWords(run: PanelRun): { outcome: Outcome; text: string; sentence: string } {
  const verdict = run.verdict;
  const value = verdict?.reward ?? null;
  const shown = value === null ? '' : ` · ${reward(value)}`;
  switch (run.status) {
    case 'starting':
      return { outcome: 'none', text: 'starting', sentence: 'The run is starting' };
    case 'running':
      return { outcome: 'none', text: 'running', sentence: 'The run is going on' };
    case 'cancelled':
      return { outcome: 'none', text: `cancelled${shown}`, sentence: 'The run was cancelled' };
    case 'interrupted':
      return { outcome: 'none', text: 'interrupted', sentence: 'The recording ends before the run did' };
    case 'error':
      return { outcome: 'error', text: 'error', sentence: 'The run ended with an error and has no reward' };
    case 'completed': {
      const outcome = outcomeOf(value, false);
      if (value === null) return { outcome, text: 'no reward', sentence: 'The run ended without a reward' };
      const word = { pass: 'passed', partial: 'partly passed', fail: 'failed', error: 'error', none: 'none' }[outcome];
      return { outcome, text: reward(value), sentence: `Reward ${reward(value)}: ${word}` };
    }
  }
}

export type Phase = 'Setup' | 'Agent' | 'Evaluate' | 'Run';

export function phaseOf(step: PanelStep): Phase {
  if (step.source === 'setup') return 'Setup';
  if (step.source === 'evaluate') return 'Evaluate';
  return step.source === 'system' ? 'Run' : 'Agent';
}

/** `click “Apply”` */
export function stepWords(step: PanelStep): string {
  return step.object === '' ? step.verb : `${step.verb} ${step.object}`;
}

/** How an evaluate step went; null for every other. */
export function stepOutcome(step: PanelStep): Outcome | null {
  return step.source === 'evaluate' ? outcomeOf(step.value, step.error !== null) : null;
}
