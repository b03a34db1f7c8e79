import type { Json } from '../base/json.ts';

/** Documentation of one key. */
export interface KeyDoc {
  /** One or two sentences. */
  readonly doc: string;
  /** The type for the user: `text`, `call or list of calls`. */
  readonly shape: string;
  /** An example value. */
  readonly example: Json;
  /** The key is required in this era. */
  readonly required?: true;
  /** How HUD releases treat the key, if that is worth a line. */
  readonly hud?: string;
}

export type Keys = Readonly<Record<string, KeyDoc>>;

export const text = (doc: string, example: string, rest: Partial<KeyDoc> = {}): KeyDoc => ({
  doc,
  shape: 'string',
  example,
  ...rest,
});
export const number = (doc: string, example: number, shape = 'number'): KeyDoc => ({ doc, shape, example });
export const flag = (doc: string, example: boolean): KeyDoc => ({ doc, shape: 'true or false', example });
export const list = (doc: string, example: readonly Json[], shape = 'list of strings'): KeyDoc => ({
  doc,
  shape,
  example,
});
export const object = (doc: string, example: Json = {}, rest: Partial<KeyDoc> = {}): KeyDoc => ({
  doc,
  shape: 'object',
  example,
  ...rest,
});
