import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { ServerError } from '../../placement/placement.ts';
import { type ContainerLimits, containerLimitsSchema, LIMIT_WORDS } from '../../tasks/placement-options.ts';

const MAX_WARM = 8;
const hostsSchema = z.array(z.string().trim().min(1));

/**
 * The settings `taskwright.docker.*`, without those that are not set.
 * @param read returns the value of a setting below `taskwright.docker`
 * @throws ServerError that names the setting and its valid values
 */
export function dockerSettings(read: (key: string) => unknown): {
  readonly limits: Partial<ContainerLimits>;
  readonly warm: number;
  readonly hosts: readonly string[];
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
  const hosts = hostsSchema.safeParse(read('hosts') ?? []);
  if (!hosts.success) {
    throw invalidSetting('hosts', l10n.t('a list of addresses or names of Docker contexts'), read('hosts'));
  }
  return { limits: Object.fromEntries(entries) as Partial<ContainerLimits>, warm, hosts: hosts.data };
}

/** The Docker hosts of the settings, as far as they are valid. */
export function configuredHosts(read: (key: string) => unknown): readonly string[] {
  return hostsSchema.safeParse(read('hosts') ?? []).data ?? [];
}

function invalidSetting(key: string, validValues: string, value: unknown): ServerError {
  const json = JSON.stringify(value) ?? '';
  const message = l10n.t('Invalid setting “taskwright.docker.{0}”: {2}. Expected {1}.', key, validValues, json);
  return new ServerError('bad_setting', message);
}
