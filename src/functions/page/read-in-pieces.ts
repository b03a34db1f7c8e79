/**
 * How long a page reads at once, in ms. Most pages take a few, so that they are read as they are at one moment. Others answer
 * requests in between.
 */
const PIECE_MS = 1_000;

/** Which piece of a reading a page is to read; see `readTextPiece`. */
export interface Piece {
  readonly key: string;
  readonly isBegun: boolean;
  readonly ms: number;
}

/** Thrown if a page takes longer to read than it may. */
export class ReadTooLong extends Error {}

/** Reads a page piece by piece, until `read` returns something. Rejects with `ReadTooLong` after about `limit` ms. */
export async function readInPieces<T>(
  read: (piece: Piece) => Promise<T | null>,
  limit = Number.POSITIVE_INFINITY,
): Promise<T> {
  const key = crypto.randomUUID();
  const end = performance.now() + limit;
  for (let isBegun = false; ; isBegun = true) {
    const result = await read({ key, isBegun, ms: PIECE_MS });
    if (result !== null) return result;
    if (performance.now() > end) throw new ReadTooLong('the page takes too long to read');
  }
}
