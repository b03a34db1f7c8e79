import * as z from 'zod';
import { isList, isObject, type Json, type JsonObject, objectOf, textOf } from '../base/json.ts';
import { valueAt } from '../base/path.ts';

/** Describes the problems of a value by a schema; null if there are none. */
export type Validator = (value: Json) => string | null;

/** A problem at a path of a value. `key`: it is about the key, not its value. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly key?: true;
  readonly message: string;
}

/** The maximum number of problems in a message. */
const MAX_PROBLEMS = 5;

/**
 * A validator for a JSON Schema of a server of an environment.
 * @param log receives the reason if a schema cannot be used; then every value is valid
 */
export function validatorOf(schema: JsonObject, log: (text: string) => void): Validator {
  const findProblems = problemsBy(schema, log);
  return (value) => {
    const problems = findProblems(value);
    if (problems.length === 0) return null;
    const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
    return [...problems.slice(0, MAX_PROBLEMS).map(({ message }) => message), ...more].join('; ');
  };
}

/** As `validatorOf`, with the path of each problem. */
export function problemsBy(schema: JsonObject, log: (text: string) => void): (value: Json) => readonly SchemaProblem[] {
  let zodSchema: z.ZodType;
  try {
    zodSchema = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    log(`A schema of the environment cannot be used, so nothing is checked by it: ${(error as Error).message}`);
    return () => [];
  }
  return (value) => {
    const issues = zodSchema.safeParse(value).error?.issues ?? [];
    return issues.flatMap((issue) => problemsOf(issue, value, schema));
  };
}

/** The schema without the rule against other keys, because an observation may be of a more specific type. */
export function withoutExtraKeys(schema: Json): Json {
  if (isList(schema)) return schema.map(withoutExtraKeys);
  if (!isObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'additionalProperties' || value !== false)
      .map(([key, value]) => [key, withoutExtraKeys(value)]),
  );
}

function problemsOf(issue: z.core.$ZodIssue, value: Json, schema: JsonObject): SchemaProblem[] {
  const path = issue.path.map(String);
  const { title, description, properties } = objectOf(partOf(schema, path));
  const at = path.length === 0 ? '' : `“${path.join('.')}”`;
  const doc = path.length === 0 ? null : textOf(description);
  const about = doc === null ? '' : ` (${doc})`;
  if (issue.code === 'unrecognized_keys') {
    const keys = Object.keys(objectOf(properties)).filter((key) => key !== 'metadata');
    const has = keys.length === 0 ? 'it has no keys' : `it has ${keys.join(', ')}`;
    const owner = typeof title === 'string' ? title : 'object';
    return issue.keys.map((key) => {
      const message = `“${[...path, key].join('.')}” is not a key of the ${owner}; ${has}`;
      return { path: [...path, key], key: true, message };
    });
  }
  if (path.length > 0 && valueAt(value, path) === undefined) return [{ path, message: `${at} is missing${about}` }];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The alternative with the fewest problems.
    const nearest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? [];
    const inner = nearest.flatMap((one) => problemsOf({ ...one, path: [...issue.path, ...one.path] }, value, schema));
    if (inner.length > 0) return inner;
  }
  const message = issue.message.replace(/^Invalid (?:input|option): /, '');
  return [{ path, message: `${at === '' ? '' : `${at}: `}${message}${about}` }];
}

/** The schema of the value at a path; null if it is not a property or an item. */
function partOf(schema: JsonObject, path: readonly string[]): JsonObject | null {
  let at: JsonObject = resolveReference(schema, schema);
  for (const step of path) {
    const { properties, items } = at;
    const next: Json | undefined = isObject(properties) ? properties[step] : items;
    if (!isObject(next)) return null;
    // Members next to a reference are more specific than those of its target.
    const { $ref: _ref, ...own } = next;
    at = { ...resolveReference(next, schema), ...own };
  }
  return at;
}

function resolveReference(schema: JsonObject, root: JsonObject): JsonObject {
  const name = /^#\/\$defs\/(.+)$/.exec(String(schema['$ref']))?.[1];
  const definition = name === undefined ? undefined : objectOf(root['$defs'])[name];
  return isObject(definition) ? definition : schema;
}
