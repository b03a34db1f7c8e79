import { isObject, type JsonObject } from '../base/json.ts';
import type { Era } from './task.ts';
import { UNKNOWN } from './unknown.ts';

/** Keys that only the RFC defines. */
const RFC_ONLY_KEYS = [
  'benchmark',
  'task_name',
  'instruction',
  'start_url',
  'reward_function',
  'reward_fn',
  'initial_state',
  'cookies',
  'local_storage',
  'localStorage',
  'html',
  'html_file',
];

const SHARED = ['id', 'prompt', 'metadata'];
const HUD_0_2_KEYS = [
  ...SHARED,
  'system_prompt',
  'gym',
  'setup',
  'evaluate',
  'config',
  'sensitive_data',
  'description',
  'image_uri',
  'target',
  ...RFC_ONLY_KEYS,
  'max_steps',
  'tags',
  'name',
];

/** The keys that a row of each era can have. Taskwright reads the keys of HUD 0.2 and those of the RFC together. */
export const KNOWN_KEYS: Readonly<Record<Era, readonly string[]>> = {
  '0.2': HUD_0_2_KEYS,
  rfc: HUD_0_2_KEYS,
  '0.4': [
    ...SHARED,
    'system_prompt',
    'mcp_config',
    'setup_tool',
    'evaluate_tool',
    'integration_test_tool',
    'agent_config',
  ],
  '0.5': ['env', 'scenario', 'id', 'slug', 'args', 'validation', 'agent_config', 'columns', 'metadata'],
  '0.6': ['env', 'id', 'args', 'slug', 'validation', 'agent_config', 'columns', 'runtime_config', 'verifier'],
};

/** The keys of `initial_state`. */
export const STATE_KEYS = ['start_url', 'html', 'html_file', 'cookies', 'local_storage', 'localStorage'] as const;

/** Returns the era of a row. */
export function eraOf(row: JsonObject): Era {
  if ('scenario' in row) return '0.5';
  if ('mcp_config' in row) return '0.4';
  if ('gym' in row || 'setup' in row || 'evaluate' in row) return '0.2';
  if (typeof row['env'] === 'string' || row['env'] === UNKNOWN) return '0.6';
  return hasRfcShape(row) ? 'rfc' : '0.2';
}

/** The key that determines the era of a row; null if it has none, as in a prompt alone. */
export function decisiveKey(row: Readonly<Record<string, unknown>>, era: Era): string | null {
  return DECISIVE_KEYS[era].find((key) => key in row) ?? null;
}

const DECISIVE_KEYS: Readonly<Record<Era, readonly string[]>> = {
  '0.5': ['scenario'],
  '0.4': ['mcp_config'],
  '0.2': ['gym', 'setup', 'evaluate'],
  '0.6': ['env'],
  rfc: RFC_ONLY_KEYS,
};

/** Whether a row has keys that only the RFC defines, such as a start page or a reward. */
export function hasRfcShape(row: JsonObject): boolean {
  return RFC_ONLY_KEYS.some((key) => key in row);
}

/** Whether an object is a task of any era, judged by keys that only tasks have. */
export function looksLikeTask(value: unknown): boolean {
  if (!isObject(value)) return false;
  const isText = (key: string): boolean => typeof value[key] === 'string';
  return (
    ['prompt', 'instruction', 'scenario', 'reward_function', 'reward_fn'].some(isText) ||
    ['mcp_config', 'evaluate', 'gym'].some((key) => key in value) ||
    (isText('benchmark') && isText('task_name')) ||
    (isText('env') && isText('id'))
  );
}
