import type * as z from 'zod';
import type { Keys } from '../../tasks/key-docs.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The members of an object with the descriptions from the table of keys. */
export function documented<Members extends Shape>(keys: Keys, members: Members): Members {
  const described = Object.entries(members).map(([key, schema]) => {
    const known = keys[key];
    // A named definition has its own description.
    if (known === undefined || schema.meta()?.['id'] !== undefined) return [key, schema];
    const { doc, hud, example } = known;
    const description = hud === undefined ? doc : `${doc}\n\n${hud}`;
    return [key, schema.meta({ ...schema.meta(), description, examples: [example] })];
  });
  return Object.fromEntries(described) as Members;
}
