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
      const { parameters, schema, ...about } = readDefinition(tokens, at + 2, provided);
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

/** Reads a definition from the token at `start`, which follows the name of the function. */
function readDefinition(
  tokens: Tokens,
  start: number,
  provided: ReadonlySet<string>,
): Pick<UserSignature, 'phase' | 'doc' | 'parameters'> & { readonly schema?: unknown } {
  // `def f[T](x: T)`
  const open = tokens.is(start, '[') ? tokens.matching(start) + 1 : start;
  const close = tokens.is(open, '(') ? tokens.matching(open) : -1;
  if (close === -1) return { phase: null, doc: null, parameters: null };
  const parameters = readParameters(tokens, open + 1, close, provided);
  const colon = endOf(tokens, close + 1, Math.min(tokens.length, close + 201), ':');
  const hasHint = tokens.is(close + 1, '->') && colon > close + 2;
  const phase = hasHint && isNothing(sliceOf(tokens, close + 2, colon)) ? 'setup' : null;
  const doc = docAt(tokens, colon + 1);
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
function readParameters(
  tokens: Tokens,
  from: number,
  close: number,
  provided: ReadonlySet<string>,
): Parameter[] | null {
  const parameters: Parameter[] = [];
  let isKeywordOnly = false;
  for (let at = from; at < close; at += 1) {
    const end = endOf(tokens, at, close, ',');
    const stars = tokens.is(at, '**') ? 2 : tokens.is(at, '*') ? 1 : 0;
    const first = stars > 0 ? at + 1 : at;
    const parameter = tokens.kind(first) === NAME ? readParameter(tokens, first, end, stars === 1) : null;
    at = end;
    if (stars === 1) isKeywordOnly = true;
    if (parameter === null || stars === 2 || provided.has(parameter.name)) continue;
    if (!isKeywordOnly || stars === 1) parameters.push(parameter);
    else if (!parameter.optional) return null;
  }
  return parameters;
}

/** `total: float = 1.0` */
function readParameter(tokens: Tokens, at: number, end: number, rest: boolean): Parameter {
  const equals = endOf(tokens, at, end, '=');
  const type = tokens.is(at + 1, ':') && at + 2 < equals ? sliceOf(tokens, at + 2, equals) : null;
  const hintedSchema = type === null ? {} : hintSchema(type);
  const schema = tokens.is(equals + 1, 'None') && equals + 2 === end ? orNothing(hintedSchema) : hintedSchema;
  return { name: tokens.word(at), type, optional: rest || equals < end, rest, schema };
}

/** The index of the sign outside of all brackets, or `to`. */
function endOf(tokens: Tokens, from: number, to: number, sign: string): number {
  for (let at = from; at < to; at += 1) {
    if (tokens.is(at, sign)) return at;
    if (tokens.bracket(at) === 1) at = Math.max(at, tokens.matching(at, to));
  }
  return to;
}

function docAt(tokens: Tokens, at: number): string | null {
  if (tokens.kind(at) !== TEXT) return null;
  const read = readString(tokens.word(at), () => undefined);
  return 'value' in read ? withoutIndentation(read.value) : null;
}

function sliceOf(tokens: Tokens, from: number, to: number): string {
  return tokens.text.slice(tokens.start(from), tokens.end(to - 1)).replace(/\s+/g, ' ');
}

/** A docstring without its indentation; null if it is empty. */
export function withoutIndentation(docstring: string): string | null {
  const [first = '', ...more] = docstring.split('\n');
  const margin = Math.min(...more.filter((line) => line.trim() !== '').map((line) => line.search(/\S/)));
  const doc = [first.trim(), ...more.map((line) => line.slice(margin).trimEnd())].join('\n').trim();
  return doc === '' ? null : doc;
}
