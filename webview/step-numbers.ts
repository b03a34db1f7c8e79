import * as l10n from '@vscode/l10n';
import type { PanelStep } from '../src/presentation/runs/messages.ts';

/** What a position in the list of steps is: a numbered agent step, or a numbered call. */
export interface StepNumber {
  readonly kind: 'setup' | 'agent' | 'evaluate' | 'tool' | 'subagent' | 'log';
  /** One-based, among those of its kind. */
  readonly number: number;
  readonly total: number;
}

const numberings = new WeakMap<readonly PanelStep[], readonly StepNumber[]>();

/** The number of each step. Only agent steps are called steps, as in `max_steps`; setup and evaluate calls are calls. */
export function stepNumbers(steps: readonly PanelStep[]): readonly StepNumber[] {
  const cachedNumbers = numberings.get(steps);
  if (cachedNumbers !== undefined) return cachedNumbers;
  const totals = { setup: 0, agent: 0, evaluate: 0, tool: 0, subagent: 0, log: 0 };
  const kinds = steps.map(kindOf);
  const numberedKinds = kinds.map((kind) => ({ kind, number: ++totals[kind] }));
  const numbers = numberedKinds.map((one) => ({ ...one, total: totals[one.kind] }));
  numberings.set(steps, numbers);
  return numbers;
}

function kindOf({ source }: PanelStep): StepNumber['kind'] {
  return source === 'system' ? 'log' : source;
}

/** `step 3`, `evaluate call 1`. */
export function stepName({ kind, number }: StepNumber): string {
  if (kind === 'setup') return l10n.t('setup call {0}', number);
  if (kind === 'evaluate') return l10n.t('evaluate call {0}', number);
  if (kind === 'tool') return l10n.t('tool result {0}', number);
  if (kind === 'subagent') return l10n.t('sub-agent line {0}', number);
  return kind === 'log' ? l10n.t('logs') : l10n.t('step {0}', number);
}

/** `step 3 of 6`, `evaluate call 1 of 3`. */
export function stepPosition({ kind, number, total }: StepNumber): string {
  if (kind === 'setup') return l10n.t('setup call {0} of {1}', number, total);
  if (kind === 'evaluate') return l10n.t('evaluate call {0} of {1}', number, total);
  if (kind === 'tool') return l10n.t('tool result {0} of {1}', number, total);
  if (kind === 'subagent') return l10n.t('sub-agent line {0} of {1}', number, total);
  return kind === 'log' ? l10n.t('logs') : l10n.t('step {0} of {1}', number, total);
}
