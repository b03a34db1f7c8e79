import { Lines } from '../../../base/lines.ts';
import { readString } from '../../../tasks/formats/python/literals.ts';
import { NAME, TEXT, type Tokens, tokensOf } from '../../../tasks/formats/python/tokens.ts';
import type { UserParameter } from '../parameters.ts';
import type { UserSignature } from '../signature.ts';
import { type HintSchema, hintSchema, isNothing, orNothing } from './hints.ts';

/** Parameters that Taskwright provides, at any position. */
const PROVIDED: ReadonlySet<string> = new Set(['state', 'page']);

/**
 * The functions that a `*.functions.py` file defines at its top level, without names that begin with an underscore.
 * Nothing is executed. Await `loadPython` before. `provided`: names of parameters that calls do not pass.
 */
export function pythonSignatures(
  text: string,
  file: string,
  provided: ReadonlySet<string> = PROVIDED,
): readonly UserSignature[] {
  const lines = new Lines(text);
  const tokens = tokensOf(text);
  const signatures = new Map<string, UserSignature>();
  let hasDecorator = false;
  for (let index = 0; index < tokens.length; index += 1) {
    if (tokens.lineColumn(index) !== 0) continue;
    if (tokens.is(index, '@')) hasDecorator = true;
    const at = tokens.is(index, 'async') ? index + 1 : index;
    if (tokens.is(at, 'def') && tokens.kind(at + 1) === NAME && !tokens.word(at + 1).startsWith('_')) {
      const name = tokens.word(at + 1);
      const range = lines.range(tokens.start(at + 1), tokens.end(at + 1));
      const { parameters, schema, ...about } = new DefinitionReader(tokens, at + 2, provided).read();
      // A decorator can change the parameters.
      const callable = hasDecorator || parameters === null ? { parameters: null } : { parameters, schema };
      // Of several definitions of a name, the last one counts.
      signatures.set(name, { name, file, range, ...about, ...callable });
    }
    if (tokens.is(at, 'def') || tokens.is(at, 'class')) hasDecorator = false;
  }
  return [...signatures.values()];
}

interface Parameter extends UserParameter {
  readonly schema: HintSchema;
}

/** Reads a definition after the name of the function. */
class DefinitionReader {
  readonly #tokens: Tokens;
  readonly #provided: ReadonlySet<string>;
  #at: number;

  constructor(tokens: Tokens, at: number, provided: ReadonlySet<string>) {
    this.#tokens = tokens;
    this.#at = at;
    this.#provided = provided;
  }

  read(): Pick<UserSignature, 'phase' | 'doc' | 'parameters'> & { readonly schema?: unknown } {
    const unknown = { phase: null, doc: null, parameters: null };
    const tokens = this.#tokens;
    // `def f[T](x: T)`
    if (tokens.is(this.#at, '[')) this.#at = tokens.matching(this.#at) + 1;
    if (!tokens.is(this.#at, '(')) return unknown;
    const close = tokens.matching(this.#at);
    if (close === -1) return unknown;
    const parameters = this.#parameters(this.#at + 1, close);
    this.#at = close + 1;
    const returnHint = this.#returnHint();
    const doc = this.#doc();
    const phase = returnHint !== null && isNothing(returnHint) ? 'setup' : null;
    if (parameters === null) return { phase, doc, parameters };
    const plain = parameters.filter(({ rest }) => !rest);
    const rest = parameters.find((one) => one.rest);
    return {
      phase,
      doc,
      parameters: parameters.map(({ schema: _, ...parameter }) => parameter),
      schema: {
        type: 'array',
        prefixItems: plain.map(({ schema }) => schema),
        minItems: plain.filter(({ optional }) => !optional).length,
        items: rest?.schema ?? false,
      },
    };
  }

  /** The parameters that a call can pass; null if there is a required one that no call can pass. */
  #parameters(from: number, close: number): Parameter[] | null {
    const parameters: Parameter[] = [];
    let isKeywordOnly = false;
    for (let at = from; at < close; at += 1) {
      const end = this.#end(at, close, ',');
      const stars = this.#tokens.is(at, '**') ? 2 : this.#tokens.is(at, '*') ? 1 : 0;
      const first = stars > 0 ? at + 1 : at;
      const parameter = this.#tokens.kind(first) === NAME ? this.#parameter(first, end, stars === 1) : null;
      at = end;
      if (stars === 1) isKeywordOnly = true;
      if (parameter === null || stars === 2 || this.#provided.has(parameter.name)) continue;
      if (!isKeywordOnly || stars === 1) parameters.push(parameter);
      else if (!parameter.optional) return null;
    }
    return parameters;
  }

  /** `total: float = 1.0` */
  #parameter(at: number, end: number, rest: boolean): Parameter {
    const tokens = this.#tokens;
    const equals = this.#end(at, end, '=');
    const type = tokens.is(at + 1, ':') && at + 2 < equals ? this.#slice(at + 2, equals) : null;
    const hintedSchema = type === null ? {} : hintSchema(type);
    const schema = tokens.is(equals + 1, 'None') && equals + 2 === end ? orNothing(hintedSchema) : hintedSchema;
    return { name: tokens.word(at), type, optional: rest || equals < end, rest, schema };
  }

  /** The index of the sign outside of all brackets, or `to`. */
  #end(from: number, to: number, sign: string): number {
    for (let at = from; at < to; at += 1) {
      if (this.#tokens.is(at, sign)) return at;
      if (this.#tokens.bracket(at) === 1) at = Math.max(at, this.#tokens.matching(at, to));
    }
    return to;
  }

  /** The hint after `->`. Advances past the colon. */
  #returnHint(): string | null {
    const colon = this.#end(this.#at, Math.min(this.#tokens.length, this.#at + 200), ':');
    const hint = this.#tokens.is(this.#at, '->') && colon > this.#at + 1 ? this.#slice(this.#at + 1, colon) : null;
    this.#at = colon + 1;
    return hint;
  }

  #doc(): string | null {
    if (this.#tokens.kind(this.#at) !== TEXT) return null;
    const read = readString(this.#tokens.word(this.#at), () => undefined);
    if (!('value' in read)) return null;
    return withoutIndentation(read.value);
  }

  #slice(from: number, to: number): string {
    return this.#tokens.text.slice(this.#tokens.start(from), this.#tokens.end(to - 1)).replace(/\s+/g, ' ');
  }
}

/** A docstring without its indentation; null if it is empty. */
export function withoutIndentation(docstring: string): string | null {
  const [first = '', ...more] = docstring.split('\n');
  const margin = Math.min(...more.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  const doc = [first.trim(), ...more.map((line) => line.slice(margin).trimEnd())].join('\n').trim();
  return doc === '' ? null : doc;
}
