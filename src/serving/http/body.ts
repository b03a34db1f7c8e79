import type { Json } from '../../base/json.ts';
import { JsonFault, type Printable, readJson, readPrintable } from './python.ts';
import type { Invalid } from './validation.ts';

/** A body that is no text; FastAPI says no more of it. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
}

/** The body of a request: its value, or the errors of its syntax. */
export type Body =
  | {
      /** Undefined: there is none. */
      readonly value: Json | undefined;
      /** The value as it was written. */
      printable(): Printable;
    }
  | { readonly errors: readonly Invalid[] };

/** The body of a request, as FastAPI reads it. Throws `BadBody`. */
export function readBody(body: unknown, contentType: string | undefined): Body {
  if (!Buffer.isBuffer(body) || body.length === 0) return { value: undefined, printable: () => null };
  const [type = ''] = (contentType ?? '').split(';');
  if (!/^application\/(?:[^/]*\+)?json$/i.test(type.trim())) {
    const text = decoded(body, 'utf-8');
    return { value: text, printable: () => text };
  }
  const text = jsonText(body);
  try {
    return { value: readJson(text), printable: () => readPrintable(text) };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { message, at } = error;
    return {
      errors: [
        { type: 'json_invalid', loc: ['body', at], msg: 'JSON decode error', input: {}, ctx: { error: message } },
      ],
    };
  }
}

/** The text of a body of JSON, which Python reads as UTF-8 and UTF-16, without a byte order mark. Throws `BadBody`. */
export function jsonText(body: Buffer): string {
  const [first, second] = body;
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  return decoded(body, isBig ? 'utf-16be' : isLittle ? 'utf-16le' : 'utf-8');
}

function decoded(body: Buffer, encoding: 'utf-8' | 'utf-16be' | 'utf-16le'): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body);
  } catch (error) {
    throw new BadBody('There was an error parsing the body', { cause: error });
  }
}
