import { randomUUID } from 'node:crypto';

/** How long a page reads at once, in ms: most pages take a few, and all answer other requests in between. */
const PIECE_MS = 200;

/** Which piece of a reading a page is to read; see `readTextPiece`. */
export interface Piece {
  readonly key: string;
  readonly isBegun: boolean;
  readonly ms: number;
}

/** Reads a page piece by piece, until `read` returns something. */
export async function inPieces<T>(read: (piece: Piece) => Promise<T | null>): Promise<T> {
  const key = randomUUID();
  for (let isBegun = false; ; isBegun = true) {
    const result = await read({ key, isBegun, ms: PIECE_MS });
    if (result !== null) return result;
  }
}
