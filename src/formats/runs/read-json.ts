import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type * as z from 'zod';
import { nesting } from '../../base/json-scan.ts';
import { Lines } from '../../base/lines.ts';
import type { Position } from '../../base/range.ts';
import { nearestNode, sentence } from '../../tasks/formats/json/row.ts';
import { TraceError } from '../../traces/trace-file.ts';

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
const MAX_DEPTH = 200;

/** A file of another program that cannot be parsed, with the location. */
export class BrokenFileError extends TraceError {
  override readonly name = 'BrokenFileError';
  readonly file: string;
  readonly at: Position;
  constructor(file: string, at: Position, message: string) {
    super('trace_broken', `${file}:${at.line + 1}:${at.character + 1}: ${message}`);
    this.file = file;
    this.at = at;
  }
}

/** JSON in a file, or a part of it. */
export interface JsonDocument {
  readonly file: string;
  readonly text: string;
  /** Zero-based line of the file in which the text begins. */
  readonly firstLine: number;
}

/** Parses the text. Throws `BrokenFileError`, whose message begins with `FILE:LINE:COLUMN`, counted from one. */
export function readJson(json: JsonDocument): unknown {
  if (nesting(json.text) > MAX_DEPTH) throw brokenAt(json, 0, `the JSON is nested more than ${MAX_DEPTH} levels deep`);
  try {
    return JSON.parse(json.text);
  } catch {
    const errors: ParseError[] = [];
    parseTree(json.text, errors, STRICT);
    const [first] = errors;
    if (first === undefined) throw brokenAt(json, 0, 'this is not valid JSON');
    const { error, offset, length } = first;
    const prefix = offset >= json.text.trimEnd().length ? 'the file is incomplete: ' : '';
    throw brokenAt(
      json,
      offset,
      prefix + sentence(printParseErrorCode(error), json.text.slice(offset, offset + length)),
    );
  }
}

/** Validates a value of `readJson`. Throws `BrokenFileError`. */
export function checkJson<T>(schema: z.ZodType<T>, value: unknown, json: JsonDocument): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = (issue?.path ?? []).filter((step): step is string | number => typeof step !== 'symbol');
  const root = parseTree(json.text);
  // A missing member is reported at its object.
  const offset = root === undefined ? 0 : nearestNode(root, path).offset;
  const at = path.length === 0 ? '' : `"${path.join('.')}": `;
  throw brokenAt(json, offset, `${at}${issue?.message ?? 'unexpected value'}`);
}

function brokenAt({ file, text, firstLine }: JsonDocument, offset: number, message: string): BrokenFileError {
  const { line, character } = new Lines(text).position(offset);
  return new BrokenFileError(file, { line: firstLine + line, character }, message);
}
