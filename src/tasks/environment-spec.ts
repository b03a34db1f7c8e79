import { defined } from '../base/defined.ts';
import { isObject, type Json, type JsonObject } from '../base/json.ts';
import { checksResponseOnly } from './answers.ts';
import { HUD_0_2, type ReadCall } from './calls.ts';
import type { ValueFix } from './change.ts';
import { hasRfcShape } from './era.ts';
import { error, type Problem, warning } from './problem.ts';
import type { EnvironmentSpec, Era } from './task.ts';
import { fromJson, readToolCalls, readValidation } from './tool-calls.ts';
import { hasUnknownMembers } from './unknown.ts';
import { changeTo } from './value-fixes.ts';

/*
 * The environment of a row. The only types of `gym` that are named here are those that the formats of tasks give a meaning
 * of their own. Everything else that depends on a type is in the descriptors of the kinds of environments.
 */

/** Tasks of this environment describe the initial desktop in `config`. */
const OSWORLD = 'OSWorld-Ubuntu';

/** The environment that a row of any era specifies or implies. */
export function readEnvironment(
  row: JsonObject,
  era: Era,
  evaluate: readonly ReadCall[],
  problems: Problem[],
): EnvironmentSpec {
  if (isReadAsTools(row, era)) return mcpEnvironment(row);
  if (era === '0.5') return scenarioEnvironment(row);
  if (era === '0.6') {
    const { id, args, runtime_config, verifier } = row;
    const steps = row['validation'];
    const areCalls = Array.isArray(steps) && readValidation(steps).length === steps.length;
    return {
      ...hudEnvironment(row),
      ...textMember('template', id),
      ...defined({ args, runtime_config, verifier }),
      // HUD 0.6 takes any objects here.
      ...(areCalls ? solution(readValidation(steps)) : {}),
    };
  }
  const gym = row['gym'];
  const isTyped = isObject(gym) && 'type' in gym;
  if (!isTyped && hasUnknownMembers(gym === undefined ? row : gym)) return { type: 'unknown' };
  if (gym === undefined || gym === null) return withoutGym(row, era, evaluate, problems);
  if (typeof gym === 'string' && gym !== '') {
    return {
      type: gym,
      ...textMember('image_uri', row['image_uri']),
      ...(gym === OSWORLD && isObject(row['config']) ? { config: osworldConfig(row['config'], evaluate) } : {}),
    };
  }
  if (isObject(gym)) {
    const { type, ...rest } = gym;
    if (typeof type === 'string' && type !== '') return { ...rest, type };
    const isImage = ['image_or_build_context', 'location', 'host_config', 'dockerfile', 'controller_source_dir'].some(
      (key) => key in gym,
    );
    if (type === undefined && isImage) return { ...rest, type: 'public' };
  }
  const message = 'Not an environment: use a name such as "hud-browser" or "qa", or an object with a "type"';
  const names = Array.isArray(gym) && typeof gym[0] === 'string' ? [gym[0]] : ['hud-browser', 'qa'];
  problems.push(error('gym-unreadable', ['gym'], message, ...names.map((name) => changeTo(['gym'], name))));
  return { type: '' };
}

/** Drops OSWorld's own evaluator if the task has evaluate calls. */
function osworldConfig(config: JsonObject, evaluate: readonly ReadCall[]): JsonObject {
  if (evaluate.length === 0) return config;
  const { evaluator: _, ...rest } = config;
  return rest;
}

/** Whether a row is a task of HUD 0.4, as HUD 0.5 reads a row with a prompt and an `mcp_config`, too. */
export function isReadAsTools(row: JsonObject, era: Era): boolean {
  if (era === '0.4') return true;
  return (
    era === '0.5' && typeof row['prompt'] === 'string' && row['prompt'] !== '' && fromJson(row['mcp_config']) !== null
  );
}

/** The keys of the agent configuration that describe tools. */
const TOOL_KEYS = ['allowed_tools', 'disallowed_tools', 'response_tool_name', 'append_setup_output'] as const;

function mcpEnvironment(row: JsonObject): EnvironmentSpec {
  const agent = fromJson(row['agent_config']);
  return {
    type: 'mcp',
    mcp_config: row['mcp_config'] ?? null,
    ...(isObject(agent) ? pick(agent, TOOL_KEYS) : {}),
    ...solution(readToolCalls(row['integration_test_tool'], ['integration_test_tool'])),
  };
}

/** The calls that solve a task, as actions of its environment. */
function solution(calls: readonly ReadCall[]): JsonObject {
  if (calls.length === 0) return {};
  return { solution: calls.map(({ function: name, args }) => ({ name, arguments: args[0] ?? {} })) };
}

/** The keys of `env` in HUD 0.5 that say where its server is. HUD ignores them. */
const SERVER_KEYS = ['url', 'headers', 'command', 'args', 'env'] as const;

function scenarioEnvironment(row: JsonObject): EnvironmentSpec {
  const { env, scenario, args } = row;
  const { name, include, exclude } = isObject(env) ? env : {};
  const server = isObject(env) ? pick(env, SERVER_KEYS) : {};
  return {
    type: 'mcp',
    mcp_config: Object.keys(server).length === 0 ? null : { env: server },
    ...textMember('name', name),
    ...textMember('scenario', scenario),
    ...(isObject(args) ? { args } : {}),
    ...(Array.isArray(include) ? { allowed_tools: include } : {}),
    ...(Array.isArray(exclude) ? { disallowed_tools: exclude } : {}),
    ...solution(readValidation(row['validation'])),
  };
}

function pick(row: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(row).filter(([key, value]) => keys.includes(key) && value !== null));
}

function hudEnvironment({ env }: JsonObject): EnvironmentSpec {
  return { type: 'hud', ...textMember('name', isObject(env) ? env['name'] : env) };
}

function textMember(key: string, value: Json | undefined): JsonObject {
  return typeof value === 'string' ? { [key]: value } : {};
}

function withoutGym(row: JsonObject, era: Era, evaluate: readonly ReadCall[], problems: Problem[]): EnvironmentSpec {
  const { benchmark, task_name } = row;
  if (benchmark !== undefined || task_name !== undefined) {
    return { type: 'browsergym', ...defined({ benchmark, task_name }) };
  }
  if (era === 'rfc' || hasRfcShape(row)) return { type: 'hud-browser' };
  const isQuestion = evaluate.length > 0 && evaluate.every((call) => checksResponseOnly(call.function));
  const type = isQuestion ? 'qa' : 'hud-browser';
  const message = `This task specifies no environment, so ${HUD_0_2} cannot start it. Taskwright uses "gym": "${type}"`;
  const fix: ValueFix = { title: `Add "gym": "${type}"`, changes: [{ set: ['gym'], value: type }], safe: true };
  problems.push(warning('no-gym', 'gym' in row ? ['gym'] : [], message, fix));
  return { type };
}
