import * as z from 'zod';
import { screenSchema } from '../../actions/action.ts';
import type { Turn } from '../agent.ts';

/** The file descriptor in the process of a `module` agent by which both sides send messages, as lines of JSON. */
export const CHANNEL = 3;

/** Messages from the Runner to the process of a `module` agent. */
export type ToModule =
  | { readonly type: 'load'; readonly path: string }
  | { readonly type: 'act'; readonly turn: TurnInText }
  | { readonly type: 'end' };

/** A turn whose screenshot is base64. The tools are in the first one. */
type TurnInText = Omit<Turn, 'observation'> & {
  readonly observation: Omit<Turn['observation'], 'screenshot'> & { readonly screenshot: string | null };
};

const failure = z.object({ message: z.string(), stack: z.string() });

/** Messages from the process of a `module` agent to the Runner. User code runs in that process, so they are parsed. */
export const fromModuleSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('loaded'), screen: screenSchema.optional() }),
  z.object({ type: z.literal('broken'), error: failure }),
  z.object({ type: z.literal('answer'), answer: z.unknown() }),
  z.object({ type: z.literal('threw'), error: failure }),
]);
export type FromModule = z.infer<typeof fromModuleSchema>;
