import { isObject, type Json, type JsonObject } from '../base/json.ts';
import type { Path } from '../base/path.ts';
import { readAnswer } from './answers.ts';
import { expandCalls, HUD_0_2, type ReadCall } from './calls.ts';
import type { ValueFix } from './change.ts';
import { isReadAsTools, readEnvironment } from './environment-spec.ts';
import { eraOf } from './era.ts';
import { readInitialState } from './initial-state.ts';
import { placementProblems } from './placement-options.ts';
import type { Problem } from './problem.ts';
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

/** Converts a row of any era to the canonical form. Never throws: unusable values are omitted and reported. */
export function readRow(value: Json): Reading {
  const row: JsonObject = isObject(value) ? value : {};
  const problems: Problem[] = [];
  const era = eraOf(row);
  const ours = era === '0.2' || era === 'rfc';
  const setup = ours ? expandCalls(row['setup'], ['setup'], problems) : setupOf(row, era);
  const evaluate = ours ? readEvaluate(row, problems) : evaluateOf(row, era);
  const metadata = object(row, 'metadata', problems) ?? {};
  const fields: Reading['fields'] = {
    id: readId(row, problems),
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
    problems.push({
      path: ['metadata', 'combine'],
      severity: 'error',
      code: 'bad-combine',
      message: `"combine" must be "all" (the lowest value counts) or "any" (the highest), not ${JSON.stringify(combine)}`,
      fixes: (combine === 'max' || combine === 'or' ? ['any', 'all'] : ['all', 'any']).map((word) =>
        changeTo(['metadata', 'combine'], word),
      ),
    });
  }
  problems.push(...placementProblems(metadata));
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
  const path = [era === '0.5' ? 'scenario' : 'id'];
  return [{ function: 'grade', args: [], id: null, metadata: null, path, namePath: path, argPaths: [] }];
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

function readId(row: JsonObject, problems: Problem[]): string | null {
  const id = row['id'];
  if (id === undefined || id === null) return null;
  if (typeof id === 'string') return id === '' ? null : id;
  problems.push({
    path: ['id'],
    severity: 'warning',
    code: 'id-not-text',
    message: `${HUD_0_2} rejects an id that is not a string`,
    ...(typeof id === 'number' ? { fixes: [changeTo(['id'], String(id), true)] } : {}),
  });
  return typeof id === 'number' ? String(id) : null;
}

function readPrompt(row: JsonObject, problems: Problem[]): string | null {
  for (const key of ['prompt', 'instruction']) {
    const prompt = row[key];
    if (typeof prompt === 'string' && prompt !== '') return prompt;
    if (prompt === undefined || prompt === null || prompt === '') continue;
    problems.push({
      path: [key],
      severity: 'error',
      code: 'prompt-not-text',
      message: 'The prompt must be a string that tells the agent what to do',
      ...promptFixes(key, prompt),
    });
  }
  return row['prompt'] === '' || row['instruction'] === '' ? '' : null;
}

function promptFixes(key: string, prompt: Json): Pick<Problem, 'fixes'> {
  const lines: readonly Json[] = Array.isArray(prompt) ? prompt : [];
  const text = lines.length > 0 && lines.every((line) => typeof line === 'string') ? lines.join('\n') : asText(prompt);
  return text === undefined ? {} : { fixes: [changeTo([key], text)] };
}

function optionalText(row: JsonObject, key: string, problems: Problem[]): string | null {
  const value = row[key];
  if (value === undefined || value === null) return null;
  if (typeof value === 'string') return value;
  problems.push({
    path: [key],
    severity: 'warning',
    code: 'not-text',
    message: `"${key}" must be a string; this value is ignored`,
    fixes: [toTextOrNothing([key], value)],
  });
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
  problems.push(
    value === null
      ? {
          path: [key],
          severity: 'warning',
          code: key === 'metadata' ? 'metadata-null' : 'sensitive-data-null',
          message: `${HUD_0_2} rejects null as "${key}". Use {} or remove the key`,
          fixes: [changeTo([key], {}, true)],
        }
      : {
          path: [key],
          severity: 'warning',
          code: 'not-object',
          message: `"${key}" must be an object; ${HUD_0_2} rejects this value, and Taskwright ignores it`,
          fixes: [removal([key])],
        },
  );
  return null;
}

/** Reads as much as possible of what HUD rejects: a secret must be masked in any form. */
function readSensitiveData(row: JsonObject, problems: Problem[]): Record<string, Record<string, string>> {
  const sites: Record<string, Record<string, string>> = {};
  const add = (site: string, name: string, value: Json): void => {
    if (typeof value !== 'string' && typeof value !== 'number') return;
    sites[site] = { ...sites[site], [name]: String(value) };
  };
  const refused = (path: Path, fixes: readonly ValueFix[]): void => {
    problems.push({
      path,
      severity: 'warning',
      code: 'sensitive-data',
      message: `${HUD_0_2} rejects this value: "sensitive_data" contains an object of strings for each site`,
      fixes,
    });
  };
  for (const [site, values] of Object.entries(object(row, 'sensitive_data', problems) ?? {})) {
    // A value without a site, which browser-use accepts, applies to every site.
    if (!isObject(values)) {
      add('*', site, values);
      refused(['sensitive_data', site], [removal(['sensitive_data', site])]);
      continue;
    }
    sites[site] ??= {};
    for (const [name, value] of Object.entries(values)) {
      const path = ['sensitive_data', site, name];
      add(site, name, value);
      if (typeof value !== 'string') refused(path, [toTextOrNothing(path, value)]);
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
    problems.push({
      path,
      severity: 'warning',
      code: 'tags',
      message: 'Tags must be a list of strings; other values are ignored',
      fixes: [
        changeTo(
          path,
          list.flatMap((tag) => (typeof tag === 'string' ? tag : (asText(tag) ?? []))),
        ),
      ],
    });
  }
  return [...tags];
}

function readMaxSteps(row: JsonObject, problems: Problem[]): number | null {
  const steps = row['max_steps'];
  if (steps === undefined || steps === null) return null;
  if (typeof steps === 'number' && Number.isSafeInteger(steps) && steps >= 1) return steps;
  const nearest = typeof steps === 'string' || typeof steps === 'number' ? Math.floor(Number(steps)) : 0;
  problems.push({
    path: ['max_steps'],
    severity: 'error',
    code: 'max-steps',
    message: `"max_steps" must be an integer of at least 1, not ${JSON.stringify(steps)}`,
    fixes: [nearest >= 1 && Number.isSafeInteger(nearest) ? changeTo(['max_steps'], nearest) : removal(['max_steps'])],
  });
  return null;
}
