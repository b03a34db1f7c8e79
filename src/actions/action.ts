import * as z from 'zod';

/** A point in a page, in pixels. */
export const pointSchema = z.object({ x: z.number(), y: z.number() });

/** An action as an agent gives it, unchecked: a CLA object (HUD) or an action string (BrowserGym, RFC). */
export const actionInputSchema = z.union([z.string(), z.object({ type: z.string() }).loose()]);
export type ActionInput = z.infer<typeof actionInputSchema>;
export type Point = z.infer<typeof pointSchema>;

/** Size in pixels of the screenshots that an agent's coordinates refer to, if it differs from the environment's. */
export const screenSchema = z.object({ width: z.number().positive(), height: z.number().positive() });
export type Screen = z.infer<typeof screenSchema>;
