import * as z from 'zod';

/** A place in a page, in pixels. */
export const pointSchema = z.object({ x: z.number(), y: z.number() });

/** An action as an agent gives it: a CLA object (HUD) or an action string (BrowserGym, RFC). Not yet checked. */
export const actionInputSchema = z.union([z.string(), z.object({ type: z.string() }).loose()]);
export type ActionInput = z.infer<typeof actionInputSchema>;
export type Point = z.infer<typeof pointSchema>;

/** The size of the pictures that an agent's coordinates are meant for, in pixels, where it is not that of the environment's. */
export const screenSchema = z.object({ width: z.number().positive(), height: z.number().positive() });
export type Screen = z.infer<typeof screenSchema>;
