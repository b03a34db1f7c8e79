import * as z from 'zod';
import { getOrCreate } from '../../base/get-or-create.ts';
import type { UserSignature } from '../../functions/user/names.ts';
import { parameterName } from '../../functions/user/parameters.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import { argumentProblems } from './arguments.ts';

interface Validator {
  readonly args: z.ZodType<readonly unknown[]>;
  readonly parameters: readonly string[];
}

const validators = new WeakMap<UserSignature, Validator | null>();

/** Problems in the arguments of a call, by the schema that the function declares; null if it declares none. */
export function schemaProblems(call: ReadCall, own: UserSignature): Problem[] | null {
  const validator = getOrCreate(validators, own, () => validatorOf(own));
  return validator === null ? null : argumentProblems(call, { name: own.name, ...validator });
}

function validatorOf({ schema, parameters }: UserSignature): Validator | null {
  if (typeof schema !== 'object' || schema === null) return null;
  const plain = withoutPatterns(schema) as z.core.JSONSchema.JSONSchema;
  try {
    const args = z.fromJSONSchema(plain) as z.ZodType<readonly unknown[]>;
    return { args, parameters: parameters?.map(parameterName) ?? namesIn(plain) };
  } catch {
    // A schema that cannot be converted is checked at run time.
    return null;
  }
}

/** Names for arguments of which only the schema is known. */
function namesIn(schema: z.core.JSONSchema.BaseSchema): string[] {
  const items = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  return items.map((_, index) => `argument${index + 1}${index < (schema.minItems ?? 0) ? '' : '?'}`);
}

/** Removes patterns: a user-defined pattern could run forever, and this runs in the editor's thread. */
export function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(
    ([key, item]) => !(['pattern', 'format'].includes(key) && typeof item === 'string') && key !== 'patternProperties',
  );
  return Object.fromEntries(members.map(([key, item]) => [key, withoutPatterns(item)]));
}
