import { readFile, realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import { describeSystemError } from '../../base/system-error.ts';
import { MAX_PICTURE_BYTES, type RecordedPicture } from '../../traces/new-step.ts';

const EMBEDDED = /^data:[-+.a-z0-9]+\/[-+.a-z0-9]+;base64,/i;

/** The picture in these bytes; null if they are neither PNG nor JPEG. */
export function pictureOf(data: Uint8Array): RecordedPicture | null {
  const [a, b, c, d] = data;
  if (a === 0x89 && b === 0x50 && c === 0x4e && d === 0x47) return { type: 'png', data };
  if (a === 0xff && b === 0xd8 && c === 0xff) return { type: 'jpg', data };
  return null;
}

/** A picture in base64, with or without a `data:` prefix; null if the text is not a picture. */
export function embeddedPicture(text: string): RecordedPicture | null {
  const prefix = EMBEDDED.exec(text.slice(0, 100))?.[0] ?? '';
  return pictureOf(Buffer.from(text.slice(prefix.length), 'base64'));
}

/** `image/png` or `image/jpeg`. */
export function mediaTypeOf({ type }: Pick<RecordedPicture, 'type'>): string {
  return type === 'jpg' ? 'image/jpeg' : 'image/png';
}

/** `data:image/png;base64,…` */
export function dataUrl(picture: RecordedPicture): string {
  return `data:${mediaTypeOf(picture)};base64,${Buffer.from(picture.data).toString('base64')}`;
}

/** A URL on another host, which is downloaded only with the user's consent. */
export function isRemote(url: unknown): url is string {
  return typeof url === 'string' && /^https?:\/\//i.test(url);
}

/**
 * A picture in the folder of a run, or the reason why it cannot be used, which continues “The picture was left out: ”. Never
 * rejects.
 */
export async function readPicture(
  path: string,
  folder: string,
): Promise<RecordedPicture | { readonly reason: string }> {
  try {
    // A folder from someone else may have a link to another file of this machine in place of a picture.
    const realPath = await realpath(path);
    if (!realPath.startsWith((await realpath(folder)) + sep))
      return { reason: 'it is a link out of the folder of the run' };
    const stats = await stat(realPath);
    // A pipe or a device may never end.
    if (!stats.isFile() && !stats.isDirectory()) return { reason: 'it is not a file' };
    const { size } = stats;
    if (size > MAX_PICTURE_BYTES) {
      return { reason: `it has ${Math.ceil(size / 1e6)} MB, more than ${MAX_PICTURE_BYTES / 1e6}` };
    }
    return pictureOf(await readFile(realPath)) ?? { reason: 'it is neither PNG nor JPEG' };
  } catch (error) {
    return { reason: describeSystemError(error) };
  }
}
