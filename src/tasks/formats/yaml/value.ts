import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, type Node, type YAMLMap } from 'yaml';
import type { Json } from '../../../base/json.ts';
import type { RuleCode } from '../../rules/rules.ts';
import { UNKNOWN } from '../../unknown.ts';
import { MAX_DEPTH, type TextProblem } from '../source.ts';
import { isMerge, keyOf, spanOf } from './nodes.ts';
import { BEYOND_JSON, type YamlText } from './text.ts';

/** Number of values that the aliases of a text can stand for. Without it, a few lines could mean a billion values. */
const MAX_ALIASED = 20_000;

const ONLY_JSON = 'Only strings, numbers, true, false, null, lists, and mappings are allowed';

/** Converts the nodes of a YAML text to JSON values. */
export class YamlValues {
  readonly #text: YamlText;
  readonly #sizes = new Map<Node, number>();
  readonly #values = new Map<Node, Json>();
  readonly #converting = new Set<Node>();
  #problems: TextProblem[] = [];
  #aliased = 0;

  constructor(text: YamlText) {
    this.#text = text;
  }

  /** @param depth nesting depth of the node itself */
  read(node: Node | null, depth: number): { readonly value: Json; readonly problems: readonly TextProblem[] } {
    this.#problems = [];
    const value = this.#convert(node, depth);
    return { value, problems: this.#problems };
  }

  #convert(node: Node | null, depth: number): Json {
    if (node === null) return null;
    if (depth > MAX_DEPTH) {
      this.#say(node, 'nested-too-deeply', `This value has more than ${MAX_DEPTH} levels of nesting`);
      return UNKNOWN;
    }
    if (isAlias(node)) return this.#alias(node, depth);
    const known = this.#values.get(node);
    if (known !== undefined) return known;
    this.#converting.add(node);
    const before = this.#aliased;
    let value: Json;
    let size = 1;
    if (BEYOND_JSON.has(node.tag ?? '')) {
      this.#say(node, 'value-not-json', ONLY_JSON);
      value = UNKNOWN;
    } else if (isSeq(node)) {
      value = node.items.map((item) => {
        const child = isNode(item) ? item : null;
        const converted = this.#convert(child, depth + 1);
        size += this.#size(child);
        return converted;
      });
    } else if (isMap(node)) {
      const converted = this.#map(node, depth);
      value = converted.value;
      size += converted.size;
    } else value = isScalar(node) ? this.#scalar(node, node.value) : null;
    this.#converting.delete(node);
    this.#sizes.set(node, size);
    if (node.anchor !== undefined || before !== this.#aliased) this.#values.set(node, value);
    return value;
  }

  #size(node: Node | null): number {
    if (node === null) return 1;
    const target = this.#text.resolved(node);
    return target === null ? 1 : (this.#sizes.get(target) ?? 1);
  }

  #map(map: YAMLMap, depth: number): { value: Record<string, Json>; size: number } {
    const members = new Map<string, Json>();
    let size = 0;
    const sources = this.#text.mergedMaps(map, (value) =>
      this.#say(value, 'merge-key', '"<<" requires a mapping, or a list of mappings, by alias'),
    );
    for (const source of sources.toReversed()) {
      if (this.#converting.has(source)) {
        this.#say(map, 'alias-circle', 'This mapping merges itself');
        continue;
      }
      const merged = this.#convert(source, depth + 1);
      size += this.#size(source);
      this.#aliased += this.#size(source);
      if (this.#aliased > MAX_ALIASED) {
        this.#sayTooMany(map);
        break;
      }
      for (const [key, item] of Object.entries((merged ?? {}) as Record<string, Json>)) members.set(key, item);
    }
    const seen = new Set<string>();
    for (const pair of map.items) {
      if (isMerge(pair)) continue;
      const key = keyOf(pair);
      if (seen.has(key) && isNode(pair.key)) {
        const message = `Duplicate key “${key}”: only its last value counts`;
        this.#say(pair.key, 'duplicate-key', message, 'warning');
      }
      seen.add(key);
      if (isNode(pair.key) && !isScalar(pair.key)) this.#say(pair.key, 'key-not-text', 'A key must be a string');
      const child = isNode(pair.value) ? pair.value : null;
      members.set(key, this.#convert(child, depth + 1));
      size += this.#size(child);
    }
    return { value: Object.fromEntries(members), size };
  }

  #alias(alias: Alias, depth: number): Json {
    const target = this.#text.resolved(alias);
    if (target === null) {
      this.#say(alias, 'unknown-anchor', `Anchor &${alias.source} is not defined before this alias`);
      return UNKNOWN;
    }
    if (this.#converting.has(target)) {
      this.#say(alias, 'alias-circle', 'This alias is inside the value that it refers to');
      return UNKNOWN;
    }
    const value = this.#convert(target, depth + 1);
    this.#values.set(target, value);
    this.#aliased += this.#size(target);
    if (this.#aliased > MAX_ALIASED) {
      this.#sayTooMany(alias);
      return UNKNOWN;
    }
    return value;
  }

  #scalar(node: Node, value: unknown): Json {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined) {
      return value ?? null;
    }
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'number') {
      this.#say(node, 'number-not-finite', 'Only finite numbers are allowed');
      return UNKNOWN;
    }
    this.#say(node, 'value-not-json', ONLY_JSON);
    return UNKNOWN;
  }

  #sayTooMany(node: Node): void {
    this.#say(node, 'too-many-aliases', `The aliases stand for more than ${MAX_ALIASED} values`);
  }

  #say(node: Node, code: RuleCode, message: string, severity: 'error' | 'warning' = 'error'): void {
    this.#problems.push({ ...spanOf(node), severity, code, message });
  }
}

/** The members beside `tasks` in the mapping of a file. */
export function readMembers(
  text: YamlText,
  values: YamlValues,
): { readonly set: Record<string, Json>; readonly problems: readonly TextProblem[] } {
  const set: Record<string, Json> = {};
  const problems: TextProblem[] = [];
  for (const pair of isMap(text.root) ? text.root.items : []) {
    const name = keyOf(pair);
    if (name === 'tasks') continue;
    const found = values.read(isNode(pair.value) ? pair.value : null, 1);
    Object.defineProperty(set, name, { value: found.value, enumerable: true, configurable: true, writable: true });
    problems.push(...found.problems);
  }
  return { set, problems };
}
