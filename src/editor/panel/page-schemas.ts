import * as z from 'zod';
import { HELD_KEYS } from '../../agents/manual-input.ts';
import { jsonSchema } from '../../base/json-validator.ts';
import type { PanelMessage, PanelState } from '../../presentation/runs/messages.ts';

const index = z.number().int().min(0);

const pixel = z.number().int().min(0).max(100_000);
const point = z.object({ x: pixel, y: pixel });
const heldKeys = z.array(z.enum(HELD_KEYS)).max(HELD_KEYS.length);
const scrollDistance = z.number().int().min(-100_000).max(100_000);

const handInputSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('click'),
    point,
    button: z.enum(['left', 'right', 'middle']),
    count: z.number().int().min(1).max(3),
    hold: heldKeys,
  }),
  z.object({ kind: z.literal('scroll'), point, x: scrollDistance, y: scrollDistance, hold: heldKeys }),
  z.object({ kind: z.literal('drag'), path: z.array(point).min(2).max(10_000), hold: heldKeys }),
  z.object({ kind: z.literal('text'), text: z.string().min(1).max(100_000) }),
  z.object({ kind: z.literal('key'), keys: z.array(z.string().min(1).max(32)).min(1).max(5) }),
]);

/** The messages of the page. Anything else is dropped and logged. */
export const panelMessageSchema: z.ZodType<PanelMessage> = z.discriminatedUnion('type', [
  z.object({
    type: z.enum(['ready', 'rerun', 'cancel', 'openTrace', 'curve', 'answer', 'act', 'done', 'saveSolution', 'drawn']),
  }),
  z.object({ type: z.literal('selected'), index: index.nullable() }),
  z.object({ type: z.literal('text'), index }),
  z.object({ type: z.literal('raw'), index }),
  z.object({ type: z.literal('openChange'), index, path: z.string().min(1).max(4096) }),
  z.object({ type: z.literal('reveal'), index }),
  z.object({ type: z.literal('revealLine'), line: z.number().int().min(1) }),
  z.object({ type: z.literal('openFile'), path: z.string().min(1).max(1000), line: z.number().int().min(1) }),
  z.object({ type: z.literal('pin'), pinned: z.boolean() }),
  z.object({ type: z.literal('hand'), input: handInputSchema }),
  z.object({ type: z.literal('perform'), action: z.record(z.string(), jsonSchema) }),
  z.object({ type: z.literal('copyForAgent'), what: z.enum(['address', 'token', 'configuration']) }),
  z.object({ type: z.literal('live'), on: z.boolean() }),
]);

/** The state of the page that VS Code restores after a window reload. */
export const panelStateSchema: z.ZodType<PanelState> = z.object({
  traceDir: z.string().min(1),
  select: index.nullable(),
  tab: z.string(),
  picture: z.string(),
});
