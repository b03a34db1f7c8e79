import type { Picture } from './environment.ts';

/** A base64 text as a picture, PNG or JPEG, with or without the head of a data URL; undefined for anything else. */
export function readPicture(base64: string): Picture | undefined {
  const data = Buffer.from(base64.replace(/^data:image\/\w+;base64,/, ''), 'base64');
  if (data.length > 24 && data.readUInt32BE(0) === 0x89504e47) {
    return { type: 'png', data, width: data.readUInt32BE(16), height: data.readUInt32BE(20) };
  }
  const size = jpegSize(data);
  return size === null ? undefined : { type: 'jpg', data, ...size };
}

/** The text that stands for a picture in an observation. */
export function pictureNote({ width, height }: Picture): string {
  return `(picture, ${width}×${height})`;
}

/** From the first frame header (SOF) of a JPEG file (ISO/IEC 10918-1, B.2.2). */
function jpegSize(data: Buffer): { width: number; height: number } | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xffd8) return null;
  let at = 2;
  while (at + 9 < data.length && data[at] === 0xff) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: data.readUInt16BE(at + 5), width: data.readUInt16BE(at + 7) };
    at += 2 + data.readUInt16BE(at + 2);
  }
  return null;
}
