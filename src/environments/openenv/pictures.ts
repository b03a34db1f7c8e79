import type { Json, JsonObject } from '../../base/json.ts';
import { readPicture } from '../base64-picture.ts';
import type { Picture } from '../environment.ts';
import { PngEncoder } from '../png.ts';

/** Shorter texts are no picture: a PNG of one pixel has more. */
const LEAST_BASE64 = 80;
/** PNG and JPEG files begin with these bytes, in base64. */
const BASE64 = /^(?:data:image\/(?:png|jpe?g);base64,)?(?:iVBORw0KGgo|\/9j\/)/;
/** Smaller grids of lists of numbers are boards, unless their key says that they are a picture. */
const LEAST_SIDE = 8;
const PICTURE_KEY = /screen|image|img|picture|pixels|frame|rgb/i;

/** An observation in which the first picture is replaced by a note, and that picture. */
export interface WithPicture {
  readonly data: JsonObject;
  readonly picture: Picture | null;
}

/** A picture in an observation: a text in base64, or rows of pixels. */
interface Found {
  readonly path: readonly string[];
  readonly value: string | readonly Json[];
}

/**
 * Takes the first picture out of an observation: a PNG or JPEG in base64 or as a data URL, or numbers from 0 to 255. These
 * are rows of pixels (`[height][width][channels]`), or, where the key says that it is a picture, also rows of shades of
 * gray, or one list with its shape beside it (`screen` and `screen_shape`).
 */
export async function takePicture(observation: JsonObject): Promise<WithPicture> {
  const found = findPicture(observation, []);
  const picture = found && (await pictureOf(found.value));
  if (found === null || picture === null) return { data: observation, picture: null };
  const note = `(picture, ${picture.width}×${picture.height})`;
  return { data: replaced(observation, found.path, note) as JsonObject, picture };
}

function findPicture(value: Json, path: readonly string[]): Found | null {
  if (typeof value === 'string') return value.length >= LEAST_BASE64 && BASE64.test(value) ? { path, value } : null;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) {
    if (isPixels(value, PICTURE_KEY.test(path.at(-1) ?? ''))) return { path, value };
    // Rows of numbers, which hold no picture.
    if (value.length > 0 && typeof value[0] === 'number') return null;
  }
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    const rows = rowsOf(key, inner, value as JsonObject);
    const found = rows === null ? findPicture(inner, [...path, key]) : { path: [...path, key], value: rows };
    if (found !== null) return found;
  }
  return null;
}

/** Looks at the shape and the first row only; reading the pixels looks at all of them. */
function isPixels(value: readonly Json[], isNamed: boolean): boolean {
  const [row] = value;
  if (!Array.isArray(row)) return false;
  const side = Math.min(value.length, row.length);
  const cells: readonly Json[] = row;
  if (isNamed && side >= LEAST_SIDE && cells.every(isByte)) return true;
  return (
    side >= (isNamed ? 1 : LEAST_SIDE) &&
    cells.every(
      (pixel) => Array.isArray(pixel) && [1, 3, 4].includes(pixel.length) && (pixel as readonly Json[]).every(isByte),
    )
  );
}

/** The rows of pixels of a single list, if its shape is beside it; otherwise null. */
function rowsOf(key: string, list: Json, beside: JsonObject): readonly Json[] | null {
  if (!Array.isArray(list) || typeof list[0] !== 'number' || !PICTURE_KEY.test(key)) return null;
  const shape = beside[`${key}_shape`];
  if (!Array.isArray(shape)) return null;
  const [height, width, channels = 1] = shape as readonly Json[];
  if (![height, width, channels].every((one) => Number.isSafeInteger(one) && Number(one) > 0)) return null;
  if (shape.length > 3 || Number(height) * Number(width) * Number(channels) !== list.length) return null;
  const pixels = partsOf(list as readonly Json[], Number(channels));
  return partsOf(pixels, Number(width));
}

function partsOf(list: readonly Json[], size: number): Json[] {
  return Array.from({ length: list.length / size }, (_, at) => list.slice(at * size, (at + 1) * size) as Json);
}

function isByte(value: Json): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

async function pictureOf(value: Found['value']): Promise<Picture | null> {
  if (typeof value === 'string') return readPicture(value) ?? null;
  const rows = value as readonly (readonly Json[])[];
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  const pixels = new Uint8Array(height * width * 4);
  let at = 0;
  for (const row of rows) {
    if (!Array.isArray(row) || row.length !== width) return null;
    for (const cell of row as readonly Json[]) {
      const pixel = typeof cell === 'number' ? [cell] : cell;
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

function replaced(value: Json, [step, ...rest]: readonly string[], by: string): Json {
  if (step === undefined) return by;
  const inner = (value as JsonObject)[step] as Json;
  if (Array.isArray(value)) return value.with(Number(step), replaced(inner, rest, by));
  return { ...(value as JsonObject), [step]: replaced(inner, rest, by) };
}
