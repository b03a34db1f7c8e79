import type { JsonObject } from '../../base/json.ts';
import type { Change } from '../../tasks/change.ts';
import type { Reading } from '../../tasks/reading.ts';

/** The changes that convert a task to another era, and notes about them. */
export interface Conversion {
  readonly changes: readonly Change[];
  readonly notes: readonly string[];
}

/** Why a task cannot be converted to another era, and what to do instead. */
export interface Refusal {
  readonly refusal: string;
}

export type Convert = (row: JsonObject, reading: Reading) => Conversion | Refusal;
