import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { digitsOf, isNumber } from '../base/raw-number.ts';
import { readAnswer } from './answers.ts';
import { expandCalls, HUD_0_2, plainCall, type ReadCall } from './calls.ts';
import type { ValueFix } from './change.ts';
import { dialogProblems } from './dialog-answers.ts';
import { isReadAsTools, readEnvironment } from './environment-spec.ts';
import { eraOf } from './era.ts';
import { readInitialState } from './initial-state.ts';
import { placementProblems } from './placement-options.ts';
import { error, type Problem, warning } from './problem.ts';
import { readReward } from './reward-call.ts';
import type { Era, Task } from './task.ts';
import { readToolCalls } from './tool-calls.ts';
import { asText, changeTo, removal, toTextOrNothing } from './value-fixes.ts';

/** A row in canonical form, and the problems found while reading it. Locations are paths in the row. */
export interface Reading {
  readonly era: Era;
  readonly fields: Omit<Task, 'file' | 'index' | 'era' | 'range' | 'setup' | 'evaluate'>;
  readonly setup: readonly ReadCall[];
  readonly evaluate: readonly ReadCall[];
  /** In no particular order. */
  readonly problems: readonly Problem[];
}

/**
 * Converts a row of any era to the canonical form. Never throws: unusable values are omitted and reported.
 * @param idText how the id is written, if it is a number
 */
export function readRow(value: Json, idText?: string | null): Reading {
  const row: JsonObject = isObject(value) ? value : {};
  const problems: Problem[] = [];
  const era = eraOf(row);
  const ours = era === '0.2' || era === 'rfc';
  const setup = ours ? expandCalls(row['setup'], ['setup'], problems) : setupOf(row, era);
  const evaluate = ours ? readEvaluate(row, problems) : evaluateOf(row, era);
  const metadata = object(row, 'metadata', problems) ?? {};
  const fields: Reading['fields'] = {
    id: readId(row, idText, problems),
    name: optionalText(row, 'name', problems),
    description: optionalText(row, 'description', problems),
    prompt: readPrompt(row, problems),
    system_prompt: optionalText(row, 'system_prompt', problems),
    env: readEnvironment(row, era, evaluate, problems),
    tags: readTags(row, metadata, problems),
    initial_state: ours ? readInitialState(row, problems) : {},
    config: object(row, 'config', problems),
    sensitive_data: readSensitiveData(row, problems),
    metadata,
    max_steps: readMaxSteps(era === '0.6' && isObject(row['agent_config']) ? row['agent_config'] : row, problems),
  };
  const combine = metadata['combine'];
  if (combine !== undefined && combine !== 'all' && combine !== 'any') {
    const path = ['metadata', 'combine'];
    const message = `"combine" must be "all" (the lowest value counts) or "any" (the highest), not ${JSON.stringify(combine)}`;
    const words = combine === 'max' || combine === 'or' ? ['any', 'all'] : ['all', 'any'];
    problems.push(error('bad-combine', path, message, ...words.map((word) => changeTo(path, word))));
  }
  problems.push(...placementProblems(metadata), ...dialogProblems(metadata));
  // Rows of an era that only HUD runs have rules of their own.
  return { era, fields, setup, evaluate, problems: ours ? problems : [] };
}

/** The setup calls of a row that HUD's tools are called in. */
function setupOf(row: JsonObject, era: Era): ReadCall[] {
  return isReadAsTools(row, era) ? readToolCalls(row['setup_tool'], ['setup_tool']) : [];
}

/** HUD 0.4 takes the reward from the first evaluate tool; scenarios of HUD 0.5 and templates of 0.6 grade themselves. */
function evaluateOf(row: JsonObject, era: Era): ReadCall[] {
  if (isReadAsTools(row, era)) return readToolCalls(row['evaluate_tool'], ['evaluate_tool']).slice(0, 1);
  if (era === '0.5' && (typeof row['scenario'] !== 'string' || row['scenario'] === '')) return [];
  return [plainCall('grade', [], [era === '0.5' ? 'scenario' : 'id'])];
}

function readEvaluate(row: JsonObject, problems: Problem[]): ReadCall[] {
  const calls = [...expandCalls(row['evaluate'], ['evaluate'], problems), ...readReward(row, problems)];
  // An unreadable call is still an attempt to evaluate the task.
  return [...calls, ...readAnswer(row, calls.length > 0 || declaresEvaluation(row), problems)];
}

/** Whether a task declares how it is evaluated, readable or not. */
export function declaresEvaluation(row: Readonly<Record<string, unknown>>): boolean {
  return ['evaluate', 'reward_function', 'reward_fn'].some((key) => {
    const value = row[key];
    return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0);
  });
}

function readId(row: JsonObject, idText: string | null | undefined, problems: Problem[]): string | null {
  const id = row['id'];
  if (id === undefined || id === null) return null;
  if (typeof id === 'string') return id === '' ? null : id;
  const text = isNumber(id) ? (idText ?? digitsOf(id)) : null;
  const fixes = text === null ? [] : [changeTo(['id'], text, true)];
  problems.push(warning('id-not-text', ['id'], `${HUD_0_2} rejects an id that is not a string`, ...fixes));
  return text;
}

function readPrompt(row: JsonObject, problems: Problem[]): string | null {
  for (const key of ['prompt', 'instruction']) {
    const prompt = row[key];
    if (typeof prompt === 'string' && prompt !== '') return prompt;
    if (prompt === undefined || prompt === null || prompt === '') continue;
    const message = 'The prompt must be a string that tells the agent what to do';
    problems.push(error('prompt-not-text', [key], message, ...promptFixes(key, prompt)));
  }
  return row['prompt'] === '' || row['instruction'] === '' ? '' : null;
}

function promptFixes(key: string, prompt: Json): ValueFix[] {
  const lines: readonly Json[] = Array.isArray(prompt) ? prompt : [];
  const text = lines.length > 0 && lines.every((line) => typeof line === 'string') ? lines.join('\n') : asText(prompt);
  return text === undefined ? [] : [changeTo([key], text)];
}

function optionalText(row: JsonObject, key: string, problems: Problem[]): string | null {
  const value = row[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  const message = `"${key}" must be a string; this value is ignored`;
  problems.push(warning('not-text', [key], message, toTextOrNothing([key], value)));
  return null;
}

function object(
  row: JsonObject,
  key: 'metadata' | 'config' | 'sensitive_data',
  problems: Problem[],
): Record<string, Json> | null {
  const value = row[key];
  if (value === undefined) return null;
  if (isObject(value)) return { ...value };
  if (value === null && key === 'config') return null;
  if (value === null) {
    const message = `${HUD_0_2} rejects null as "${key}". Use {} or remove the key`;
    const code = key === 'metadata' ? 'metadata-null' : 'sensitive-data-null';
    problems.push(warning(code, [key], message, changeTo([key], {}, true)));
  } else {
    const message = `"${key}" must be an object; ${HUD_0_2} rejects this value, and Taskwright ignores it`;
    problems.push(warning('not-object', [key], message, removal([key])));
  }
  return null;
}

/** Reads as much as possible of what HUD rejects: a secret must be masked in any form. */
function readSensitiveData(row: JsonObject, problems: Problem[]): Record<string, Record<string, string>> {
  const sites: Record<string, Record<string, string>> = {};
  const add = (site: string, name: string, value: Json): void => {
    if (typeof value !== 'string' && !isNumber(value)) return;
    sites[site] = { ...sites[site], [name]: isNumber(value) ? digitsOf(value) : value };
  };
  const reject = (path: Path, fix: ValueFix): void => {
    const message = `${HUD_0_2} rejects this value: "sensitive_data" contains an object of strings for each site`;
    problems.push(warning('sensitive-data', path, message, fix));
  };
  for (const [site, values] of Object.entries(object(row, 'sensitive_data', problems) ?? {})) {
    // A value without a site, which browser-use accepts, applies to every site.
    if (!isObject(values)) {
      add('*', site, values);
      reject(['sensitive_data', site], removal(['sensitive_data', site]));
      continue;
    }
    sites[site] ??= {};
    for (const [name, value] of Object.entries(values)) {
      const path = ['sensitive_data', site, name];
      add(site, name, value);
      if (typeof value !== 'string') reject(path, toTextOrNothing(path, value));
    }
  }
  return sites;
}

function readTags(row: JsonObject, metadata: JsonObject, problems: Problem[]): string[] {
  const tags = new Set<string>();
  for (const [path, value] of [
    [['tags'], row['tags']],
    [['metadata', 'tags'], metadata['tags']],
  ] as const satisfies readonly (readonly [Path, Json | undefined])[]) {
    if (value === undefined || value === null) continue;
    const list: readonly Json[] = Array.isArray(value) ? value : [value];
    for (const tag of list) if (typeof tag === 'string') tags.add(tag);
    if (Array.isArray(value) && list.every((tag) => typeof tag === 'string')) continue;
    if (typeof value === 'string') continue;
    const texts = list.flatMap((tag) => (typeof tag === 'string' ? tag : (asText(tag) ?? [])));
    const message = 'Tags must be a list of strings; other values are ignored';
    problems.push(warning('tags', path, message, changeTo(path, texts)));
  }
  return [...tags];
}

function readMaxSteps(row: JsonObject, problems: Problem[]): number | null {
  const steps = row['max_steps'];
  if (steps === undefined || steps === null) return null;
  if (typeof steps === 'number' && Number.isSafeInteger(steps) && steps >= 1) return steps;
  const nearest = typeof steps === 'string' || typeof steps === 'number' ? Math.floor(Number(steps)) : 0;
  const message = `"max_steps" must be an integer of at least 1, not ${JSON.stringify(steps)}`;
  const isLimit = nearest >= 1 && Number.isSafeInteger(nearest);
  const fix = isLimit ? changeTo(['max_steps'], nearest) : removal(['max_steps']);
  problems.push(error('max-steps', ['max_steps'], message, fix));
  return null;
}
