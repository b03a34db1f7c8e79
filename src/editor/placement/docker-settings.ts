import * as l10n from '@vscode/l10n';
import { ServerError } from '../../placement/placement.ts';
import { type ContainerLimits, containerLimitsSchema, LIMIT_WORDS } from '../../tasks/placement-options.ts';

const MAX_WARM = 8;

/**
 * The settings `taskwright.docker.*`, without those that are not set.
 * @param read returns the value of a setting below `taskwright.docker`
 * @throws ServerError that names the setting and its valid values
 */
export function dockerSettings(read: (key: string) => unknown): {
  readonly limits: Partial<ContainerLimits>;
  readonly warm: number;
} {
  const keys = Object.keys(LIMIT_WORDS) as (keyof ContainerLimits)[];
  const entries = keys.flatMap((key) => {
    const value = read(key);
    if (value === undefined || value === null) return [];
    const { success } = containerLimitsSchema.shape[key].safeParse(value);
    if (!success) throw invalidSetting(key, LIMIT_WORDS[key], value);
    return [[key, value]];
  });
  const warm = read('warm') ?? 1;
  if (typeof warm !== 'number' || !Number.isInteger(warm) || warm < 0 || warm > MAX_WARM) {
    throw invalidSetting('warm', l10n.t('an integer from 0 to {0}', MAX_WARM), warm);
  }
  return { limits: Object.fromEntries(entries) as Partial<ContainerLimits>, warm };
}

function invalidSetting(key: string, expected: string, value: unknown): ServerError {
  const message = l10n.t(
    'Invalid setting “taskwright.docker.{0}”: {2}. Expected {1}.',
    key,
    expected,
    JSON.stringify(value) ?? '',
  );
  return new ServerError('bad_setting', message);
}
