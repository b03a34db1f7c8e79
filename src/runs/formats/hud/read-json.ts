import { findNodeAtLocation, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type * as z from 'zod';
import { sentence } from '../../../tasks/formats/json/row.ts';
import { nesting } from '../../../tasks/formats/json/scan.ts';
import { Lines } from '../../../tasks/lines.ts';
import type { Position } from '../../../tasks/range.ts';
import { TraceError } from '../../store/trace-file.ts';

const STRICT = { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false };
const DEEPEST = 200;

/** A file of somebody else's that cannot be read: why, and where. */
export class BrokenFileError extends TraceError {
  readonly file: string;
  readonly at: Position;
  constructor(file: string, at: Position, message: string) {
    super('trace_broken', `${file}:${at.line + 1}:${at.character + 1}: ${message}`);
    this.name = 'BrokenFileError';
    this.file = file;
    this.at = at;
  }
}

/** JSON that somebody else wrote, with the place it stands at. */
export interface ForeignJson {
  readonly file: string;
  readonly text: string;
  /** The zero-based line of the file that the text begins in. */
  readonly firstLine: number;
}

/** Reads the text. What is wrong is said at its place, `FILE:LINE:COLUMN` counted from one. Throws `TraceError`. */
export function readJson(json: ForeignJson): unknown {
  if (nesting(json.text) > DEEPEST) throw brokenAt(json, 0, `this is nested more than ${DEEPEST} levels deep`);
  try {
    return JSON.parse(json.text);
  } catch {
    const errors: ParseError[] = [];
    parseTree(json.text, errors, STRICT);
    const [first] = errors;
    if (first === undefined) throw brokenAt(json, 0, 'this cannot be read as JSON');
    const { error, offset, length } = first;
    const cut = offset >= json.text.trimEnd().length ? 'the file is cut short: ' : '';
    throw brokenAt(json, offset, cut + sentence(printParseErrorCode(error), json.text.slice(offset, offset + length)));
  }
}

/** Gives what `readJson` read its type. What does not fit is said at its place. Throws `TraceError`. */
export function checkJson<T>(schema: z.ZodType<T>, value: unknown, json: ForeignJson): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = (issue?.path ?? []).filter((step): step is string | number => typeof step !== 'symbol');
  const at = path.length === 0 ? '' : `"${path.join('.')}": `;
  throw brokenAt(json, offsetOf(path, json.text), `${at}${issue?.message ?? 'this cannot be read'}`);
}

/** A member that is missing has no place of its own: then its object's. */
function offsetOf(path: readonly (string | number)[], text: string): number {
  const root = parseTree(text);
  if (root === undefined) return 0;
  for (let length = path.length; length > 0; length -= 1) {
    const found = findNodeAtLocation(root, path.slice(0, length));
    if (found !== undefined) return found.offset;
  }
  return root.offset;
}

function brokenAt({ file, text, firstLine }: ForeignJson, offset: number, message: string): BrokenFileError {
  const { line, character } = new Lines(text).position(offset);
  return new BrokenFileError(file, { line: firstLine + line, character }, message);
}
