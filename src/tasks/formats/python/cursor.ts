import type { Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import { emptyAt, type Place, type RowCursor } from '../../cursor.ts';
import { closingLength, openingLength, readString } from './literals.ts';
import { jsonOf, type PythonList, type PythonNode, type PythonObject } from './nodes.ts';

/**
 * Returns what is at an offset in the text of a task.
 * @param offset relative to the beginning of the text, as all offsets of the result
 */
export function pythonCursor(text: string, root: PythonNode, offset: number): RowCursor {
  return { ...new Finder(text, offset).inNode(root, []), task: jsonOf(root) };
}

class Finder {
  readonly #text: string;
  readonly #offset: number;

  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  inNode(node: PythonNode, path: Path): Place {
    if (node.kind === 'object') return this.#inObject(node, path);
    if (node.kind === 'list') return this.#inList(node, path);
    return this.#placeOf('value', path, node);
  }

  #inObject(node: PythonObject, path: Path): Place {
    const inside = this.#offset >= node.from && this.#offset <= node.to;
    for (const member of node.members) {
      if (member.node !== null && !member.own && member.node.end > member.node.start && this.#touches(member.node)) {
        // A name alone can become the name of an argument.
        if (inside && node.inCall && member.key === member.node && this.#isName(member.node)) {
          return { ...this.#placeOf('key', path, member.key), inCall: true, followed: false };
        }
        const step = [...path, member.name];
        // The name of a template ends where its arguments begin.
        if (member.node.kind !== 'object' || this.#offset >= member.node.from) return this.inNode(member.node, step);
      }
    }
    if (!inside) return this.#between(path);
    const own = node.members.filter((member) => member.own);
    for (const [index, member] of own.entries()) {
      const next = own[index + 1];
      const commaAfter = (next !== undefined && member.comma === null) || undefined;
      if (this.#touches(member.key)) {
        const place = { ...this.#placeOf('key', path, member.key), inCall: node.inCall || undefined };
        return { ...place, followed: member.separated, commaAfter: member.separated ? undefined : commaAfter };
      }
      const step = [...path, member.name];
      if (member.node !== null && this.#touches(member.node)) {
        const place = this.inNode(member.node, step);
        return isContainer(member.node) ? place : { ...place, commaAfter };
      }
      const end = member.comma ?? next?.key.start ?? node.to;
      if (this.#offset > member.key.end && this.#offset <= end && member.separated) {
        const isBehind = member.node !== null && this.#offset > member.node.end;
        if (isBehind && member.comma === null) break;
        const isAfterSeparator = /[=:]/.test(this.#text.slice(member.key.end, this.#offset));
        if (isBehind) return this.#between(path);
        if (member.node !== null || !isAfterSeparator) return this.#between(step);
        return { ...this.#empty('value', step), commaAfter };
      }
    }
    const before = own.findLast((member) => (member.node?.end ?? member.key.end) <= this.#offset);
    const after = own.find((member) => member.key.start >= this.#offset);
    return {
      ...this.#empty('key', path),
      inCall: node.inCall || undefined,
      commaBefore: before?.comma === null ? (before.node?.end ?? before.key.end) : undefined,
      commaAfter: after !== undefined || undefined,
    };
  }

  #inList(node: PythonList, path: Path): Place {
    if (this.#offset < node.from || this.#offset > node.to) return this.#between(path);
    for (const [index, item] of node.items.entries()) {
      if (!this.#touches(item.node)) continue;
      const place = this.inNode(item.node, [...path, index]);
      const missing = item.comma === null && index + 1 < node.items.length;
      return missing && !isContainer(item.node) ? { ...place, commaAfter: true } : place;
    }
    const index = node.items.filter((item) => item.node.end <= this.#offset).length;
    const before = node.items[index - 1];
    const missing = before !== undefined && (before.comma === null || before.comma >= this.#offset);
    // On the line of a complete item, only its comma can follow.
    if (missing && (before.comma !== null || !/[\r\n]/.test(this.#text.slice(before.node.end, this.#offset)))) {
      return this.#between([...path, index - 1]);
    }
    return {
      ...this.#empty('value', [...path, index]),
      commaBefore: missing ? before.node.end : undefined,
      commaAfter: index < node.items.length || undefined,
    };
  }

  #isName({ start, end }: Span): boolean {
    return /^[\p{L}_][\p{L}\p{N}_]*$/u.test(this.#text.slice(start, end));
  }

  /** Whether the offset is within a span, both ends included. */
  #touches({ start, end }: Span): boolean {
    return start <= this.#offset && this.#offset <= end;
  }

  #empty(at: 'key' | 'value', path: Path): Place {
    return { at, path, ...emptyAt(this.#offset), followed: this.#isFollowed(this.#offset, at) };
  }

  #between(path: Path): Place {
    return { at: 'between', path, ...emptyAt(this.#offset), followed: false };
  }

  #placeOf(at: 'key' | 'value', path: Path, span: Span): Place {
    const { start } = span;
    const source = this.#text.slice(start, span.end);
    const opening = openingLength(source);
    const isQuoted = opening > 0;
    const closing = isQuoted ? closingLength(source) : 0;
    // An unterminated string extends to the end of its line; only the word at the offset is being typed.
    const word = /^[\w.-]*/.exec(this.#text.slice(this.#offset))?.[0].length ?? 0;
    const end = isQuoted && closing === 0 ? Math.min(span.end, this.#offset + word) : span.end;
    const from = Math.max(start + opening, Math.min(this.#offset, end - closing));
    const decode = (body: string): string => {
      if (!isQuoted) return body;
      const quotes = source.slice(0, opening);
      const read = readString(quotes + body + quotes.replace(/^[A-Za-z]+/, ''), () => undefined);
      return 'value' in read ? read.value : body;
    };
    const after = decode(this.#text.slice(from, end - closing));
    return {
      at,
      path,
      start,
      end,
      before: this.#offset <= start ? '' : decode(this.#text.slice(start + opening, from)),
      ...(after === '' ? {} : { after }),
      quoted: isQuoted,
      followed: this.#isFollowed(end, at),
    };
  }

  #isFollowed(offset: number, at: 'key' | 'value'): boolean {
    return (at === 'key' ? /^\s*[=:]/ : /^\s*,/).test(this.#text.slice(offset, offset + 200));
  }
}

function isContainer(node: PythonNode): boolean {
  return node.kind === 'list' || node.kind === 'object';
}
