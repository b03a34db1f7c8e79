import type { JsonObject } from '../base/json.ts';

/** A template of a HUD environment, as its server describes it. */
export interface HudTemplate {
  readonly id: string;
  /** Can be empty. */
  readonly description: string;
  /** JSON Schema of its arguments, which is of an object. */
  readonly args: JsonObject;
  /** JSON Schema of the answer that it expects; none for a text. */
  readonly returns?: JsonObject;
}
