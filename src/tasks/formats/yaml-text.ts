import type { Alias, Node, Pair, YAMLMap, YAMLSeq } from 'yaml';
import { isAlias, isMap, isNode, isPair, isScalar, isSeq, parseDocument } from 'yaml';
import type { Change } from '../change.ts';
import type { RowCursor } from '../cursor.ts';
import type { Part, Path } from '../path.ts';
import type { Json } from '../task.ts';
import type { FileSource, OffsetEdit, RowContent, RowSource, TextProblem } from './source.ts';
import { MAX_DEPTH, uneditable } from './source.ts';
import { yamlWriter } from './yaml-writer.ts';

/** Values that aliases may stand for in one file, so that a few lines cannot mean a billion values. */
const MAX_ALIASED = 100_000;

interface Located {
  readonly node: Node | null;
  readonly key: Node | null;
}

/** One YAML document and where it stands in the file. */
export class YamlText {
  readonly syntax: TextProblem[] = [];
  readonly #text: string;
  readonly #shift: number;
  readonly #root: Node | null = null;
  readonly #anchors = new Map<string, Node>();
  readonly #targets = new Map<Alias, Node>();
  readonly #sizes = new Map<Node, number>();
  readonly #values = new Map<Node, Json>();
  readonly #converting = new Set<Node>();
  readonly #problems: TextProblem[] = [];
  #aliased = 0;

  constructor(text: string, shift: number) {
    this.#text = text;
    this.#shift = shift;
    if (indentTooDeep(text)) {
      const message = `This file is nested more than ${MAX_DEPTH} levels deep`;
      this.syntax.push({ start: shift, end: shift, severity: 'error', code: 'nested-too-deeply', message });
      return;
    }
    const document = parseDocument(text, {
      version: '1.2',
      merge: true,
      uniqueKeys: false,
      prettyErrors: false,
      logLevel: 'error',
      stringKeys: false,
    });
    this.#root = document.contents as Node | null;
    for (const { pos, code, message } of document.errors) {
      this.syntax.push(
        this.#problem(
          pos[0],
          pos[1],
          'error',
          code === 'MULTIPLE_DOCS' ? 'second-document' : 'syntax',
          yamlSentence(code, message),
        ),
      );
    }
    for (const { pos, code, message } of document.warnings) {
      const tag = code === 'TAG_RESOLVE_FAILED';
      this.syntax.push(
        this.#problem(
          pos[0],
          pos[1],
          tag ? 'error' : 'warning',
          tag ? 'unknown-tag' : 'syntax',
          tag ? `This tag is not known: ${message.replace(/^Unresolved tag: /, '')}. Use plain values` : message,
        ),
      );
    }
  }

  file(): FileSource {
    const root = this.#root;
    if (root === null || (isScalar(root) && root.value === null && this.#text.trim() === '')) {
      if (this.syntax.length > 0) return { set: null, rows: [], problems: this.syntax, ...uneditable };
      const message = 'This file is empty: a task, a list of tasks or "tasks:" with a list is expected';
      const problem = this.#problem(0, 0, 'error', 'empty-file', message);
      return { set: null, rows: [], problems: [problem], ...uneditable };
    }
    let set: Record<string, Json> | null = null;
    let rows: YamlRow[];
    const outside: TextProblem[] = [];
    const tasks = isMap(root) ? this.#member(root, 'tasks')?.node : undefined;
    if (isSeq(root)) rows = this.#items(root);
    else if (isMap(root) && tasks !== undefined && tasks !== null && isSeq(this.#resolved(tasks))) {
      set = {};
      for (const pair of root.items) {
        const name = keyOf(pair);
        if (name === 'tasks') continue;
        const found = this.value(isNode(pair.value) ? pair.value : null, 1);
        set[name] = found.value;
        outside.push(...found.problems);
      }
      rows = this.#items(this.#resolved(tasks) as YAMLSeq);
    } else rows = [new YamlRow(this, root, this.#range(root), [])];

    // What the parser says of a place inside a row belongs to that row alone.
    const problems: TextProblem[] = [...outside];
    for (const problem of this.syntax) {
      const row = rows.find(({ start, end }) => problem.start >= start && problem.start <= end) ?? null;
      if (row === null) problems.push(problem);
      else row.syntax.push(problem);
    }
    return { set, rows, problems, ...uneditable };
  }

  only(): YamlRow | null {
    return isSeq(this.#root) && this.#root.items.length === 1
      ? (this.#items(this.#root).map((row) => {
          row.syntax.push(...this.syntax);
          return row;
        })[0] ?? null)
      : null;
  }

  get aliases(): boolean {
    return /(^|[\s[{,])[&*][^\s]/m.test(this.#text);
  }

  value(node: Node | null, depth: number): { value: Json; problems: readonly TextProblem[] } {
    this.#problems.length = 0;
    const value = this.#convert(node, depth);
    return { value, problems: [...this.#problems] };
  }

  locate(from: Node | null, path: Path, part: Part): { start: number; end: number } | undefined {
    let found: Located | null = { node: from, key: null };
    for (const step of path) {
      const holder: Node | null = found.node === null ? null : this.#resolved(found.node);
      if (isSeq(holder) && typeof step === 'number') {
        const item: unknown = holder.items[step];
        found = isNode(item) ? { node: item, key: null } : null;
      } else if (isMap(holder)) {
        found = this.#member(holder, String(step));
      } else found = null;
      if (found === null) return undefined;
    }
    const node = part === 'key' ? (found.key ?? found.node) : (found.node ?? found.key);
    return node === null ? undefined : this.#range(node);
  }

  #problem(start: number, end: number, severity: 'error' | 'warning', code: string, message: string): TextProblem {
    return { start: start + this.#shift, end: Math.max(start, end) + this.#shift, severity, code, message };
  }

  #items(seq: YAMLSeq): YamlRow[] {
    return seq.items.map((item) => {
      const node = isNode(item) ? item : null;
      return new YamlRow(this, node, node === null ? this.#range(seq) : this.#range(node), []);
    });
  }

  #range(node: Node): { start: number; end: number } {
    const start = node.range?.[0] ?? 0;
    return { start: start + this.#shift, end: Math.max(start, endOf(node)) + this.#shift };
  }

  #resolved(node: Node): Node | null {
    return isAlias(node) ? (this.#targets.get(node) ?? this.#findTarget(node)) : node;
  }

  /** An alias that was not read yet: the rows before it may not have been. */
  #findTarget(alias: Alias): Node | null {
    if (this.#anchors.size === 0) this.#collect(this.#root);
    return this.#targets.get(alias) ?? null;
  }

  #collect(root: Node | null): void {
    const open: unknown[] = [root];
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

  /** The member that counts: the last of its name, else what a merge key brings in. */
  #member(map: YAMLMap, name: string): Located | null {
    const own = map.items.findLast((pair) => !isMerge(pair) && keyOf(pair) === name);
    if (own !== undefined) return { node: isNode(own.value) ? own.value : null, key: isNode(own.key) ? own.key : null };
    for (const source of this.#mergedMaps(map)) {
      if (this.#converting.has(source)) continue;
      const found = this.#member(source, name);
      if (found !== null) return found;
    }
    return null;
  }

  /** The mappings that `<<` brings into a mapping, those that win first. */
  #mergedMaps(map: YAMLMap): YAMLMap[] {
    const found: YAMLMap[] = [];
    for (const pair of map.items) {
      if (!isMerge(pair) || !isNode(pair.value)) continue;
      const source = this.#resolved(pair.value);
      const list: readonly unknown[] = isSeq(source) ? source.items : [source];
      for (const item of list) {
        const merged = isNode(item) ? this.#resolved(item) : null;
        if (isMap(merged) && merged !== map) found.push(merged);
        else {
          const [start, end] = pair.value.range ?? [0, 0];
          const message = '"<<" takes a mapping, or a list of mappings, by alias';
          this.#problems.push(this.#problem(start, end, 'error', 'merge-key', message));
        }
      }
    }
    return found;
  }

  #convert(node: Node | null, depth: number): Json {
    if (node === null) return null;
    if (depth > MAX_DEPTH) {
      this.#say(node, 'nested-too-deeply', `This is nested more than ${MAX_DEPTH} levels deep`);
      return null;
    }
    if (isAlias(node)) return this.#alias(node, depth);
    const known = this.#values.get(node);
    if (known !== undefined) return known;
    this.#converting.add(node);
    const before = this.#aliased;
    let value: Json;
    let size = 1;
    if (isSeq(node)) {
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
    const target = isAlias(node) ? this.#resolved(node) : node;
    return target === null ? 1 : (this.#sizes.get(target) ?? 1);
  }

  #map(map: YAMLMap, depth: number): { value: Record<string, Json>; size: number } {
    const members = new Map<string, Json>();
    let size = 0;
    for (const source of this.#mergedMaps(map).toReversed()) {
      if (this.#converting.has(source)) {
        this.#say(map, 'alias-circle', 'This mapping merges itself');
        continue;
      }
      const merged = this.#convert(source, depth + 1);
      size += this.#size(source);
      this.#aliased += this.#size(source);
      if (this.#aliased > MAX_ALIASED) {
        this.#say(map, 'too-many-aliases', `The aliases of this file stand for more than ${MAX_ALIASED} values`);
        break;
      }
      for (const [key, item] of Object.entries(merged as Record<string, Json>)) members.set(key, item);
    }
    const seen = new Set<string>();
    for (const pair of map.items) {
      if (isMerge(pair)) continue;
      const key = keyOf(pair);
      if (seen.has(key) && isNode(pair.key)) {
        this.#say(
          pair.key,
          'duplicate-key',
          `The key “${key}” stands here more than once; only its last value counts`,
          'warning',
        );
      }
      seen.add(key);
      const child = isNode(pair.value) ? pair.value : null;
      members.set(key, this.#convert(child, depth + 1));
      size += this.#size(child);
    }
    return { value: Object.fromEntries(members), size };
  }

  #alias(alias: Alias, depth: number): Json {
    const target = this.#resolved(alias);
    if (target === null) {
      this.#say(alias, 'unknown-anchor', `There is no anchor &${alias.source} before this place`);
      return null;
    }
    if (this.#converting.has(target)) {
      this.#say(alias, 'alias-circle', 'This alias stands inside what it repeats');
      return null;
    }
    const value = this.#convert(target, depth + 1);
    this.#values.set(target, value);
    this.#aliased += this.#size(target);
    if (this.#aliased > MAX_ALIASED) {
      this.#say(alias, 'too-many-aliases', `The aliases of this file stand for more than ${MAX_ALIASED} values`);
      return null;
    }
    return value;
  }

  #scalar(node: Node, value: unknown): Json {
    if (typeof value === 'string' || typeof value === 'boolean' || value === null || value === undefined) {
      return value ?? null;
    }
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    if (typeof value === 'number') {
      this.#say(node, 'number-not-finite', 'Only finite numbers can be used');
      return null;
    }
    this.#say(node, 'value-not-json', 'Only texts, numbers, true, false, null, lists and mappings can be used');
    return null;
  }

  #say(node: Node, code: string, message: string, severity: 'error' | 'warning' = 'error'): void {
    const { start, end } = this.#range(node);
    this.#problems.push({ start, end, severity, code, message });
  }
}

export class YamlRow implements RowSource {
  readonly start: number;
  readonly end: number;
  /** What the parser said of this row. */
  readonly syntax: TextProblem[];
  readonly #text: YamlText;
  readonly #node: Node | null;

  constructor(text: YamlText, node: Node | null, range: { start: number; end: number }, syntax: TextProblem[]) {
    this.#text = text;
    this.#node = node;
    this.start = range.start;
    this.end = range.end;
    this.syntax = syntax;
  }

  read(): RowContent {
    const { value, problems } = this.#text.value(this.#node, 1);
    const readable = this.syntax.every(({ severity, code }) => severity !== 'error' || code === 'unknown-tag');
    return { value, readable, problems: [...this.syntax, ...problems] };
  }

  locate(path: Path, part: Part): { start: number; end: number } | undefined {
    return this.#text.locate(this.#node, path, part);
  }

  edit(changes: readonly Change[]): readonly OffsetEdit[] | null {
    const [change, ...more] = changes;
    if (change === undefined || !('set' in change) || more.length > 0) return null;
    const place = this.locate(change.set, 'value');
    return place === undefined ? null : [{ ...place, text: yamlWriter.value(change.value) }];
  }

  cursor(offset: number): RowCursor {
    const { value } = this.#text.value(this.#node, 1);
    return {
      at: 'value',
      path: [],
      start: offset,
      end: offset,
      before: '',
      quoted: false,
      followed: false,
      task: value,
    };
  }
}

/** Where a node ends: a block collection at the end of its last value, without the lines that follow it. */
function endOf(node: Node): number {
  const end = node.range?.[1] ?? 0;
  if (!(isMap(node) || isSeq(node)) || node.flow === true) return end;
  let last: unknown = node;
  while ((isMap(last) || isSeq(last)) && last.flow !== true) {
    const item: unknown = last.items.at(-1);
    if (isPair(item)) {
      const [start, valueEnd] = isNode(item.value) ? (item.value.range ?? [0, 0]) : [0, 0];
      // A value that is not written stands nowhere: the key is the last of it.
      last = isNode(item.value) && (isMap(item.value) || isSeq(item.value) || valueEnd > start) ? item.value : item.key;
    } else if (isNode(item)) last = item;
    else return end;
  }
  return isNode(last) ? (last.range?.[1] ?? end) : end;
}

function keyOf(pair: Pair): string {
  const { key } = pair;
  return isScalar(key) ? String(key.value ?? '') : isNode(key) ? String(key) : String(key ?? '');
}

function isMerge(pair: Pair): boolean {
  const { key } = pair;
  return (
    isScalar(key) &&
    (key.value === '<<' || typeof key.value === 'symbol') &&
    key.type !== 'QUOTE_DOUBLE' &&
    key.type !== 'QUOTE_SINGLE'
  );
}

function indentTooDeep(text: string): boolean {
  let flow = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 91 || code === 123) {
      flow += 1;
      if (flow > deepest) deepest = flow;
    } else if ((code === 93 || code === 125) && flow > 0) flow -= 1;
    else if (code === 10 && flow > 0 && text.charCodeAt(at + 1) !== 32 && text.charCodeAt(at + 1) !== 10) flow = 0;
  }
  if (deepest > MAX_DEPTH) return true;
  return /^(?:[ ]*(?:- ){200}| {2000})/m.test(text);
}

function yamlSentence(code: string, message: string): string {
  switch (code) {
    case 'MULTIPLE_DOCS':
      return 'Only one YAML document can stand in a task file; write the tasks as one list';
    case 'TAB_AS_INDENT':
      return 'Tabs cannot indent YAML; use spaces';
    default:
      return `This cannot be read as YAML: ${message}`;
  }
}
