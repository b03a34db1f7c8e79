import { isList, isObject, type Json } from '../../base/json.ts';
import { parseExactJson } from '../../base/raw-number.ts';
import { findBuiltin } from '../../functions/catalogue.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Convert } from './conversion.ts';
import { TaskRewrite } from './task-rewrite.ts';

type Call = Pick<ReadCall, 'function' | 'args'>;

/**
 * HUD 0.4 calls tools of an MCP server with named arguments, HUD 0.2 functions of an environment with positional ones.
 */
export const hud04ToHud02: Convert = (row) => {
  const { prompt } = row;
  if (typeof prompt !== 'string') return { refusal: 'This task has no prompt. Add one first' };
  const rewriting = new TaskRewrite(row);
  const calls: [from: string, to: string, calls: readonly Call[]][] = [];
  for (const [from, to] of [
    ['setup_tool', 'setup'],
    ['evaluate_tool', 'evaluate'],
  ] as const) {
    const value = parseText(row[from]);
    if (value === undefined || value === null) {
      rewriting.remove(from);
      continue;
    }
    const read = (isList(value) ? value : [value]).map((tool) => callOf(tool, rewriting.notes));
    if (!read.every((call) => call !== null)) {
      return { refusal: `“${from}” is not readable. First write it as {"name": ..., "arguments": {...}}` };
    }
    calls.push([from, to, read]);
  }
  rewriting.set('gym', gymOf(parseText(row['mcp_config']), rewriting.notes));
  for (const [from, to, list] of calls) {
    rewriting.remove(from);
    const [only] = list;
    if (only === undefined) continue;
    const objects: readonly Json[] = list.map(({ function: name, args }) => ({ function: name, args }));
    rewriting.set(to, list.length === 1 ? (objects[0] as Json) : objects);
    if (to === 'evaluate' && list.length > 1) {
      rewriting.notes.push('HUD 0.4 uses only the first evaluate tool; here, all of them count');
    }
  }
  const agent = parseText(row['agent_config']);
  if (isObject(agent) && typeof agent['system_prompt'] === 'string' && row['system_prompt'] === undefined) {
    rewriting.set('system_prompt', agent['system_prompt']);
  }
  rewriting.aside('agent_config', 'HUD 0.2 leaves this to the agent');
  rewriting.aside('integration_test_tool', 'HUD 0.2 has no such test; solutions are <id>.actions files');
  rewriting.aside('mcp_config', 'HUD 0.2 does not support MCP servers');
  return rewriting;
};

/** Rows of data sets contain some objects as JSON texts. */
function parseText(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  try {
    return parseExactJson(value) as Json;
  } catch {
    // A text that is not JSON is taken literally.
    return value;
  }
}

/** `{name: "evaluate", arguments: {name: "url_match", arguments: {url: "x"}}}` → `url_match("x")` */
function callOf(tool: Json, notes: string[]): Call | null {
  if (!isObject(tool) || typeof tool['name'] !== 'string') return null;
  const { name } = tool;
  const args = tool['arguments'] ?? {};
  if (!isObject(args)) return null;
  const inner = args['name'];
  if (/^(?:setup|evaluate)$/.test(name) && typeof inner === 'string') {
    const rest = Object.keys(args).filter((key) => key !== 'name' && key !== 'arguments');
    if (rest.length === 0) return callOf({ name: inner, arguments: args['arguments'] ?? {} }, notes);
  }
  const keys = Object.keys(args);
  const parameters = findBuiltin(name)?.parameters.map((parameter) => parameter.replace(/\?$/, '')) ?? [];
  const order = parameters.slice(0, keys.length);
  if (keys.length > 0 && order.length === keys.length && order.every((key) => Object.hasOwn(args, key))) {
    return { function: name, args: order.map((key) => args[key] as Json) };
  }
  if (keys.length > 0) {
    notes.push(
      `The arguments of “${name}” become positional in this order: ${name}(${keys.join(', ')}). Compare it with the function`,
    );
  }
  return { function: name, args: Object.values(args) };
}

/** The environment for the image that the MCP server runs in. */
function gymOf(config: Json | undefined, notes: string[]): Json {
  for (const server of Object.values(isObject(config) ? config : {})) {
    if (!isObject(server)) continue;
    const { command, args, headers } = server;
    if (command === 'docker' && Array.isArray(args)) {
      const image = imageOf(args);
      if (image !== undefined) return { type: 'public', location: 'local', image_or_build_context: image };
    }
    const image = isObject(headers) ? headers['Mcp-Image'] : undefined;
    if (typeof image === 'string') return { type: 'public', location: 'remote', image_or_build_context: image };
  }
  notes.push('The image of the MCP server is not known, so the task uses "gym": "hud-browser". Change it if needed');
  return 'hud-browser';
}

/** Options of `docker run` without a value; all others take the next word. */
const ALONE = /^(?:-[itdP]+|--rm|--init|--privileged|--read-only|--interactive|--tty|--detach|--publish-all|--\S+=.*)$/;

/** The image that `docker run [options] IMAGE [command]` starts. */
function imageOf(args: readonly Json[]): string | undefined {
  if (args[0] !== 'run') return undefined;
  for (let index = 1; index < args.length; index += 1) {
    const word = args[index];
    if (typeof word !== 'string') return undefined;
    if (!word.startsWith('-')) return word;
    if (!ALONE.test(word)) index += 1;
  }
  return undefined;
}
