import type * as z from 'zod';
import type { Keys } from '../../tasks/key-docs.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The members of an object with what the table of keys says of each. */
export function documented<Members extends Shape>(keys: Keys, members: Members): Members {
  const described = Object.entries(members).map(([key, schema]) => {
    const known = keys[key];
    // One with a name of its own says what it is itself.
    if (known === undefined || schema.meta()?.['id'] !== undefined) return [key, schema];
    const { doc, hud, example } = known;
    const description = hud === undefined ? doc : `${doc}\n\n${hud}`;
    return [key, schema.meta({ ...schema.meta(), description, examples: [example] })];
  });
  return Object.fromEntries(described) as Members;
}
