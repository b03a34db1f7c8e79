import * as z from 'zod';
import { isObject, type Json, type JsonObject } from '../base/json.ts';

/** What is wrong with a value by a schema, in words; null for nothing. */
export type Validator = (value: Json) => string | null;

/** What is wrong at a path of a value. `key`: the key there is wrong, not its value. */
export interface SchemaProblem {
  readonly path: readonly string[];
  readonly key?: true;
  readonly message: string;
}

/** The most problems that are named. */
const MAX_PROBLEMS = 5;

/**
 * A validator for a JSON Schema, as servers of environments publish it.
 * @param log receives why a schema cannot be used; then every value is valid
 */
export function validatorOf(schema: JsonObject, log: (text: string) => void): Validator {
  const problemsOf = problemsBy(schema, log);
  return (value) => {
    const problems = problemsOf(value);
    if (problems.length === 0) return null;
    const more = problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : [];
    return [...problems.slice(0, MAX_PROBLEMS).map(({ message }) => message), ...more].join('; ');
  };
}

/** As `validatorOf`, with the place of each problem. */
export function problemsBy(schema: JsonObject, log: (text: string) => void): (value: Json) => readonly SchemaProblem[] {
  let read: z.ZodType;
  try {
    read = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch (error) {
    log(`A schema of the environment cannot be used, so nothing is checked by it: ${(error as Error).message}`);
    return () => [];
  }
  return (value) => {
    const parsed = read.safeParse(value);
    return parsed.success ? [] : parsed.error.issues.flatMap((issue) => words(issue, value, schema));
  };
}

/** The schema without the rule that there may be nothing else: an observation may be of a more specific type. */
export function withoutExtraKeys(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutExtraKeys);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key, value]) => key !== 'additionalProperties' || value !== false)
      .map(([key, value]) => [key, withoutExtraKeys(value)]),
  );
}

function words(issue: z.core.$ZodIssue, value: Json, schema: JsonObject): SchemaProblem[] {
  const path = issue.path.map(String);
  const doc = docOf(schema, path);
  const at = path.length === 0 ? '' : `“${path.join('.')}”`;
  const about = doc === null ? '' : ` (${doc})`;
  if (issue.code === 'unrecognized_keys') {
    const known = Object.keys(propertiesOf(schema, path)).filter((key) => key !== 'metadata');
    return issue.keys.map((key) => {
      const has = known.length === 0 ? 'it has no keys' : `it has ${known.join(', ')}`;
      const message = `“${[...path, key].join('.')}” is not a key of the ${titleOf(schema, path)}; ${has}`;
      return { path: [...path, key], key: true, message };
    });
  }
  if (path.length > 0 && isMissing(value, path)) return [{ path, message: `${at} is missing${about}` }];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    // The alternative that comes nearest.
    const nearest = issue.errors.toSorted((a, b) => a.length - b.length)[0] ?? [];
    const inner = nearest.flatMap((one) => words({ ...one, path: [...issue.path, ...one.path] }, value, schema));
    if (inner.length > 0) return inner;
  }
  const message = issue.message.replace(/^Invalid (?:input|option): /, '');
  return [{ path, message: `${at === '' ? '' : `${at}: `}${message}${about}` }];
}

function isMissing(value: Json, path: readonly string[]): boolean {
  let at: Json | undefined = value;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return true;
    at = (at as JsonObject)[step];
  }
  return false;
}

function docOf(schema: JsonObject, path: readonly string[]): string | null {
  const at = path.length === 0 ? null : partOf(schema, path);
  const doc = at?.['description'];
  return typeof doc === 'string' && doc !== '' ? doc : null;
}

function titleOf(schema: JsonObject, path: readonly string[]): string {
  const title = partOf(schema, path)?.['title'];
  return typeof title === 'string' ? title : 'object';
}

function propertiesOf(schema: JsonObject, path: readonly string[]): JsonObject {
  const properties = partOf(schema, path)?.['properties'];
  return isObject(properties) ? properties : {};
}

/** The schema of what is at a path; null where it is not plainly said. */
function partOf(schema: JsonObject, path: readonly string[]): JsonObject | null {
  let at: JsonObject | null = resolved(schema, schema);
  for (const step of path) {
    const properties: Json | undefined = at?.['properties'];
    const next: Json | undefined = isObject(properties) ? properties[step] : at?.['items'];
    if (!isObject(next)) return null;
    // What stands beside a reference says more than what it refers to.
    const { $ref: _ref, ...own } = next;
    at = { ...resolved(next, schema), ...own };
  }
  return at;
}

function resolved(schema: JsonObject, root: JsonObject): JsonObject {
  const name = typeof schema['$ref'] === 'string' ? /^#\/\$defs\/(.+)$/.exec(schema['$ref'])?.[1] : undefined;
  const defs = root['$defs'];
  const found = name === undefined || !isObject(defs) ? undefined : defs[name];
  return isObject(found) ? found : schema;
}
