import { type Alias, isAlias, isMap, isNode, isScalar, isSeq, type Node, type Scalar, type YAMLMap } from 'yaml';
import type { Json } from '../../../base/json.ts';
import { exactNumber } from '../../../base/raw-number.ts';
import type { RuleCode } from '../../rules/rules.ts';
import { UNKNOWN } from '../../unknown.ts';
import { MAX_DEPTH, type TextProblem } from '../source.ts';
import { isMerge, keyOf, nodeOrNull, spanOf } from './nodes.ts';
import { BEYOND_JSON, type YamlText } from './text.ts';

/** Number of values that the aliases of a text can stand for. Without it, a few lines could mean a billion values. */
const MAX_ALIAS_SIZE = 20_000;

const ONLY_JSON = 'Only strings, numbers, true, false, null, lists, and mappings are allowed';

/** Converts the nodes of a YAML text to JSON values. */
export class YamlValues {
  readonly #text: YamlText;
  readonly #sizes = new Map<Node, number>();
  readonly #values = new Map<Node, Json>();
  readonly #converting = new Set<Node>();
  #problems: TextProblem[] = [];
  #aliasSize = 0;

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
      this.#report(node, 'nested-too-deeply', `This value has more than ${MAX_DEPTH} levels of nesting`);
      return UNKNOWN;
    }
    if (isAlias(node)) return this.#alias(node, depth);
    const cachedValue = this.#values.get(node);
    if (cachedValue !== undefined) return cachedValue;
    this.#converting.add(node);
    const before = this.#aliasSize;
    let value: Json;
    let size = 1;
    if (BEYOND_JSON.has(node.tag ?? '')) {
      this.#report(node, 'value-not-json', ONLY_JSON);
      value = UNKNOWN;
    } else if (isSeq(node)) {
      value = node.items.map((item) => {
        const child = nodeOrNull(item);
        const itemValue = this.#convert(child, depth + 1);
        size += this.#size(child);
        return itemValue;
      });
    } else if (isMap(node)) {
      const map = this.#map(node, depth);
      value = map.value;
      size += map.size;
    } else value = isScalar(node) ? this.#scalar(node) : null;
    this.#converting.delete(node);
    this.#sizes.set(node, size);
    if (node.anchor !== undefined || before !== this.#aliasSize) this.#values.set(node, value);
    return value;
  }

  #size(node: Node | null): number {
    if (node === null) return 1;
    const target = this.#text.resolve(node);
    return target === null ? 1 : (this.#sizes.get(target) ?? 1);
  }

  #map(map: YAMLMap, depth: number): { value: Record<string, Json>; size: number } {
    const members = new Map<string, Json>();
    let size = 0;
    const sources = this.#text.mergedMaps(map, (value) =>
      this.#report(value, 'merge-key', '"<<" requires a mapping, or a list of mappings, by alias'),
    );
    for (const source of sources.toReversed()) {
      if (this.#converting.has(source)) {
        this.#report(map, 'alias-circle', 'This mapping merges itself');
        continue;
      }
      const mergedMembers = this.#convert(source, depth + 1);
      size += this.#size(source);
      this.#aliasSize += this.#size(source);
      if (this.#aliasSize > MAX_ALIAS_SIZE) {
        this.#reportTooMany(map);
        break;
      }
      for (const [key, item] of Object.entries((mergedMembers ?? {}) as Record<string, Json>)) members.set(key, item);
    }
    const keys = new Set<string>();
    for (const pair of map.items) {
      if (isMerge(pair)) continue;
      const key = keyOf(pair);
      if (keys.has(key) && isNode(pair.key)) {
        const message = `Duplicate key “${key}”: only its last value counts`;
        this.#report(pair.key, 'duplicate-key', message, 'warning');
      }
      keys.add(key);
      if (isNode(pair.key) && !isScalar(pair.key)) this.#report(pair.key, 'key-not-text', 'A key must be a string');
      const child = nodeOrNull(pair.value);
      members.set(key, this.#convert(child, depth + 1));
      size += this.#size(child);
    }
    return { value: Object.fromEntries(members), size };
  }

  #alias(alias: Alias, depth: number): Json {
    const target = this.#text.resolve(alias);
    if (target === null) {
      this.#report(alias, 'unknown-anchor', `Anchor &${alias.source} is not defined before this alias`);
      return UNKNOWN;
    }
    if (this.#converting.has(target)) {
      this.#report(alias, 'alias-circle', 'This alias is inside the value that it refers to');
      return UNKNOWN;
    }
    const value = this.#convert(target, depth + 1);
    this.#values.set(target, value);
    this.#aliasSize += this.#size(target);
    if (this.#aliasSize > MAX_ALIAS_SIZE) {
      this.#reportTooMany(alias);
      return UNKNOWN;
    }
    return value;
  }

  #scalar(node: Scalar): Json {
    const { value } = node;
    if (value === null || value === undefined) return null;
    if (typeof value === 'string' || typeof value === 'boolean') return value;
    if (typeof value === 'number' && Number.isFinite(value)) return exactNumber(node.source ?? '', value);
    if (typeof value === 'number') this.#report(node, 'number-not-finite', 'Only finite numbers are allowed');
    else this.#report(node, 'value-not-json', ONLY_JSON);
    return UNKNOWN;
  }

  #reportTooMany(node: Node): void {
    this.#report(node, 'too-many-aliases', `The aliases stand for more than ${MAX_ALIAS_SIZE} values`);
  }

  #report(node: Node, code: RuleCode, message: string, severity: 'error' | 'warning' = 'error'): void {
    this.#problems.push({ ...spanOf(node), severity, code, message });
  }
}

/** The members beside `tasks` in the mapping of a file. */
export function readMembers(
  text: YamlText,
  values: YamlValues,
): { readonly set: Record<string, Json>; readonly problems: readonly TextProblem[] } {
  const members = (isMap(text.root) ? text.root.items : [])
    .filter((pair) => keyOf(pair) !== 'tasks')
    .map((pair) => [keyOf(pair), values.read(nodeOrNull(pair.value), 1)] as const);
  return {
    set: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    problems: members.flatMap(([, { problems }]) => problems),
  };
}
