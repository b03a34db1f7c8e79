import {
  type Alias,
  Composer,
  type CST,
  isAlias,
  isMap,
  isNode,
  isPair,
  isSeq,
  Lexer,
  type Node,
  Parser,
  type ScalarTag,
  type YAMLMap,
} from 'yaml';
import type { Part, Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import { runToEnd, type Work } from '../../../base/slices.ts';
import type { RuleCode } from '../../rules/rules.ts';
import { MAX_DEPTH, type TextProblem } from '../source.ts';
import { isMerge, keyOf, nodeOrNull, spanOf } from './nodes.ts';

/**
 * Limit for parsing in one piece, in lines and indicators such as commas and brackets: 200 ms in total, with at most 50
 * ms between two pauses, which is enough for about 500 ordinary tasks. Block lists are parsed item by item, so there
 * the limit applies to one task.
 */
const MAX_WEIGHT = 20_000;
/** Quoted text is parsed character by character: this many on one line take as long as an indicator. */
const CHARACTERS_OF_A_SIGN = 200;
/** Number of lexemes between two pauses. */
const SLICE = 4000;

/** `!!float 1`: the core schema resolves the tag only if the text alone is a float. */
const FLOAT: ScalarTag = {
  tag: 'tag:yaml.org,2002:float',
  resolve: (source, onError) => {
    if (/^(?:[-+]?\.inf|\.nan)$/i.test(source)) return Number.NaN;
    if (/^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/.test(source)) return Number(source);
    onError(`“${source}” is not a float`);
    return null;
  },
};

const NO_TABS = 'YAML does not allow tabs for indentation. Use spaces';
const OF_YAML = 'tag:yaml.org,2002:';
const CORE = new Set(['str', 'int', 'float', 'bool', 'null', 'map', 'seq', 'binary', 'timestamp']);

/** Collections without a JSON equivalent: lists of pairs, and mappings without values. */
export const BEYOND_JSON = new Set(['omap', 'pairs', 'set'].map((name) => OF_YAML + name));

/** The parsed text of one YAML document. All offsets are relative to its beginning. */
export class YamlText {
  readonly text: string;
  readonly root: Node | null;
  /** Errors that the parser reports. */
  readonly syntax: readonly TextProblem[];
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node>();
  #collected = false;

  private constructor(text: string, root: Node | null, syntax: readonly TextProblem[]) {
    this.text = text;
    this.root = root;
    this.syntax = syntax;
  }

  static of(text: string): YamlText {
    return runToEnd(YamlText.parse(text));
  }

  /** Whether it has errors that leave its values in doubt. */
  get isBroken(): boolean {
    return this.syntax.some(({ severity, code }) => severity === 'error' && code !== 'unknown-tag');
  }

  /** @param keepTokens keep the tokens and comments of nodes, for editing */
  static *parse(text: string, keepTokens = false): Work<YamlText> {
    const excess = findExcess(text);
    if (excess !== null) return new YamlText(text, null, [excess]);
    const parser = new Parser();
    const tokens: CST.Token[] = [];
    let lexemes = 0;
    for (const lexeme of new Lexer().lex(text)) {
      for (const token of parser.next(lexeme)) tokens.push(token);
      lexemes += 1;
      if (lexemes % SLICE === 0) yield;
    }
    tokens.push(...parser.end());
    if (isDeep(tokens)) return new YamlText(text, null, [nestingProblem()]);
    yield;
    const composer = new Composer({
      version: '1.2',
      customTags: (tags) => [...tags, FLOAT],
      merge: true,
      uniqueKeys: false,
      logLevel: 'error',
      keepSourceTokens: keepTokens,
    });
    const [document, second] = composer.compose(tokens, true, text.length);
    if (document === undefined) return new YamlText(text, null, []);
    const syntax = document.errors.map(({ pos, code, message }) =>
      problem(pos[0], pos[1], 'syntax', code === 'TAB_AS_INDENT' ? NO_TABS : `Invalid YAML: ${message}`),
    );
    if (second !== undefined) {
      const message = 'A task file can contain only one YAML document. Write the tasks as one list';
      syntax.push(problem(second.range[0], second.range[1], 'second-document', message));
    }
    for (const { pos, code, message } of document.warnings) {
      const tag = /^(?:Unresolved tag: )?(\S+)/.exec(message)?.[1] ?? '';
      if (code === 'TAG_RESOLVE_FAILED' || (code === 'BAD_COLLECTION_TYPE' && !BEYOND_JSON.has(tag))) {
        syntax.push(problem(pos[0], pos[1], 'unknown-tag', tagSentence(tag)));
      } else if (code !== 'BAD_COLLECTION_TYPE') {
        syntax.push({ ...problem(pos[0], pos[1], 'syntax', message), severity: 'warning' });
      }
    }
    return new YamlText(text, document.contents, syntax);
  }

  /** The value at a path, or its key; null for an empty value. */
  find(path: Path, part: Part, from: Node | null = this.root): Node | null | undefined {
    let node: Node | null = from;
    let key: Node | null = null;
    for (const step of path) {
      const holder: Node | null = node === null ? null : this.resolve(node);
      if (isSeq(holder) && typeof step === 'number') {
        const item: unknown = holder.items[step];
        if (!isNode(item)) return undefined;
        node = item;
        key = null;
      } else if (isMap(holder)) {
        const member = this.#member(holder, String(step), new Set());
        if (member === null) return undefined;
        ({ node, key } = member);
      } else return undefined;
    }
    return part === 'key' ? (key ?? node) : (node ?? key);
  }

  locate(path: Path, part: Part): Span | undefined {
    const node = this.find(path, part);
    return node === null || node === undefined ? undefined : spanOf(node);
  }

  /** The target of an alias; null if no such anchor precedes it. */
  resolve(node: Node): Node | null {
    if (!isAlias(node)) return node;
    if (!this.#collected) this.#collect();
    return this.#targets.get(node) ?? null;
  }

  /** The mappings that `<<` merges, highest precedence first; `onOther` gets the values that are not mappings. */
  mergedMaps(map: YAMLMap, onOther?: (value: Node) => void): YAMLMap[] {
    const maps: YAMLMap[] = [];
    for (const pair of map.items) {
      if (!isMerge(pair) || !isNode(pair.value)) continue;
      const source = this.resolve(pair.value);
      const list: readonly unknown[] = isSeq(source) ? source.items : [source];
      for (const item of list) {
        const target = isNode(item) ? this.resolve(item) : null;
        if (isMap(target) && target !== map) maps.push(target);
        else onOther?.(pair.value);
      }
    }
    return maps;
  }

  /** The effective member: the last one of its name, else a merged one. */
  #member(map: YAMLMap, name: string, visitedMaps: Set<YAMLMap>): { node: Node | null; key: Node | null } | null {
    const own = map.items.findLast((pair) => !isMerge(pair) && keyOf(pair) === name);
    if (own !== undefined) return { node: nodeOrNull(own.value), key: nodeOrNull(own.key) };
    visitedMaps.add(map);
    for (const source of this.mergedMaps(map)) {
      if (visitedMaps.has(source)) continue;
      const member = this.#member(source, name, visitedMaps);
      if (member !== null) return member;
    }
    return null;
  }

  /** An alias refers to the last anchor of its name before it. */
  #collect(): void {
    this.#collected = true;
    const open: unknown[] = [this.root];
    while (open.length > 0) {
      const next = open.pop();
      if (isPair(next)) {
        open.push(next.value, next.key);
        continue;
      }
      if (!isNode(next)) continue;
      if (isAlias(next)) {
        const target = this.#anchors.get(next.source);
        if (target !== undefined) this.#targets.set(next, target);
        continue;
      }
      if (next.anchor !== undefined) this.#anchors.set(next.anchor, next);
      if (isMap(next) || isSeq(next)) open.push(...next.items.toReversed());
    }
  }
}

function problem(start: number, end: number, code: RuleCode, message: string): TextProblem {
  return { start, end: Math.max(start, end), severity: 'error', code, message };
}

function tagSentence(tag: string): string {
  const name = tag.startsWith(OF_YAML) ? tag.slice(OF_YAML.length) : '';
  if (CORE.has(name)) return `This value does not match its tag !!${name}. Use plain values`;
  return `Unknown tag: ${tag}. Use plain values`;
}

function nestingProblem(): TextProblem {
  return problem(0, 0, 'nested-too-deeply', `This value has more than ${MAX_DEPTH} levels of nesting`);
}

/** Reports a text that would take too long to parse. */
function findExcess(text: string): TextProblem | null {
  let weight = 0;
  let flow = 0;
  let deepest = 0;
  let block = -1;
  for (let at = 0; at < text.length && weight <= MAX_WEIGHT; ) {
    const newline = text.indexOf('\n', at);
    const next = newline === -1 ? text.length : newline + 1;
    let first = at;
    while (text.charCodeAt(first) === 32) first += 1;
    const isBlank = first >= next - 1 && (newline !== -1 || first >= text.length);
    // A block scalar is taken as it is.
    if (block !== -1 && !isBlank && first - at <= block) block = -1;
    if (block === -1 && !isBlank) {
      weight += 1 + Math.floor((next - first) / CHARACTERS_OF_A_SIGN);
      for (let sign = first; sign < next; sign += 1) {
        const code = text.charCodeAt(sign);
        if (code === 91 || code === 123) {
          flow += 1;
          if (flow > deepest) deepest = flow;
        } else if (code === 93 || code === 125) flow = Math.max(0, flow - 1);
        else if (code !== 44 && code !== 45 && code !== 58 && code !== 63) continue;
        weight += 1;
      }
      if (
        /(?:^|[\s:-])[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?$/.test(
          text.slice(Math.max(at, next - 200), newline === -1 ? next : newline),
        )
      ) {
        block = first - at;
      }
    }
    at = next;
  }
  if (weight <= MAX_WEIGHT) return null;
  if (deepest > MAX_DEPTH || /^(?:[ ]*(?:[-?] ){200})/m.test(text.slice(0, 1_000_000))) return nestingProblem();
  return problem(
    0,
    0,
    'yaml-too-large',
    'This YAML text is too large to parse in one piece. Write the tasks as a block list (each begins with "- " on a line of its own) without shared anchors, or as JSON lines',
  );
}

function isDeep(tokens: readonly CST.Token[]): boolean {
  const open: [unknown, number][] = tokens.map((token) => [token, 0]);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [token, depth] = next;
    if (depth > MAX_DEPTH + 1) return true;
    if (typeof token !== 'object' || token === null) continue;
    if ('value' in token) open.push([token.value, depth]);
    if (!('items' in token) || !Array.isArray(token.items)) continue;
    for (const item of token.items as readonly CST.CollectionItem[]) {
      open.push([item.key, depth + 1], [item.value, depth + 1]);
    }
  }
  return false;
}
