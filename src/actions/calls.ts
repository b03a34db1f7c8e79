import { type Literal, LiteralReader } from './literals.ts';

/** One call as it stands in an action string. */
export interface ParsedCall {
  readonly name: string;
  readonly args: readonly Literal[];
  /** Keyword arguments in their order; a name may stand twice. */
  readonly keywords: readonly (readonly [name: string, value: Literal])[];
}

/** A call and where it stands in the text that was read: UTF-16 offsets of its name's beginning and of its end. */
export interface LocatedCall {
  readonly call: ParsedCall;
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the calls in a text as BrowserGym's loose parser does: anywhere in prose or code, arguments being Python
 * literals, what is no such call passed over. Throws a LiteralError where Python could not read a string in a call.
 */
export function findCalls(text: string): ParsedCall[] {
  return readCalls(expandTabs(text).expanded).map(({ call }) => call);
}

/** The same calls with their places. Throws a LiteralError as `findCalls` does. */
export function locateCalls(text: string): LocatedCall[] {
  const { expanded, places } = expandTabs(text);
  const written = (offset: number): number => places?.[offset] ?? offset;
  return readCalls(expanded).map(({ call, start, end }) => ({ call, start: written(start), end: written(end) }));
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
    // No shorter name that ends at the same place can succeed where this one did not.
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
 * Tabs become spaces up to the next column that 8 divides, as the original's parser has it, inside of strings too.
 * `places` has the offset in the text of every offset in the expanded one; null where they are the same.
 */
function expandTabs(text: string): { readonly expanded: string; readonly places: readonly number[] | null } {
  if (!text.includes('\t')) return { expanded: text, places: null };
  let column = 0;
  let expanded = '';
  const places: number[] = [];
  let at = 0;
  for (const char of text) {
    if (char === '\t') {
      const spaces = 8 - (column % 8);
      expanded += ' '.repeat(spaces);
      column += spaces;
    } else {
      expanded += char;
      column = char === '\n' || char === '\r' ? 0 : column + 1;
    }
    while (places.length < expanded.length) places.push(at);
    at += char.length;
  }
  places.push(text.length);
  return { expanded, places };
}
