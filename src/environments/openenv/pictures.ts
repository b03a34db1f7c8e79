import { isList, type Json, type JsonObject } from '../../base/json.ts';
import { pictureNote, readPicture } from '../base64-picture.ts';
import type { Picture } from '../environment.ts';
import { PngEncoder } from '../png.ts';

/** The minimum length of a picture in base64. A PNG of one pixel is longer. */
const LEAST_BASE64 = 80;
/** PNG and JPEG files begin with these bytes, in base64. */
const BASE64 = /^(?:data:image\/(?:png|jpe?g);base64,)?(?:iVBORw0KGgo|\/9j\/)/;
/** The minimum side of a grid of numbers that is a picture whatever its key. Smaller ones are boards. */
const LEAST_SIDE = 8;
const PICTURE_KEY = /screen|image|img|picture|pixels|frame|rgb/i;

/** An observation in which the first picture is replaced with a note, and that picture. */
interface SplitObservation {
  readonly data: JsonObject;
  readonly picture: Picture | null;
}

/** A picture in an observation: a text in base64, or rows of pixels. */
interface PictureMatch {
  readonly path: readonly string[];
  readonly value: string | readonly Json[];
}

/**
 * Takes the first picture out of an observation: a PNG or JPEG in base64 or as a data URL, or numbers from 0 to 255. The
 * numbers are rows of pixels (`[height][width][channels]`) or, if the key names a picture, also rows of shades of gray, or
 * one list with its shape next to it (`screen` and `screen_shape`).
 */
export async function takePicture(observation: JsonObject): Promise<SplitObservation> {
  const match = findPicture(observation, []);
  const picture = match && (await pictureOf(match.value));
  if (match === null || picture === null) return { data: observation, picture: null };
  return { data: replaceAt(observation, match.path, pictureNote(picture)) as JsonObject, picture };
}

function findPicture(value: Json, path: readonly string[]): PictureMatch | null {
  if (typeof value === 'string') return value.length >= LEAST_BASE64 && BASE64.test(value) ? { path, value } : null;
  if (typeof value !== 'object' || value === null) return null;
  if (isList(value)) {
    if (isPixels(value, PICTURE_KEY.test(path.at(-1) ?? ''))) return { path, value };
    // A list of numbers contains no picture.
    if (typeof value[0] === 'number') return null;
  }
  for (const [key, inner] of Object.entries(value as JsonObject)) {
    const rows = rowsOf(key, inner, value as JsonObject);
    const match = rows === null ? findPicture(inner, [...path, key]) : { path: [...path, key], value: rows };
    if (match !== null) return match;
  }
  return null;
}

/** Examines only the shape and the first row. The others are checked when the pixels are read. */
function isPixels(value: readonly Json[], isNamed: boolean): boolean {
  const [row] = value;
  if (!isList(row)) return false;
  const side = Math.min(value.length, row.length);
  if (isNamed && side >= LEAST_SIDE && row.every(isByte)) return true;
  const isPixel = (pixel: Json): boolean => isList(pixel) && [1, 3, 4].includes(pixel.length) && pixel.every(isByte);
  return side >= (isNamed ? 1 : LEAST_SIDE) && row.every(isPixel);
}

/** The rows of pixels of a single list, if its shape is next to it; otherwise null. */
function rowsOf(key: string, list: Json, siblings: JsonObject): readonly Json[] | null {
  if (!isList(list) || typeof list[0] !== 'number' || !PICTURE_KEY.test(key)) return null;
  const shape = siblings[`${key}_shape`];
  if (!isList(shape)) return null;
  const [height, width, channels = 1] = shape;
  if (![height, width, channels].every((one) => Number.isSafeInteger(one) && Number(one) > 0)) return null;
  if (shape.length > 3 || Number(height) * Number(width) * Number(channels) !== list.length) return null;
  return partsOf(partsOf(list, Number(channels)), Number(width));
}

function partsOf(list: readonly Json[], size: number): Json[] {
  return Array.from({ length: list.length / size }, (_, at) => list.slice(at * size, (at + 1) * size) as Json);
}

function isByte(value: Json): value is number {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 255;
}

async function pictureOf(value: PictureMatch['value']): Promise<Picture | null> {
  if (typeof value === 'string') return readPicture(value) ?? null;
  const rows = value as readonly (readonly Json[])[];
  const [height, width] = [rows.length, rows[0]?.length ?? 0];
  const pixels = new Uint8Array(height * width * 4);
  let at = 0;
  for (const row of rows) {
    if (!isList(row) || row.length !== width) return null;
    for (const cell of row) {
      const pixel = typeof cell === 'number' ? [cell] : cell;
      if (!isList(pixel) || !pixel.every(isByte)) return null;
      const [red = 0, green = red, blue = red] = pixel;
      pixels[at] = blue;
      pixels[at + 1] = green;
      pixels[at + 2] = red;
      at += 4;
    }
  }
  return { type: 'png', data: await new PngEncoder(width, height).encode(pixels), width, height };
}

function replaceAt(value: Json, [step, ...rest]: readonly string[], replacement: string): Json {
  if (step === undefined) return replacement;
  const inner = (value as JsonObject)[step] as Json;
  if (isList(value)) return value.with(Number(step), replaceAt(inner, rest, replacement));
  return { ...(value as JsonObject), [step]: replaceAt(inner, rest, replacement) };
}
