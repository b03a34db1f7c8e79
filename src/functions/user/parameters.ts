import type { Phase } from '../declaration.ts';
import type { Token } from './tokens.ts';

export interface UserParameter {
  readonly name: string;
  /** As a person reads it: `string`, `number`; null where it is not plain. */
  readonly type: string | null;
  readonly optional: boolean;
  /** Takes any number of arguments. */
  readonly rest: boolean;
}

/** What the text says of a function beside its name. */
export interface Declared {
  readonly phase: Phase | null;
  readonly doc: string | null;
  readonly parameters: readonly UserParameter[] | null;
}

const UNKNOWN: Declared = { phase: null, doc: null, parameters: null };

/**
 * Reads what stands behind the name of an exported function: a parameter list, or `= …` with a function or
 * `defineFunction({…})`. Only what is written out plainly is believed.
 * @param from index of the token after the name
 */
export function readDeclaration(text: string, tokens: readonly Token[], from: number): Declared {
  return new DeclarationReader(text, tokens).read(from);
}

/** Methods of a tuple schema that change nothing of what it takes. */
const HARMLESS = new Set(['refine', 'superRefine', 'check', 'describe', 'meta', 'readonly', 'transform']);
const OPTIONAL = new Set(['optional', 'default', 'prefault', 'nullish', 'exactOptional']);
const PLAIN: Readonly<Record<string, string>> = {
  string: 'string',
  number: 'number',
  int: 'number',
  boolean: 'boolean',
  object: 'object',
  strictObject: 'object',
  looseObject: 'object',
  record: 'object',
  url: 'string',
  email: 'string',
  iso: 'string',
  stringbool: 'string',
};
/** Schemas of which the text does not say whether they may be missing. */
const MAY_BE_MISSING = new Set([
  'undefined',
  'void',
  'any',
  'unknown',
  'preprocess',
  'custom',
  'lazy',
  'optional',
  'pipe',
]);

interface Span {
  readonly from: number;
  /** Index of the token after it. */
  readonly to: number;
}

class DeclarationReader {
  readonly #text: string;
  readonly #tokens: readonly Token[];

  constructor(text: string, tokens: readonly Token[]) {
    this.#text = text;
    this.#tokens = tokens;
  }

  read(from: number): Declared {
    let at = this.#skipAngles(from);
    if (this.#sign(at, '(')) return { ...UNKNOWN, parameters: this.#withoutContext(this.#parameters(at)) };
    at = this.#valueStart(from);
    if (at === -1) return UNKNOWN;
    if (this.#word(at) === 'defineFunction') {
      const open = this.#skipAngles(at + 1);
      return this.#sign(open, '(') && this.#sign(open + 1, '{') ? this.#definition(open + 1) : UNKNOWN;
    }
    if (this.#word(at) === 'async') at += 1;
    if (this.#word(at) === 'function') {
      at += this.#sign(at + 1, '*') ? 2 : 1;
      if (this.#tokens[at]?.kind === 'word') at += 1;
    }
    at = this.#skipAngles(at);
    if (this.#sign(at, '(') && this.#isParameterList(at)) {
      return { ...UNKNOWN, parameters: this.#withoutContext(this.#parameters(at)) };
    }
    const arrow = this.#sign(at + 1, '=') && this.#sign(at + 2, '>');
    return this.#tokens[at]?.kind === 'word' && arrow ? { ...UNKNOWN, parameters: [] } : UNKNOWN;
  }

  /** Behind the `=` of `name: Type = value`. */
  #valueStart(from: number): number {
    let depth = 0;
    for (let at = from; at < this.#tokens.length; at += 1) {
      const { text } = this.#tokens[at] as Token;
      const arrow = text === '=' && this.#sign(at + 1, '>') && this.#touches(at);
      if (arrow) at += 1;
      else if (depth === 0 && text === '=') return at + 1;
      else if (depth <= 0 && (text === ',' || text === ';')) return -1;
      else depth += '([{<'.includes(text) ? 1 : ')]}>'.includes(text) ? -1 : 0;
    }
    return -1;
  }

  /** A bracket after which an arrow or a body comes, and no expression in brackets. */
  #isParameterList(open: number): boolean {
    const close = this.#close(open);
    const next = this.#tokens[close + 1]?.text;
    return next === ':' || next === '{' || (next === '=' && this.#sign(close + 2, '>'));
  }

  #definition(open: number): Declared {
    if (this.#close(open) === this.#tokens.length) return UNKNOWN;
    const members = this.#members(open);
    const phase = this.#string(members.get('phase'));
    const run = members.get('run');
    const named = run === undefined ? null : this.#runParameters(run);
    return {
      phase: phase === 'setup' || phase === 'evaluate' ? phase : null,
      doc: this.#string(members.get('doc')),
      parameters: members.has('...') ? null : this.#arguments(members.get('args'), named),
    };
  }

  /** `args` says what is taken, `run` how it is called; null where either is not plain. */
  #arguments(args: Span | undefined, named: readonly UserParameter[] | null): readonly UserParameter[] | null {
    if (args === undefined) return named === null ? null : this.#withoutContext(named);
    const { from } = args;
    const tuple = this.#chain(from, 'z', '.', 'tuple', '(') && this.#sign(from + 4, '[');
    if (!tuple) return null;
    const list = this.#items(from + 4);
    const schemas = list.map((item) => this.#schema(item));
    const end = this.#close(from + 3);
    let at = end + 1;
    let rest = this.#sign(this.#close(from + 4) + 1, ',') && !this.#sign(this.#close(from + 4) + 2, ')');
    while (at < args.to) {
      const method = this.#sign(at, '.') ? this.#word(at + 1) : '';
      if (method === 'rest') rest = true;
      else if (!HARMLESS.has(method)) return null;
      if (!this.#sign(at + 2, '(')) return null;
      at = this.#close(at + 2) + 1;
    }
    const names = named === null ? [] : (this.#withoutContext(named) ?? []);
    const found: UserParameter[] = [];
    for (const [index, schema] of schemas.entries()) {
      if (schema === null) return null;
      found.push({ name: names[index]?.name ?? `argument${index + 1}`, ...schema, rest: false });
    }
    if (rest) found.push({ name: names[schemas.length]?.name ?? 'more', type: null, optional: true, rest: true });
    return found;
  }

  /** One element of a tuple: `z.string().min(1).optional()`; null where it may be anything. */
  #schema({ from, to }: Span): Pick<UserParameter, 'type' | 'optional'> | null {
    if (this.#word(from) !== 'z' || !this.#sign(from + 1, '.')) return null;
    let optional = false;
    let array = false;
    let at = from + 1;
    let kind = '';
    let type: string | null = null;
    while (at < to) {
      if (!this.#sign(at, '.')) return null;
      const method = this.#word(at + 1);
      if (method === '') return null;
      if (kind === '' && method !== 'coerce') {
        kind = method;
        if (MAY_BE_MISSING.has(kind)) return null;
        type = this.#typeOf(kind, at + 2);
        if (kind === 'union' && /\b(?:undefined|void|optional|default|nullish)\b/.test(this.#slice(at + 2, to)))
          return null;
      } else if (OPTIONAL.has(method)) optional = true;
      else if (method === 'array') array = true;
      else if (method === 'or' || method === 'pipe') return null;
      at += 2;
      if (this.#sign(at, '(')) at = this.#close(at) + 1;
    }
    return { type: array && type !== null ? `${type}[]` : type, optional };
  }

  #typeOf(kind: string, open: number): string | null {
    const plain = PLAIN[kind];
    if (plain !== undefined) return plain;
    if (kind === 'array' && this.#sign(open, '(')) {
      const item = this.#schema({ from: open + 1, to: this.#close(open) })?.type ?? null;
      return item === null ? 'list' : `${item}[]`;
    }
    if (kind === 'literal' || kind === 'enum') {
      const words = this.#slice(open + 1, this.#close(open)).replace(/^\s*\[|\]\s*$/g, '');
      return /^[\s\w'",.-]+$/.test(words)
        ? words
            .split(/\s*,\s*/)
            .filter(Boolean)
            .map((word) => word.trim())
            .join(' | ')
        : null;
    }
    return null;
  }

  #runParameters({ from, to }: Span): readonly UserParameter[] | null {
    let at = from;
    if (this.#word(at) === 'async') at += 1;
    if (this.#word(at) === 'function') at += this.#tokens[at + 1]?.kind === 'word' ? 2 : 1;
    at = this.#skipAngles(at);
    if (this.#sign(at, '(') && at < to) return this.#parameters(at);
    return this.#sign(at + 1, '=') && this.#tokens[at]?.kind === 'word'
      ? [{ name: this.#word(at), type: null, optional: false, rest: false }]
      : null;
  }

  /** The first parameter is the context; a rest in its place takes everything. */
  #withoutContext(all: readonly UserParameter[] | null): readonly UserParameter[] | null {
    return all === null || all[0]?.rest === true ? null : all.slice(1);
  }

  /** `(context, total: number, currency = 'EUR', ...more)` */
  #parameters(open: number): readonly UserParameter[] | null {
    if (this.#close(open) === this.#tokens.length) return null;
    const found: UserParameter[] = [];
    for (const { from, to } of this.#items(open)) {
      let at = from;
      const rest = this.#sign(at, '.') && this.#sign(at + 1, '.') && this.#sign(at + 2, '.');
      if (rest) at += 3;
      const first = this.#tokens[at];
      if (first === undefined) return null;
      const name = first.kind === 'word' ? first.text : `argument${found.length}`;
      at = first.kind === 'word' ? at + 1 : this.#close(at) + 1;
      let optional = this.#sign(at, '?');
      if (optional) at += 1;
      let type: string | null = null;
      const equals = this.#topLevel(at, to, '=');
      if (this.#sign(at, ':'))
        type = this.#slice(at + 1, equals)
          .replace(/\s+/g, ' ')
          .trim();
      if (equals < to) {
        optional = true;
        type ??= literalType(this.#slice(equals + 1, to).trim());
      }
      found.push({ name, type, optional: optional || rest, rest });
    }
    return found;
  }

  /** Members of the object that begins at `open`: their values; `...` where others are spread into it. */
  #members(open: number): Map<string, Span> {
    const members = new Map<string, Span>();
    for (const { from, to } of this.#items(open)) {
      let at = from;
      if (this.#sign(at, '.')) {
        members.set('...', { from, to });
        continue;
      }
      if (this.#word(at) === 'async' && !this.#sign(at + 1, ':') && !this.#sign(at + 1, '(')) at += 1;
      if (this.#sign(at, '*')) at += 1;
      const key = this.#tokens[at];
      if (key === undefined) continue;
      const name = key.kind === 'literal' ? this.#text.slice(key.start + 1, key.end - 1) : key.text;
      // A method's value is its parameter list; a shorthand's its name.
      members.set(name, { from: this.#sign(at + 1, ':') ? at + 2 : this.#sign(at + 1, '(') ? at + 1 : at, to });
    }
    return members;
  }

  /** What stands between the commas of the bracket that opens at `open`. */
  #items(open: number): Span[] {
    const close = this.#close(open);
    const items: Span[] = [];
    let from = open + 1;
    while (from < close) {
      const to = this.#topLevel(from, close, ',');
      if (to > from) items.push({ from, to });
      from = to + 1;
    }
    return items;
  }

  /** The index of the sign outside all brackets, or `to`. Angle brackets count where they open a list of types. */
  #topLevel(from: number, to: number, sign: string): number {
    let angles = 0;
    for (let at = from; at < to; at += 1) {
      const token = this.#tokens[at] as Token;
      if (token.kind !== 'sign') continue;
      const { text } = token;
      if (text === '=' && this.#sign(at + 1, '>') && this.#touches(at)) {
        at += 1;
        continue;
      }
      if (text === sign && angles === 0) return at;
      if ('([{'.includes(text)) at = this.#close(at);
      else if (text === '<' && this.#tokens[at - 1]?.kind === 'word') angles += 1;
      else if (text === '>' && angles > 0) angles -= 1;
    }
    return to;
  }

  #close(open: number): number {
    let depth = 0;
    for (let at = open; at < this.#tokens.length; at += 1) {
      const { kind, text } = this.#tokens[at] as Token;
      if (kind !== 'sign') continue;
      if ('([{'.includes(text)) depth += 1;
      else if (')]}'.includes(text)) {
        depth -= 1;
        if (depth === 0) return at;
      }
    }
    return this.#tokens.length;
  }

  #skipAngles(from: number): number {
    if (!this.#sign(from, '<')) return from;
    let depth = 0;
    for (let at = from; at < this.#tokens.length; at += 1) {
      if (this.#sign(at, '=') && this.#sign(at + 1, '>') && this.#touches(at)) at += 1;
      else if (this.#sign(at, '<')) depth += 1;
      else if (this.#sign(at, '>')) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    return from;
  }

  #touches(at: number): boolean {
    return this.#tokens[at]?.end === this.#tokens[at + 1]?.start;
  }

  #sign(at: number, text: string): boolean {
    const token = this.#tokens[at];
    return token?.kind === 'sign' && token.text === text;
  }

  #word(at: number): string {
    const token = this.#tokens[at];
    return token?.kind === 'word' ? token.text : '';
  }

  #chain(from: number, ...texts: readonly string[]): boolean {
    return texts.every((text, index) => this.#tokens[from + index]?.text === text);
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(this.#tokens[from]?.start ?? 0, this.#tokens[to - 1]?.end ?? 0);
  }

  /** A string that is written out. */
  #string(span: Span | undefined): string | null {
    const token = span === undefined ? undefined : this.#tokens[span.from];
    if (token?.kind !== 'literal' || span === undefined || span.to !== span.from + 1 || !'"\'`'.includes(token.text))
      return null;
    const content = this.#text.slice(token.start + 1, token.end - 1);
    return token.text === '`' && content.includes('${') ? null : content.replace(/\\(.)/gs, '$1');
  }
}

function literalType(text: string): string | null {
  if (/^(?:'[^']*'|"[^"]*"|`[^`]*`)$/.test(text)) return 'string';
  if (/^-?[\d._]+$/.test(text)) return 'number';
  return /^(?:true|false)$/.test(text) ? 'boolean' : null;
}
