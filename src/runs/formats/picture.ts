import type { RecordedPicture } from '../store/new-step.ts';

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

/** `data:image/png;base64,…` */
export function dataUrl({ type, data }: RecordedPicture): string {
  return `data:image/${type === 'jpg' ? 'jpeg' : 'png'};base64,${Buffer.from(data).toString('base64')}`;
}

/** A URL on another host, which is downloaded only with the user's consent. */
export function isRemote(url: unknown): url is string {
  return typeof url === 'string' && /^https?:\/\//i.test(url);
}
