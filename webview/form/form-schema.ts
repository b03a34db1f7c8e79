type Schema = Readonly<Record<string, unknown>>;

/** References that are nested deeper are circular. */
const MAX_DEPTH = 12;

/**
 * The schema of an action as a form needs it: without `metadata`, which every action of OpenEnv has, without references,
 * with keys as labels, and with escaped texts, because the form renders them as HTML. A value that may be null is optional.
 */
export function formSchema(schema: Schema): Schema {
  const { metadata: _metadata, ...properties } = objectOf(schema['properties']);
  const whole = 'properties' in schema ? { ...schema, properties } : schema;
  return formSchemaOf(whole, schema, null, 0);
}

function formSchemaOf(source: Schema, root: Schema, key: string | null, depth: number): Schema {
  const schema = withoutNull(resolve(source, root));
  if (depth > MAX_DEPTH) return { title: escapeHtml(key ?? '') };
  const { $defs: _defs, default: standard, ...rest } = schema;
  const out: Record<string, unknown> = { ...rest };
  // A form field has no null.
  if (standard !== undefined && standard !== null) out['default'] = standard;
  const title = key ?? (typeof schema['title'] === 'string' ? schema['title'] : '');
  out['title'] = escapeHtml(title);
  if (typeof schema['description'] === 'string') out['description'] = escapeHtml(schema['description']);
  if (schema['const'] !== undefined) {
    Object.assign(out, { type: typeof schema['const'], default: schema['const'], 'x-format': 'hidden' });
  }
  if (schema['properties'] !== undefined) {
    out['properties'] = Object.fromEntries(
      Object.entries(objectOf(schema['properties'])).map(([name, inner]) => [
        name,
        formSchemaOf(objectOf(inner), root, name, depth + 1),
      ]),
    );
  }
  if (schema['items'] !== undefined) out['items'] = formSchemaOf(objectOf(schema['items']), root, null, depth + 1);
  for (const word of ['oneOf', 'anyOf', 'allOf'] as const) {
    const all = schema[word];
    if (Array.isArray(all)) out[word] = all.map((one) => formSchemaOf(objectOf(one), root, null, depth + 1));
  }
  return out;
}

/** A schema with its reference resolved. Keys beside the reference override those of its target. */
function resolve(schema: Schema, root: Schema): Schema {
  const { $ref, ...own } = schema;
  const name = typeof $ref === 'string' ? /^#\/\$defs\/(.+)$/.exec($ref)?.[1] : undefined;
  return name === undefined ? schema : { ...objectOf(objectOf(root['$defs'])[name]), ...own };
}

function withoutNull(schema: Schema): Schema {
  const { anyOf, ...own } = schema;
  if (!Array.isArray(anyOf)) return schema;
  const others = anyOf.filter((one) => objectOf(one)['type'] !== 'null');
  if (others.length === anyOf.length) return schema;
  return others.length === 1 ? { ...objectOf(others[0]), ...own } : { ...own, anyOf: others };
}

/**
 * The value that the user entered. An optional value that has not changed and is not a default is left out.
 * @param schema the schema of the form
 */
export function enteredValue(schema: Schema, value: unknown, beginning: unknown): unknown {
  if (Array.isArray(schema['oneOf'])) {
    const fitting = schema['oneOf'].find((one) => isOf(objectOf(one), value));
    return fitting === undefined ? value : enteredValue(objectOf(fitting), value, {});
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || schema['properties'] === undefined) {
    return value;
  }
  const properties = objectOf(schema['properties']);
  const requiredKeys = Array.isArray(schema['required']) ? schema['required'] : [];
  const [is, was] = [objectOf(value), objectOf(beginning)];
  const requiredProperties = Object.entries(is).filter(([key, inner]) => {
    const property = objectOf(properties[key]);
    if (requiredKeys.includes(key) || property['default'] !== undefined) return true;
    return JSON.stringify(inner) !== JSON.stringify(key in was ? was[key] : emptyOf(property));
  });
  return Object.fromEntries(
    requiredProperties.map(([key, inner]) => [key, enteredValue(objectOf(properties[key]), inner, was[key])]),
  );
}

/** Whether a value has the constants of an alternative. */
function isOf(schema: Schema, value: unknown): boolean {
  return Object.entries(objectOf(schema['properties'])).every(([key, property]) => {
    const { const: constant } = objectOf(property) as { readonly const?: unknown };
    return constant === undefined || objectOf(value)[key] === constant;
  });
}

/** The value of a form for an empty field. */
function emptyOf({ type, enum: choices }: Schema): unknown {
  if (Array.isArray(choices)) return choices[0];
  if (type === 'string') return '';
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return 0;
  return type === 'array' ? [] : {};
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function objectOf(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {};
}
