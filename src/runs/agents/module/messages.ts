import * as z from 'zod';
import { screenSchema } from '../../../actions/action.ts';
import type { Turn } from '../agent.ts';

/** What the runner says to the process of a `module` agent. */
export type ToModule =
  | { readonly type: 'load'; readonly path: string }
  | { readonly type: 'act'; readonly turn: Turn }
  | { readonly type: 'end' };

const failure = z.object({ message: z.string(), stack: z.string() });

/** What the process of a `module` agent says to the runner: a person's code shares that process, so it is parsed. */
export const fromModuleSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loaded'), screen: screenSchema.optional() }),
  z.object({ type: z.literal('broken'), error: failure }),
  z.object({ type: z.literal('answer'), answer: z.unknown() }),
  z.object({ type: z.literal('threw'), error: failure }),
]);
export type FromModule = z.infer<typeof fromModuleSchema>;
