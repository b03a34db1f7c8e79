import type { FastifyRequest } from 'fastify';
import { isObject, type Json } from '../../base/json.ts';
import { nearestNumbers } from '../../base/raw-numbers-in.ts';
import { parseExactPythonJson } from '../../python/json.ts';
import { InvalidRequest } from './requests.ts';

/** A body that is not text. FastAPI reports no details. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
}

/** The body of a request, as FastAPI reads it, with the digits of the numbers in its task; undefined if it is missing. Throws `BadBody` or `InvalidRequest`. */
export function readBody({ body, headers }: FastifyRequest): unknown {
  if (!Buffer.isBuffer(body) || body.length === 0) return undefined;
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  if (!/^application\/(?:[^/]*\+)?json$/i.test(type.trim())) return String(body);
  const text = jsonText(body);
  try {
    return nearestExceptTask(parseExactPythonJson(text));
  } catch (error) {
    throw new InvalidRequest([{ type: 'json_invalid', loc: ['body'], msg: (error as Error).message }]);
  }
}

/** The numbers of a request in JavaScript, but for those of its task, which is read as a task file is. */
export function nearestExceptTask(request: Json): Json {
  if (!isObject(request) || !isObject(request['task'])) return nearestNumbers(request);
  const { task, ...rest } = request;
  return { ...nearestNumbers(rest), task };
}

/** The text of a body of JSON, which Python reads as UTF-8 and UTF-16, without a byte order mark. Throws `BadBody`. */
export function jsonText(body: Buffer): string {
  const [first, second] = body;
  const isBig = (first === 0xfe && second === 0xff) || (first === 0 && second !== 0);
  const isLittle = (first === 0xff && second === 0xfe) || (first !== 0 && second === 0);
  try {
    return new TextDecoder(isBig ? 'utf-16be' : isLittle ? 'utf-16le' : 'utf-8', { fatal: true }).decode(body);
  } catch (error) {
    throw new BadBody('There was an error parsing the body', { cause: error });
  }
}
