/// <reference lib="dom" />
import type { PageText, ReadOptions } from '../page-text.ts';
import { beginReading, type TextReading } from './read-text.ts';

/** The readings in progress in this world, by their keys. */
const READINGS = 'taskwrightReadings';

/** A piece of a reading of a page. */
export interface PieceOptions extends ReadOptions {
  /** Identifies the reading. */
  readonly key: string;
  /** Whether the reading has begun. */
  readonly isBegun: boolean;
  /** About how long to read, in ms. */
  readonly ms: number;
}

/**
 * Reads the next piece of a page; see `beginReading`. Returns null until the last one. A large page is read in pieces so that
 * it answers other requests meanwhile, and so that a page that is being read differs from one that does not respond.
 * Throws `the page was replaced` if the document is no longer the one in which the reading began.
 */
export function readTextPiece(
  roots: readonly Element[] | null,
  { key, isBegun, ms, ...options }: PieceOptions,
): PageText | null {
  const world = globalThis as { [READINGS]?: Map<string, TextReading> };
  world[READINGS] ??= new Map();
  const readings = world[READINGS];
  const reading = isBegun ? readings.get(key) : beginReading(roots, options);
  if (reading === undefined) throw new Error('the page was replaced while it was read');
  const text = reading.advance(ms);
  if (text === null) readings.set(key, reading);
  else readings.delete(key);
  return text;
}

/** As `readTextPiece`, for a reading that has begun and so knows its roots. */
export function readNextPiece(options: PieceOptions): PageText | null {
  return readTextPiece(null, options);
}
