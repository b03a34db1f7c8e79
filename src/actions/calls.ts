import { type Literal, LiteralReader } from '../python/literals.ts';

/** One call in an action string. */
export interface ParsedCall {
  readonly name: string;
  readonly args: readonly Literal[];
  /** Keyword arguments in order; a name can occur twice. */
  readonly keywords: readonly (readonly [name: string, value: Literal])[];
}

/** A call and its location in the text: UTF-16 offsets of the start of its name and of its end. */
export interface LocatedCall {
  readonly call: ParsedCall;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the calls in a text as BrowserGym's loose parser does: anywhere in prose or code, with Python literals as
 * arguments; other text is skipped. Throws a LiteralError if Python could not read a string in a call.
 */
export function findCalls(text: string): ParsedCall[] {
  return readCalls(expandTabs(text).text).map(({ call }) => call);
}

/** Finds the same calls with their locations. Throws a LiteralError as `findCalls` does. */
export function locateCalls(text: string): LocatedCall[] {
  const { text: expandedText, offsets } = expandTabs(text);
  const originalOf = (offset: number): number => offsets?.[offset] ?? offset;
  return readCalls(expandedText).map(({ call, start, end }) => ({
    call,
    start: originalOf(start),
    end: originalOf(end),
  }));
}

function readCalls(text: string): LocatedCall[] {
  const reader = new LiteralReader(text);
  const calls: LocatedCall[] = [];
  while (!reader.done) {
    reader.skip();
    const start = reader.at;
    const name = reader.readIdentifier();
    if (name === undefined) {
      reader.at = start + 1;
      continue;
    }
    const afterName = reader.at;
    const call = readArguments(reader);
    if (call) calls.push({ call: { name, ...call }, start, end: reader.at });
    // No shorter name that ends at the same offset can succeed if this one did not.
    else reader.at = afterName;
  }
  return calls;
}

function readArguments(reader: LiteralReader): Omit<ParsedCall, 'name'> | undefined {
  if (!reader.readChar('(')) return undefined;
  const args: Literal[] = [];
  for (;;) {
    const arg = reader.readElement();
    if (!arg) break;
    args.push(arg.value);
    if (!reader.readChar(',')) break;
  }
  const keywords: (readonly [string, Literal])[] = [];
  for (;;) {
    const keyword = reader.readIdentifier();
    if (keyword === undefined) break;
    const value = reader.readChar('=') ? reader.readElement() : undefined;
    if (!value) return undefined;
    keywords.push([keyword, value.value]);
    if (!reader.readChar(',')) break;
  }
  return reader.readChar(')') ? { args, keywords } : undefined;
}

/**
 * Expands tabs to the next column divisible by 8, also inside strings, as the original parser does. `offsets` maps each
 * offset in the expanded text to one in the original; null if they are equal.
 */
function expandTabs(text: string): { readonly text: string; readonly offsets: readonly number[] | null } {
  if (!text.includes('\t')) return { text, offsets: null };
  let column = 0;
  let result = '';
  const offsets: number[] = [];
  let at = 0;
  for (const char of text) {
    if (char === '\t') {
      const spaces = 8 - (column % 8);
      result += ' '.repeat(spaces);
      column += spaces;
    } else {
      result += char;
      column = char === '\n' || char === '\r' ? 0 : column + 1;
    }
    while (offsets.length < result.length) offsets.push(at);
    at += char.length;
  }
  offsets.push(text.length);
  return { text: result, offsets };
}
