import type { Json } from './task.ts';

/** What there is to know about one key of a task file. */
export interface KeyDoc {
  /** One or two sentences for people. */
  readonly doc: string;
  /** What may stand there, as a person reads it: `text`, `call or list of calls`. */
  readonly shape: string;
  /** A value as it might be written. */
  readonly example: Json;
  /** Tasks of this era cannot do without it. */
  readonly required?: true;
  /** What the versions of HUD make of it, where that is worth a line. */
  readonly hud?: string;
}

export type Keys = Readonly<Record<string, KeyDoc>>;

export const text = (doc: string, example: string, rest: Partial<KeyDoc> = {}): KeyDoc => ({
  doc,
  shape: 'text',
  example,
  ...rest,
});
export const number = (doc: string, example: number, shape = 'number'): KeyDoc => ({ doc, shape, example });
export const flag = (doc: string, example: boolean): KeyDoc => ({ doc, shape: 'true or false', example });
export const list = (doc: string, example: readonly Json[], shape = 'list of texts'): KeyDoc => ({
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
