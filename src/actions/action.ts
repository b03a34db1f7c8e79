import * as z from 'zod';

/** A point in a page, in pixels. */
export const pointSchema = z.object({ x: z.number(), y: z.number() });

/**
 * An action as an agent gives it, unchecked: an action string (BrowserGym, RFC), a CLA object (HUD), or an object in the
 * form of the environment.
 */
export const actionInputSchema = z.union([z.string(), z.looseObject({})]);
export type ActionInput = z.infer<typeof actionInputSchema>;

/** An action where objects have a `type`: an action string or a CLA object. */
export const typedActionSchema = z.union([z.string(), z.looseObject({ type: z.string() })]);

export type Point = z.infer<typeof pointSchema>;

/** Size in pixels of the screenshots that an agent's coordinates refer to, if it differs from the environment's. */
export const screenSchema = z.object({ width: z.number().positive(), height: z.number().positive() });
export type Screen = z.infer<typeof screenSchema>;
