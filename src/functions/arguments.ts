import * as z from 'zod';
import { type Cookie, cookieSchema } from '../tasks/task.ts';
import { patternProblem } from './pattern.ts';
import { selectorProblem } from './selector.ts';

/** The address of a page: a URL, or a page file next to the task. */
export const address = z.string().min(1);

/** A selector: CSS, or Playwright's with its `engine=` prefix. */
export const selector = z.string().superRefine((text, context) => {
  const problem = selectorProblem(text);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/**
 * A pattern in Python's notation. One that JavaScript cannot express is not an error here: the call reports it when it
 * runs.
 */
export const pattern = z.string().superRefine((text, context) => {
  const fault = patternProblem(text);
  if (fault?.problem === 'invalid') context.addIssue({ code: 'custom', message: fault.message });
});

/** A string, or a list of strings of which all are required. */
export const texts = z.union([z.string(), z.array(z.string()).min(1)], {
  error: 'expected a string or a list of strings',
});

/** Cookies as a list in Playwright's shape, or as an object of names and values; read as a list. */
export const cookies = z.union(
  [
    z.array(cookieSchema).min(1),
    z
      .record(z.string().min(1), z.string())
      .transform((record): Cookie[] => Object.entries(record).map(([name, value]) => ({ name, value }))),
  ],
  { error: 'expected a list of cookies ({name, value, ...}) or an object of names and values' },
);

/** `[n1, v1, n2, v2]`: HUD's spelling of several cookies. */
export const namesAndValues = z
  .array(z.string())
  .min(2)
  .refine((list) => list.length % 2 === 0, {
    error: 'expected pairs: [name, value, name, value, ...]',
  });

export const historyLength = z.union(
  [
    z.number().int().min(0),
    z
      .strictObject({
        exact: z.number().int().min(0).optional(),
        min: z.number().int().min(0).optional(),
        max: z.number().int().min(0).optional(),
      })
      .refine((limits) => Object.values(limits).some((limit) => limit !== undefined), {
        error: 'expected at least one of `exact`, `min` and `max`',
      }),
  ],
  { error: 'expected a number or an object of `exact`, `min` and `max`' },
);
