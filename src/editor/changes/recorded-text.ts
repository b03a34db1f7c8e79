import * as z from 'zod';

/** Where a text is recorded: the folder of the run and the text's name there. Parsed, because any code can create a URI. */
export const recordedText = z.object({ run: z.string().min(1), name: z.string().regex(/^[0-9a-f]{64}$/) });
export type RecordedText = z.infer<typeof recordedText>;
