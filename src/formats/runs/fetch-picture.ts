import type { RecordedPicture } from '../../traces/new-step.ts';
import { pictureOf } from './picture.ts';

const LIMIT_MS = 20_000;
const MAX_BYTES = 20_000_000;

/** Downloads a picture without cookies; null if that fails, or if it is neither PNG nor JPEG. */
export async function fetchPicture(url: string): Promise<RecordedPicture | null> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LIMIT_MS), credentials: 'omit' });
    if (!response.ok || response.body === null) return null;
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const part of response.body) {
      size += part.byteLength;
      if (size > MAX_BYTES) return null;
      parts.push(part);
    }
    return pictureOf(Buffer.concat(parts));
  } catch {
    // A missing picture must not fail the import.
    return null;
  }
}
