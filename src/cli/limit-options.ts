import { LIMITS, type RunLimits, readLimits } from '../traces/limits.ts';
import { type Command, type CommandContext, seconds, wholeNumber } from './command.ts';

/** The options that set limits. `served`: of a command that serves tasks. */
export function limitHelp({ served }: { readonly served: boolean }): Command['help'] {
  return Object.values(LIMITS)
    .filter((limit) => !served || limit.served)
    .map(({ flag, unit, help }) => [`--${flag} ${unit === 'ms' ? 'SECONDS' : 'N'}`, help]);
}

/** The limits that the options of a command set. */
export function readLimitOptions(context: CommandContext): RunLimits {
  return readLimits(({ flag, unit }) => (unit === 'ms' ? seconds(context, flag) : wholeNumber(context, flag, 1)));
}
