import { defined } from '../../base/defined.ts';
import { getOrCreate } from '../../base/get-or-create.ts';
import { isObject, type Json, type JsonObject, listOf, objectOf } from '../../base/json.ts';
import { didYouMean, nearestWord } from '../../base/nearest.ts';
import { nearestNumbers } from '../../base/raw-numbers-in.ts';
import type { HudTemplate } from '../../environments/hud-template.ts';
import { problemsBy } from '../../environments/schema-validator.ts';
import { newProblem, type Problem, warning } from '../../tasks/problem.ts';
import { changeTo, suggestKey } from '../../tasks/value-fixes.ts';
import { withoutPatterns } from './user-schema.ts';

type ProblemsOf = ReturnType<typeof problemsBy>;

/** How many templates a message names. */
const MAX_NAMED = 20;

const validatorsByTemplate = new WeakMap<HudTemplate, Map<string, ProblemsOf>>();

/** Problems in the template and the arguments of a row, based on the templates that its environment reports. */
export function templateProblems(row: JsonObject, templates: readonly HudTemplate[]): Problem[] {
  const { env, id, args = {} } = row;
  if (typeof id !== 'string' || !isObject(args)) return [];
  // The environment at an address can have changed since.
  const severity = /^tcp:/i.test(String(env)) ? 'warning' : 'error';
  const template = templates.find((one) => one.id === id);
  if (template === undefined) {
    const ids = templates.map((one) => one.id);
    const near = nearestWord(id, ids);
    const list = ids.length === 0 ? '. It has none' : `. It has ${ids.slice(0, MAX_NAMED).join(', ')}`;
    const message = `The environment “${env}” has no template “${id}”${near === null ? list : didYouMean(near)}`;
    const fixes = near === null ? [] : [changeTo(['id'], near)];
    return [newProblem(severity, 'unknown-template', ['id'], message, ...fixes)];
  }
  const properties = objectOf(template.args['properties']);
  const names = Object.keys(properties);
  const signature = `${id}(${names.join(', ')})`;
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(args)) {
    const path = ['args', name];
    if (Object.hasOwn(properties, name)) {
      const problem = wrongValue(template, name, nearestNumbers(value));
      if (problem === null) continue;
      const message = `${signature}: ${problem.message}. HUD passes the value as it is`;
      problems.push(warning('template-argument', [...path, ...problem.path], message));
    } else if (template.args['additionalProperties'] === false) {
      const { hint, fixes } = suggestKey(path, names, args);
      const message = `“${name}” is not an argument of the template ${signature}${hint}`;
      problems.push({ part: 'key', ...newProblem(severity, 'template-argument', path, message, ...fixes) });
    }
  }
  for (const name of listOf(template.args['required'])) {
    if (typeof name !== 'string' || Object.hasOwn(args, name)) continue;
    const path = [row['args'] === undefined ? 'id' : 'args'];
    const message = `The template ${signature} requires the argument “${name}”`;
    problems.push(newProblem(severity, 'template-argument', path, message));
  }
  return problems;
}

/** What is wrong with the value of an argument, however HUD converts it; null for nothing. */
function wrongValue(template: HudTemplate, name: string, value: Json) {
  const problemsOf = validatorOf(template, name);
  const [first] = problemsOf(value);
  if (first === undefined || conversions(value).some((one) => problemsOf(one).length === 0)) return null;
  return { path: first.path, message: `“${name}”: ${first.message}` };
}

/** What HUD makes of a value that does not have the type: it reads texts as JSON, and pydantic converts booleans. */
function conversions(value: Json): Json[] {
  if (typeof value === 'boolean') return [Number(value)];
  if (value === 0 || value === 1) return [value === 1];
  if (typeof value !== 'string') return [];
  if (/^(?:yes|no|on|off|y|n|t|f|true|false)$/i.test(value)) return [true];
  try {
    const read = JSON.parse(value) as Json;
    return [read, ...(typeof read === 'string' ? [] : conversions(read))];
  } catch {
    return [];
  }
}

function validatorOf(template: HudTemplate, name: string): ProblemsOf {
  const validators = getOrCreate(validatorsByTemplate, template, () => new Map<string, ProblemsOf>());
  return getOrCreate(validators, name, () => {
    const { $defs, properties } = withoutPatterns(template.args) as {
      readonly $defs?: Json;
      readonly properties: JsonObject;
    };
    const schema = properties[name];
    // A schema that cannot be used accepts everything.
    return isObject(schema) ? problemsBy({ ...defined({ $defs }), ...schema }, () => {}) : () => [];
  });
}
