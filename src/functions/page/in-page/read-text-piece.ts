/// <reference lib="dom" />
import type { PageText, ReadOptions } from '../page-text.ts';
import { plain } from '../plain.ts';
import { beginReading, type TextReading } from './read-text.ts';

/** The readings in progress in this world, by their keys. */
const READINGS = 'taskwrightReadings';
/** How often a page is read from its beginning because it has moved meanwhile. */
const MAX_RESTARTS = 3;
/** About how long a page that moved each time is read at once, in ms: while it is read, it cannot move. */
const LONG_PIECE_MS = 10_000;

interface ReadingInProgress {
  readonly roots: readonly Element[] | null;
  readonly reading: TextReading;
  readonly layout: string;
  readonly restarts: number;
}

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
 * it answers other requests meanwhile, and so that a page that is being read differs from one that does not respond. If the page
 * has moved meanwhile, such as when more of it was laid out, which reading can cause, it is read from its beginning, because
 * positions have changed; the last time in one long piece. Throws `the page was replaced` if the document is no longer the one in which the reading began.
 */
export function readTextPiece(
  roots: readonly Element[] | null,
  { key, isBegun, ms, ...options }: PieceOptions,
): PageText | null {
  const world = globalThis as { [READINGS]?: Map<string, ReadingInProgress> };
  world[READINGS] ??= new Map();
  const readings = world[READINGS];
  const begin = (of: readonly Element[] | null, restarts: number): ReadingInProgress => ({
    roots: of,
    reading: beginReading(of, options),
    layout: layoutOf(document),
    restarts,
  });
  const hasMoved = ({ layout, restarts }: ReadingInProgress): boolean =>
    restarts < MAX_RESTARTS && layout !== layoutOf(document);
  let current = isBegun ? readings.get(key) : begin(roots, 0);
  if (current === undefined) throw new Error('the page was replaced while it was read');
  if (hasMoved(current)) current = begin(current.roots, current.restarts + 1);
  const text = current.reading.advance(current.restarts < MAX_RESTARTS ? ms : LONG_PIECE_MS);
  const isDone = text !== null && !hasMoved(current);
  if (isDone) readings.delete(key);
  else readings.set(key, current);
  return isDone ? text : null;
}

/** As `readTextPiece`, for a reading that has begun and so knows its roots. */
export function readNextPiece(options: PieceOptions): PageText | null {
  return readTextPiece(null, options);
}

/** How large the page is, and where it is scrolled to. */
function layoutOf(of: Document): string {
  const { scrollingElement, documentElement } = plain(of);
  const scroller = scrollingElement ?? documentElement;
  if (scroller === null) return '';
  const { scrollWidth, scrollHeight, scrollLeft, scrollTop } = plain(scroller);
  return [scrollWidth, scrollHeight, scrollLeft, scrollTop].join();
}
