import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { builtins } from '../../functions/catalogue.ts';
import type { FunctionDeclaration, Phase } from '../../functions/declaration.ts';
import { CALL_KEYS, CALL_METADATA_KEYS } from '../typing/keys.ts';
import { withDocs } from './documented.ts';

type Schema = z.core.JSONSchema.BaseSchema;

/** Options that omit checks without a JSON Schema equivalent, such as "this selector is valid". */
export const SCHEMA_OPTIONS = { target: 'draft-7', io: 'input', unrepresentable: 'any' } as const;

/** `setup` and `evaluate`: a name, `[name, ...arguments]`, `{function, args}`, or a list of those. */
export function callsSchema(phase: Phase): z.ZodType {
  const declarations = builtins.filter((declaration) => declaration.phase === phase);
  const names = declarations.flatMap(({ name, aliases }) => [name, ...(aliases ?? [])]);
  const name = z
    .string()
    .min(1)
    .meta({
      id: `${phase}-function`,
      description: `A built-in function, or one that a *.functions.ts or *.functions.py file next to the tasks exports.\n\n${signatureList(declarations)}`,
      examples: names,
    });
  const listCall = z
    .tuple([name], z.unknown())
    .meta({ description: 'One call: the name of a function and its arguments.', allOf: rules(declarations, inList) });
  const objectCall = z
    .strictObject(
      withDocs(CALL_KEYS, {
        function: name,
        args: z.unknown().optional(),
        id: z.string().nullish(),
        metadata: z.looseObject(withDocs(CALL_METADATA_KEYS, { weight: z.number().positive().optional() })).nullish(),
      }),
    )
    .meta({ id: `${phase}-call`, description: 'One call of a function.', allOf: rules(declarations, inObject) });
  const calls = z
    .array(z.union([objectCall, listCall, name]))
    // A list that begins with a name is one call.
    .meta({ description: 'Calls, in order.', allOf: [{ items: [{ type: ['object', 'array'] }] }] });
  return z.union([name, listCall, objectCall, calls, z.null()]).optional();
}

function signatureList(declarations: readonly FunctionDeclaration[]): string {
  return declarations.map(({ name, parameters, doc }) => `- ${name}(${parameters.join(', ')}): ${doc}`).join('\n');
}

/** For each function, if a call names it, its arguments are those of its declaration. */
function rules(declarations: readonly FunctionDeclaration[], rule: typeof inObject): Schema[] {
  return declarations
    .filter(({ notRun }) => notRun !== true)
    .map((declaration) => {
      const { $schema, ...args } = z.toJSONSchema(declaration.args, SCHEMA_OPTIONS) as Schema;
      const names = [declaration.name, ...(declaration.aliases ?? [])];
      return rule({ enum: names }, args, declaration.parameters.join(', '));
    });
}

function inObject(name: Schema, args: Schema, parameters: string): Schema {
  return {
    if: { properties: { function: name }, required: ['function'] },
    // As in HUD, a single argument can be written without its list.
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: {
      properties: {
        args: {
          description: parameters === '' ? 'No arguments.' : parameters,
          if: { type: 'array' },
          // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
          then: args,
        },
      },
    },
  };
}

function inList(name: Schema, args: Schema): Schema {
  return {
    if: { type: 'array', items: [name] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: behindName(args),
  };
}

/** Converts the schema of the arguments to that of `[name, ...arguments]`. */
function behindName(args: Schema): Schema {
  if (args.anyOf !== undefined) return { anyOf: args.anyOf.map((branch) => behindName(branch as Schema)) };
  const items = Array.isArray(args.items) ? args.items : [];
  return {
    items: [true, ...items],
    minItems: (args.minItems ?? 0) + 1,
    ...(args.maxItems === undefined ? {} : { maxItems: args.maxItems + 1 }),
    ...defined({ additionalItems: args.additionalItems }),
  };
}
