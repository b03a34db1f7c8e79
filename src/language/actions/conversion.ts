import type { Change } from '../../tasks/change.ts';
import type { Reading } from '../../tasks/reading.ts';
import type { Json } from '../../tasks/task.ts';

/** What stands in a row, for a conversion to read. */
export type Row = Readonly<Record<string, Json>>;

/** What makes a task one of another era: changes of it, and what to say about them. */
export interface Conversion {
  readonly changes: readonly Change[];
  readonly notes: readonly string[];
}

/** Why a task cannot be made one of another era, in words that say what to do instead. */
export interface Refused {
  readonly refused: string;
}

export type Convert = (row: Row, reading: Reading) => Conversion | Refused;
