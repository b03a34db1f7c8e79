import { loadPython } from '../../tasks/formats/python/grammar.ts';
import { Lines } from '../../tasks/lines.ts';
import { isFunctionsFileName, isPython } from './files.ts';
import { readDeclaration } from './parameters.ts';
import { pythonSignatures } from './python/signatures.ts';
import type { UserSignature } from './signature.ts';
import { type Token, tokens } from './tokens.ts';

export type { UserParameter } from './parameters.ts';
export type { UserSignature } from './signature.ts';

/** The functions that a `*.functions.ts|js|mjs|py` file exports. Nothing is executed. */
export async function readSignatures(text: string, file: string): Promise<readonly UserSignature[]> {
  if (!isFunctionsFileName(file) || !isPython(file)) return userSignatures(text, file);
  await loadPython();
  return pythonSignatures(text, file);
}

/** Adds the functions of one more file of a folder to those of the others, by their names. */
export function addSignatures(names: Map<string, UserSignature>, found: Iterable<UserSignature>): void {
  for (const one of found) {
    const other = names.get(one.name);
    names.set(one.name, other === undefined ? one : { ...one, other: other.file });
  }
}

/**
 * The functions that a file of TypeScript or JavaScript exports. Constants whose value is plainly no function, types,
 * classes, the default export and `export *` are left out; comments, strings, templates and patterns are not looked into.
 */
export function userSignatures(text: string, file: string): readonly UserSignature[] {
  if (!isFunctionsFileName(file)) return [];
  const lines = new Lines(text);
  const all = tokens(text);
  const names = exportedNames(all);
  const first = names.filter((token, index) => names.findIndex((other) => other.text === token.text) === index);
  return first.map((token) => {
    const { text: name, start, end } = token;
    const place = declarationOf(token, all);
    const declared = place === -1 ? null : readDeclaration(text, all, place + 1);
    const overloaded = names.some((other) => other !== token && other.text === name);
    return {
      name,
      file,
      range: lines.range(start, end),
      phase: declared?.phase ?? null,
      doc: declared?.doc ?? (place === -1 ? null : commentBefore(text, all, place)),
      parameters: overloaded ? null : (declared?.parameters ?? null),
    };
  });
}

/** The index of the name where it is declared: here, or elsewhere in the file for `export { name }`; -1 where it is not. */
function declarationOf(name: Token, all: readonly Token[]): number {
  const here = all.indexOf(name);
  const before = all[here - 1]?.text ?? '';
  if (!['{', ',', 'as'].includes(before)) return here;
  // `const a = 1, b = …` declares behind a comma too.
  if (before === ',' && all[here + 1] !== undefined && !['}', ',', 'as'].includes(all[here + 1]?.text ?? ''))
    return here;
  const local = before === 'as' ? all[here - 2]?.text : name.text;
  const close = all.findIndex(({ text }, index) => index > here && text === '}');
  if (all[close + 1]?.text === 'from') return -1;
  return all.findIndex(
    ({ text, kind }, index) =>
      kind === 'word' && text === local && DECLARING.has(all[index - 1]?.text ?? '') && all[index - 2]?.text !== '.',
  );
}

const DECLARING = new Set(['function', '*', 'const', 'let', 'var']);

/** What the comment right before a declaration says, up to its first tag. */
export function commentBefore(text: string, all: readonly Token[], name: number): string | null {
  let first = name;
  while (first > 0 && BEFORE_NAME.has(all[first - 1]?.text ?? '')) first -= 1;
  const end = all[first]?.start ?? 0;
  const comment = /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*$/.exec(text.slice(Math.max(0, end - 5_000), end))?.[1];
  const said = comment
    ?.replace(/^[ \t]*\* ?/gm, '')
    .replace(/(?:^|\n)\s*@[a-z][\s\S]*$/i, '')
    .trim();
  return said === undefined || said === '' ? null : said;
}

const BEFORE_NAME = new Set([
  'export',
  'default',
  'abstract',
  'class',
  'async',
  'function',
  '*',
  'const',
  'let',
  'var',
]);

function exportedNames(all: readonly Token[]): Token[] {
  const names: Token[] = [];
  const at = (index: number): string => all[index]?.text ?? '';
  let depth = 0;
  for (let index = 0; index < all.length; index++) {
    const token = all[index] as Token;
    if (token.kind === 'sign') depth += opens(token.text);
    if (depth !== 0 || token.kind !== 'word' || token.text !== 'export' || at(index - 1) === '.') continue;
    let next = index + 1;
    if (at(next) === 'async') next++;
    if (at(next) === 'function') {
      next += at(next + 1) === '*' ? 2 : 1;
      const name = all[next];
      if (name?.kind === 'word') names.push(name);
    } else if (['const', 'let', 'var'].includes(at(next))) names.push(...declared(all, next + 1));
    else if (at(next) === '{') names.push(...listed(all, next + 1));
  }
  // Overloads of a function stand several times.
  return names;
}

/** `a = …, b: Type = …;` */
function declared(all: readonly Token[], from: number): Token[] {
  const names: Token[] = [];
  let index = from;
  for (;;) {
    const name = all[index];
    if (name?.kind !== 'word') return names;
    let depth = 0;
    let value: Token | undefined;
    for (index++; index < all.length; index++) {
      const token = all[index] as Token;
      const arrow = token.text === '=' && all[index + 1]?.text === '>' && all[index + 1]?.start === token.end;
      if (arrow) {
        index++;
        continue;
      }
      const inType = value === undefined && token.kind === 'sign';
      const change = opens(token.text) + (inType ? (token.text === '<' ? 1 : token.text === '>' ? -1 : 0) : 0);
      if (depth === 0 && value === undefined && token.text === '=') value = all[index + 1];
      if (depth === 0 && (token.text === ',' || token.text === ';' || change < 0)) break;
      if (depth === 0 && value !== undefined && token.kind === 'word' && token.lineStart && STATEMENT.has(token.text))
        break;
      depth += change;
    }
    if (value !== undefined && !plainlyNoFunction(value)) names.push(name);
    if (all[index]?.text !== ',') return names;
    index++;
  }
}

/** `a, b as c, type D }` with or without `from`. */
function listed(all: readonly Token[], from: number): Token[] {
  const names: Token[] = [];
  let entry: Token[] = [];
  for (let index = from; index < all.length; index++) {
    const token = all[index] as Token;
    if (token.text !== ',' && token.text !== '}') {
      entry.push(token);
      continue;
    }
    const last = entry.at(-1);
    const isType = entry[0]?.text === 'type' && entry.length > 1 && entry[1]?.text !== 'as';
    if (last && last.kind === 'word' && last.text !== 'default' && !isType) names.push(last);
    entry = [];
    if (token.text === '}') break;
  }
  return names;
}

const STATEMENT = new Set([
  'export',
  'import',
  'const',
  'let',
  'var',
  'function',
  'class',
  'async',
  'type',
  'interface',
]);

function plainlyNoFunction(value: Token): boolean {
  return (
    value.kind === 'literal' || ['[', '{', 'new', 'true', 'false', 'null', 'undefined', 'class'].includes(value.text)
  );
}

function opens(sign: string): number {
  if (sign.length !== 1) return 0;
  return '([{'.includes(sign) ? 1 : ')]}'.includes(sign) ? -1 : 0;
}
