import * as z from 'zod';

/** Where a run has recorded a text: its folder, and the text's name there. An address may come from anywhere. */
export const recordedText = z.object({ run: z.string().min(1), name: z.string().regex(/^[0-9a-f]{64}$/) });
export type RecordedText = z.infer<typeof recordedText>;
