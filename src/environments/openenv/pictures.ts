import type { Json } from '../../tasks/task.ts';
import { readPicture } from '../base64-picture.ts';
import { PngEncoder } from '../desktop/png.ts';
import type { Picture } from '../environment.ts';

/** Shorter texts are no picture: a PNG of one pixel has more. */
const LEAST_BASE64 = 80;
/** PNG and JPEG files begin with these bytes, in base64. */
const BASE64 = /^(?:data:image\/(?:png|jpe?g);base64,)?(?:iVBORw0KGgo|\/9j\/)/;
/** Smaller grids of lists of numbers are boards, unless their key says that they are a picture. */
const LEAST_SIDE = 8;
const PICTURE_KEY = /screen|image|img|picture|pixels|frame|rgb/i;

/** An observation in which the first picture is replaced by a note, and that picture. */
export interface WithPicture {
  readonly data: { readonly [key: string]: Json };
  readonly picture: Picture | null;
}

/**
 * Takes the first picture out of an observation: a PNG or JPEG in base64 or as a data URL, or rows of pixels as lists of
 * numbers from 0 to 255 (`[height][width][channels]`).
 */
export async function takePicture(observation: { readonly [key: string]: Json }): Promise<WithPicture> {
  const path = pathOfPicture(observation, []);
  if (path === null) return { data: observation, picture: null };
  const picture = await pictureOf(valueAt(observation, path));
  if (picture === null) return { data: observation, picture: null };
  const note = `(picture, ${picture.width}×${picture.height})`;
  return { data: replaced(observation, path, note) as { readonly [key: string]: Json }, picture };
}

function pathOfPicture(value: Json, path: readonly string[]): readonly string[] | null {
  if (typeof value === 'string') return value.length >= LEAST_BASE64 && BASE64.test(value) ? path : null;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    if (isPixels(value, PICTURE_KEY.test(path.at(-1) ?? '') ? 1 : LEAST_SIDE)) return path;
    // Rows of numbers, which hold no picture.
    if (value.length > 0 && typeof value[0] === 'number') return null;
  }
  for (const [key, inner] of Object.entries(value)) {
    const found = pathOfPicture(inner as Json, [...path, key]);
    if (found !== null) return found;
  }
  return null;
}

/** Looks at the shape and the first row only; reading the pixels looks at all of them. */
function isPixels(value: readonly Json[], least: number): boolean {
  const [row] = value;
  if (value.length < least || !Array.isArray(row) || row.length < least) return false;
  return row.every(
    (pixel) => Array.isArray(pixel) && [1, 3, 4].includes(pixel.length) && (pixel as readonly Json[]).every(isByte),
  );
}

function isByte(value: Json): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

async function pictureOf(value: Json | undefined): Promise<Picture | null> {
  if (typeof value === 'string') return readPicture(value) ?? null;
  const rows = value as readonly (readonly (readonly number[])[])[];
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  const pixels = new Uint8Array(height * width * 4);
  let at = 0;
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== width) return null;
    for (const pixel of row as readonly Json[]) {
      if (!Array.isArray(pixel) || !(pixel as readonly Json[]).every(isByte)) return null;
      const [red = 0, green = red, blue = red] = pixel as readonly number[];
      pixels[at] = blue;
      pixels[at + 1] = green;
      pixels[at + 2] = red;
      at += 4;
    }
  }
  return { type: 'png', data: await new PngEncoder(width, height).encode(pixels), width, height };
}

function valueAt(value: Json, path: readonly string[]): Json | undefined {
  let at: Json | undefined = value;
  for (const step of path) at = (at as { readonly [key: string]: Json })[step];
  return at;
}

function replaced(value: Json, [step, ...rest]: readonly string[], by: string): Json {
  if (step === undefined) return by;
  const inner = (value as { readonly [key: string]: Json })[step] as Json;
  if (Array.isArray(value)) return value.with(Number(step), replaced(inner, rest, by));
  return { ...(value as { readonly [key: string]: Json }), [step]: replaced(inner, rest, by) };
}
