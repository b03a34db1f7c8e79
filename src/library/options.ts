import { MAX_TIMEOUT_MS } from '../base/time-limit.ts';
import { SEEDS } from '../runs/job/seeds.ts';
import { LIMITS, type RunLimits, readLimits } from '../traces/limits.ts';
import type { CommonOptions, RunOptions } from './api.ts';
import { TaskwrightError } from './error.ts';

const PLACEMENTS = ['local', 'docker'] as const;

/**
 * Checks options that programs in JavaScript can set to anything. Throws `TaskwrightError` `bad_option`, because a wrong limit
 * would end runs with a wrong reward.
 */
export function checkOptions(options: CommonOptions & Pick<RunOptions, 'seeds' | 'timeoutMs'>): void {
  const { seed, placement, seeds } = options;
  checkNumber('seed', seed, Number.MIN_SAFE_INTEGER);
  for (const { option, unit } of Object.values(LIMITS)) {
    if (unit === 'ms') checkTime(option, options[option]);
    else checkNumber(option, options[option], 1);
  }
  checkWord('placement', placement, PLACEMENTS);
  checkWord('seeds', seeds, SEEDS);
}

/** The limits of runs among the options. */
export function limitsOf(options: RunOptions): RunLimits {
  return readLimits(({ option }) => options[option as 'maxSteps']);
}

/** Throws `TaskwrightError` unless the option is absent or a whole number of at least `minimum`. */
export function checkNumber(option: string, value: number | undefined, minimum: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= minimum)) return;
  throw new TaskwrightError('bad_option', `"${option}" requires a whole number of at least ${minimum}, not ${value}.`);
}

function checkTime(option: string, value: number | undefined): void {
  if (value === undefined || (value > 0 && value <= MAX_TIMEOUT_MS)) return;
  throw new TaskwrightError(
    'bad_option',
    `"${option}" requires milliseconds, from 1 to ${MAX_TIMEOUT_MS}, not ${value}.`,
  );
}

function checkWord(option: string, value: string | undefined, words: readonly string[]): void {
  if (value === undefined || words.includes(value)) return;
  throw new TaskwrightError('bad_option', `"${option}" requires ${words.join(' or ')}, not “${value}”.`);
}
