import { isObject, type Json, type JsonObject, listOf, objectOf } from '../../base/json.ts';
import type { Path } from '../../base/path.ts';
import type { HudTemplate } from '../../environments/hud-template.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { KeyDoc, Keys } from '../../tasks/key-docs.ts';
import { alternatives } from '../json-schema.ts';
import { eraIn } from './value-context.ts';

/** Words for the types of JSON JsonObject. */
const SHAPES: Readonly<Record<string, string>> = {
  boolean: 'true or false',
  integer: 'whole number',
  array: 'list',
};
const EXAMPLES: JsonObject = { boolean: true, integer: 1, number: 1, array: [], object: {} };

/** The templates of the environment of a task; empty if they are not known. */
export function templatesOf(task: unknown, { templatesOf: find }: UserFunctions): readonly HudTemplate[] {
  if (find === undefined || !isObject(task) || eraIn(task) !== '0.6') return [];
  return find(task as JsonObject) ?? [];
}

/** The documented keys at a path in the arguments of a template: `args`, or an object in it. Null if they are not known. */
export function templateKeys(path: Path, task: unknown, own: UserFunctions): Keys | null {
  const [first, ...steps] = path;
  if (first !== 'args' || !isObject(task)) return null;
  const template = templatesOf(task, own).find(({ id }) => id === task['id']);
  if (template === undefined) return null;
  const root = template.args;
  let at: JsonObject = root;
  for (const step of steps) {
    const inner: Json | undefined = typeof step === 'number' ? at['items'] : objectOf(at['properties'])[step];
    if (!isObject(inner)) return null;
    at = alternatives(inner, root).find((one) => one['properties'] !== undefined || one['items'] !== undefined) ?? {};
  }
  const requiredKeys = listOf(at['required']);
  const keys = Object.entries(objectOf(at['properties'])).map(([name, schema]): [string, KeyDoc] => [
    name,
    docOf(objectOf(schema), root, requiredKeys.includes(name)),
  ]);
  return keys.length === 0 ? null : Object.fromEntries(keys);
}

/** The description of a template, as the signature of its function. */
export function templateSignature({ id, args }: HudTemplate): string {
  const requiredKeys = listOf(args['required']);
  const names = Object.keys(objectOf(args['properties'])).map((name) =>
    requiredKeys.includes(name) ? name : `${name}?`,
  );
  return `${id}(${names.join(', ')})`;
}

function docOf(schema: JsonObject, root: JsonObject, required: boolean): KeyDoc {
  const kinds = alternatives(schema, root);
  const values = kinds.flatMap((one) => listOf(one['enum']));
  const type = String(kinds[0]?.['type'] ?? '');
  const shape =
    values.length > 0
      ? values.map((value) => `\`${String(value)}\``).join(', ')
      : (SHAPES[type] ?? (type || 'any value'));
  const { description, title, default: preset } = schema;
  const doc = typeof description === 'string' ? description : typeof title === 'string' ? title : '';
  const says = doc === '' || /[.!?]$/.test(doc) ? doc : `${doc}.`;
  return {
    doc: `${says}${preset === undefined ? '' : ` Default: \`${JSON.stringify(preset)}\`.`}`.trim(),
    shape,
    example: preset ?? values[0] ?? EXAMPLES[type] ?? '',
    ...(required ? { required: true as const } : {}),
  };
}
