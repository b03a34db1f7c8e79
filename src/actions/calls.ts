import { type Literal, LiteralReader } from './literals.ts';

/** One call as it stands in an action string. */
export interface ParsedCall {
  readonly name: string;
  readonly args: readonly Literal[];
  /** Keyword arguments in their order; a name may stand twice. */
  readonly keywords: readonly (readonly [name: string, value: Literal])[];
}

/**
 * Finds the calls in a text as BrowserGym's loose parser does: anywhere in prose or code, arguments being Python
 * literals, what is no such call passed over. Throws a LiteralError where Python could not read a string in a call.
 */
export function findCalls(text: string): ParsedCall[] {
  const expanded = expandTabs(text);
  const reader = new LiteralReader(expanded);
  const calls: ParsedCall[] = [];
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
    if (call) calls.push({ name, ...call });
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

/** Tabs become spaces up to the next column that 8 divides, as the original's parser has it, inside of strings too. */
function expandTabs(text: string): string {
  if (!text.includes('\t')) return text;
  let column = 0;
  let expanded = '';
  for (const char of text) {
    if (char === '\t') {
      const spaces = 8 - (column % 8);
      expanded += ' '.repeat(spaces);
      column += spaces;
    } else {
      expanded += char;
      column = char === '\n' || char === '\r' ? 0 : column + 1;
    }
  }
  return expanded;
}
