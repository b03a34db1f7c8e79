import type * as z from 'zod';
import type { Keys } from '../../tasks/key-docs.ts';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The members of an object with the descriptions from the table of keys. */
export function withDocs<Members extends Shape>(keys: Keys, members: Members): Members {
  const entries = Object.entries(members).map(([key, schema]) => {
    const keyDoc = keys[key];
    // A named definition has its own description.
    if (keyDoc === undefined || schema.meta()?.['id'] !== undefined) return [key, schema];
    const { doc, hud, example } = keyDoc;
    const description = hud === undefined ? doc : `${doc}\n\n${hud}`;
    return [key, schema.meta({ ...schema.meta(), description, examples: [example] })];
  });
  return Object.fromEntries(entries) as Members;
}
