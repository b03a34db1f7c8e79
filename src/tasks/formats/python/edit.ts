import type { Json } from '../../../base/json.ts';
import type { Path } from '../../../base/path.ts';
import type { Change } from '../../change.ts';
import { Draft } from '../../draft.ts';
import { lineIndent } from '../json/print.ts';
import type { OffsetEdit } from '../source.ts';
import {
  nodeAt,
  type PythonItem,
  type PythonList,
  type PythonMember,
  type PythonNode,
  type PythonObject,
} from './nodes.ts';
import { isArgumentName, pythonWriter, writePython, writeTuple } from './writer.ts';

interface Parsed {
  readonly root: PythonNode;
  readonly sound: boolean;
}

/**
 * Returns edits that apply changes to one task, in the style of the surrounding text; null if the text does not allow
 * it.
 * @param start offset of the task in its file; the edits are relative to the file
 */
export function editPython(
  text: string,
  start: number,
  parse: (text: string) => Parsed,
  changes: readonly Change[],
): readonly OffsetEdit[] | null {
  const draft = new Draft(text);
  for (const change of changes) {
    const { root, sound } = parse(draft.text);
    if (!sound) return null;
    const editor = new Editor(draft, root);
    const made =
      'set' in change
        ? editor.set(change.set, change.value)
        : 'rename' in change
          ? editor.rename(change.rename, change.key)
          : editor.remove(change.remove);
    if (!made) return null;
  }
  return draft.edits.map((edit) => ({ start: edit.start + start, end: edit.end + start, text: edit.text }));
}

class Editor {
  readonly #draft: Draft;
  readonly #root: PythonNode;

  constructor(draft: Draft, root: PythonNode) {
    this.#draft = draft;
    this.#root = root;
  }

  set(path: Path, value: Json): boolean {
    let node = this.#root;
    for (const [depth, step] of path.entries()) {
      const next = this.#child(node, step);
      if (next === undefined) {
        const rest = path.slice(depth + 1).reduceRight<Json>((inner, key) => {
          return typeof key === 'number' ? [inner] : { [key]: inner };
        }, value);
        return this.#append(node, step, rest);
      }
      if (!next.own) return false;
      node = next.node;
    }
    // The task as a whole is more than its arguments.
    if (path.length === 0) return false;
    const asTuple = node.kind === 'list' && node.tuple && Array.isArray(value);
    this.#draft.replace(node.start, node.end, asTuple ? writeTuple(value) : writePython(value));
    return true;
  }

  rename(path: Path, key: string): boolean {
    const parent = nodeAt(this.#root, path.slice(0, -1))?.node;
    if (parent?.kind !== 'object' || (parent.inCall && !isArgumentName(key))) return false;
    const named = parent.members.filter((member) => member.name === String(path.at(-1)));
    const [member, another] = named;
    if (member === undefined || another !== undefined || !member.own) return false;
    if (parent.members.some((other) => other.name === key)) return false;
    this.#draft.replace(member.key.start, member.key.end, parent.inCall ? key : writePython(key));
    return true;
  }

  remove(path: Path): boolean {
    const step = path.at(-1);
    const parent = nodeAt(this.#root, path.slice(0, -1))?.node;
    if (step === undefined || parent === undefined) return false;
    if (parent.kind === 'list') {
      const index = Number(step);
      const item = parent.items[index];
      if (item === undefined) return false;
      const left = parent.items[1 - index];
      if (parent.tuple && parent.items.length === 2 && left !== undefined) {
        // A tuple with one item has a comma.
        const { text } = this.#draft;
        this.#draft.replace(parent.from, parent.to, `${text.slice(left.node.start, left.node.end)},`);
        return true;
      }
      this.#take(parent, index, parent.items.map(itemSpan));
      return true;
    }
    if (parent.kind !== 'object') return false;
    const members = parent.members.filter((member) => member.own);
    const index = members.findIndex((member) => member.name === String(step));
    if (index === -1 || parent.members.filter((member) => member.name === String(step)).length > 1) return false;
    this.#take(parent, index, members.map(spanOf));
    return true;
  }

  #child(node: PythonNode, step: string | number): { readonly node: PythonNode; readonly own: boolean } | undefined {
    if (node.kind === 'list') {
      const item = typeof step === 'number' ? node.items[step] : undefined;
      return item === undefined ? undefined : { node: item.node, own: true };
    }
    if (node.kind !== 'object') return undefined;
    const member = node.members.findLast(({ name, node: given }) => name === String(step) && given !== null);
    if (member?.node === undefined || member.node === null) return undefined;
    // The arguments of a template are not a member of their own, but can be changed nevertheless.
    return { node: member.node, own: member.own || member.node.kind === 'object' || member.key !== member.node };
  }

  #append(parent: PythonNode, step: string | number, value: Json): boolean {
    if (parent.kind === 'list') {
      if (typeof step !== 'number') return false;
      const last = parent.items.at(-1);
      const asTuple = last?.node.kind === 'list' && last.node.tuple && Array.isArray(value);
      const written = asTuple ? writeTuple(value) : writePython(value);
      return this.#add(parent, written, parent.items.map(itemSpan));
    }
    if (parent.kind !== 'object') return false;
    const key = String(step);
    if (parent.inCall && !isArgumentName(key)) return false;
    // The call of a template cannot hold more than its arguments.
    if (parent.from === parent.end) return false;
    const members = parent.members.filter((member) => member.own);
    return this.#add(parent, pythonWriter.member(key, parent.inCall) + writePython(value), members.map(spanOf));
  }

  #add(parent: PythonList | PythonObject, written: string, items: readonly Span[]): boolean {
    const { text } = this.#draft;
    const last = items.at(-1);
    if (last === undefined) {
      const inner = text.slice(parent.from, parent.to);
      if (inner.trim() !== '') {
        // Only `**{...}` or positional arguments.
        const end = parent.from + inner.trimEnd().length;
        this.#draft.replace(end, end, `${inner.trimEnd().endsWith(',') ? ' ' : ', '}${written}`);
        return !inner.includes('#');
      }
      const comma = parent.kind === 'list' && parent.tuple ? ',' : '';
      this.#draft.replace(parent.from, parent.to, written + comma);
      return true;
    }
    const indent = this.#indentAt(last.start);
    const end = last.comma === null ? last.end : last.comma + 1;
    if (indent === null) {
      this.#draft.replace(end, end, `${last.comma === null ? ', ' : ' '}${written}`);
      return true;
    }
    const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
    const comma = last.comma === null ? ',' : '';
    // A comment after the last member stays on its line.
    const comment = /^[ \t]*#[^\r\n]*/.exec(text.slice(end, parent.to))?.[0] ?? '';
    const line = `${lineEnd}${indent}${written}${last.comma === null ? '' : ','}`;
    if (comment === '') this.#draft.replace(end, end, comma + line);
    else {
      this.#draft.replace(end + comment.length, end + comment.length, line);
      this.#draft.replace(end, end, comma);
    }
    return true;
  }

  /** The indentation of a token that is the first on its line; null for others. */
  #indentAt(offset: number): string | null {
    const { text } = this.#draft;
    const indent = lineIndent(text, offset);
    const line = offset - indent.length;
    if (line > 0 && /[\r\n]/.test(text[line - 1] ?? '')) return indent;
    return null;
  }

  #take(parent: PythonList | PythonObject, index: number, items: readonly Span[]): void {
    const own = items[index] as Span;
    const before = items[index - 1];
    const after = items[index + 1];
    const { text } = this.#draft;
    const end = own.comma === null ? own.end : own.comma + 1;
    const indent = this.#indentAt(own.start);
    const rest = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)/.exec(text.slice(end));
    if (indent !== null && rest !== null) {
      // Its lines are removed with it.
      this.#draft.replace(own.start - indent.length, end + rest[0].length, '');
      return;
    }
    if (after !== undefined) this.#draft.replace(own.start, after.start, '');
    else if (before !== undefined)
      this.#draft.replace(
        before.end,
        own.comma === null ? own.end : end,
        before.comma === null || own.comma === null ? '' : ',',
      );
    else this.#draft.replace(parent.from, parent.to, '');
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
  readonly comma: number | null;
}

function itemSpan({ node, comma }: PythonItem): Span {
  return { start: node.start, end: node.end, comma };
}

function spanOf({ key, node, comma }: PythonMember): Span {
  return { start: key.start, end: node?.end ?? key.end, comma };
}
