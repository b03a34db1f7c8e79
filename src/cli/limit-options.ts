import { LIMITS, type RunLimits, readLimits } from '../traces/limits.ts';
import { type Command, type CommandContext, seconds, wholeNumber } from './command.ts';

type LimitOptions = Pick<Command, 'options' | 'help'>;

/** The options that set limits, of a command that runs tasks. */
export const RUN_LIMITS: LimitOptions = optionsFor(Object.values(LIMITS));

/** The options that set limits, of a command that serves tasks. */
export const SERVED_LIMITS: LimitOptions = optionsFor(Object.values(LIMITS).filter(({ served }) => served));

function optionsFor(limits: readonly (typeof LIMITS)[keyof typeof LIMITS][]): LimitOptions {
  return {
    options: Object.fromEntries(limits.map(({ flag }) => [flag, { type: 'string' }])),
    help: limits.map(({ flag, unit, help }) => [`--${flag} ${unit === 'ms' ? 'SECONDS' : 'N'}`, help]),
  };
}

/** The limits that the options of a command set. */
export function readLimitOptions(context: CommandContext): RunLimits {
  return readLimits(({ flag, unit }) => (unit === 'ms' ? seconds(context, flag) : wholeNumber(context, flag, 1)));
}
