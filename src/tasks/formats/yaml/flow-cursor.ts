import type { Path } from '../../../base/path.ts';
import { emptyAt, type Place } from '../../cursor.ts';

/** A flow list or mapping that contains an offset. */
interface Frame {
  readonly kind: '[' | '{';
  index: number;
  key: string;
  atKey: boolean;
  /** The current key or value has text. */
  filled: boolean;
}

/**
 * Finds what is at an offset of a flow collection.
 * @param start offset of its bracket
 * @param parent its lines are indented further than this column
 * @returns the offset after it, or where it breaks off, if the position is beyond that
 */
export function flowCursor(text: string, start: number, parent: number, path: Path, offset: number): Place | number {
  const frames: Frame[] = [];
  const here = (): Path => [...path, ...frames.map(({ kind, index, key }) => (kind === '[' ? index : key))];
  const empty = (): Place => {
    const top = frames.at(-1);
    const where = here();
    const place = emptyAt(offset);
    if (top === undefined || top.filled) return { at: 'between', path: where, followed: false, ...place };
    return top.kind === '{' && top.atKey
      ? { at: 'key', path: where.slice(0, -1), followed: false, ...place }
      : { at: 'value', path: where, followed: /^\s*,/.test(text.slice(offset)), ...place };
  };
  for (let at = start; at < text.length; ) {
    const sign = text[at] as string;
    const top = frames.at(-1);
    if (sign === '\n' && !continuesAt(text, at + 1, parent)) return offset <= at ? empty() : at;
    if (/\s/.test(sign)) {
      if (offset === at) return empty();
      at += 1;
    } else if (sign === '#' && /\s/.test(text[at - 1] ?? '')) {
      const newline = text.indexOf('\n', at);
      const end = newline === -1 ? text.length : newline;
      if (offset <= end) return { ...empty(), at: 'between' };
      at = end;
    } else if (sign === '[' || sign === '{') {
      if (offset <= at) return empty();
      if (top !== undefined) top.filled = true;
      frames.push({ kind: sign, index: 0, key: '', atKey: sign === '{', filled: false });
      at += 1;
    } else if (sign === ']' || sign === '}') {
      if (offset <= at) return empty();
      frames.pop();
      at += 1;
      if (frames.length === 0) return at;
    } else if (sign === ',') {
      if (offset <= at) return empty();
      if (top !== undefined) {
        top.index += 1;
        top.atKey = top.kind === '{';
        top.key = '';
        top.filled = false;
      }
      at += 1;
    } else if (sign === ':' && (/[\s,[\]{}]/.test(text[at + 1] ?? ' ') || /["']/.test(text[at - 1] ?? ''))) {
      if (offset <= at) return empty();
      if (top !== undefined) {
        top.atKey = false;
        top.filled = false;
      }
      at += 1;
    } else {
      const isQuoted = sign === '"' || sign === "'";
      const end = isQuoted ? quotedEnd(text, at, parent) : plainEnd(text, at);
      const isKey = top?.kind === '{' && top.atKey;
      if (offset <= end) {
        const where = here();
        const rest = text.slice(offset, end);
        return {
          at: isKey ? 'key' : 'value',
          path: isKey ? where.slice(0, -1) : where,
          start: at,
          end,
          before: decode(text.slice(at, offset)),
          after: isQuoted ? rest.replace(/["']$/, '') : rest,
          quoted: isQuoted,
          followed: (isKey ? /^\s*:/ : /^\s*,/).test(text.slice(end)),
        };
      }
      if (top !== undefined) {
        top.filled = true;
        if (isKey) top.key = decode(text.slice(at, end));
      }
      at = end;
    }
  }
  return empty();
}

function plainEnd(text: string, start: number): number {
  const scalar = /(?:[^\s,[\]{}:#]|:(?![\s,[\]{}]|$)|(?<=\S)#|[ \t]+(?=[^\s,[\]{}:#]))+/y;
  scalar.lastIndex = start;
  return start + (scalar.exec(text)?.[0].length ?? 1);
}

/** Whether the next lines are still indented further than the parent, or begin with the closing bracket. */
function continuesAt(text: string, line: number, parent: number): boolean {
  const content = /(?:[ \t]*\r?\n)*( *)([^\s])/y;
  content.lastIndex = line;
  const match = content.exec(text);
  if (match === null) return /^[ \t\r\n]*$/.test(text.slice(line)) && line < text.length;
  const column = (match[1] ?? '').length;
  return column > parent || (column === parent && /[\]}]/.test(match[2] ?? ''));
}

/** The offset after a quoted text, or the line end if it is unterminated. */
export function quotedEnd(text: string, start: number, parent: number): number {
  const quote = text[start];
  let firstLine = -1;
  for (let at = start + 1; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === '\\' && quote === '"') at += 1;
    else if (sign === quote) {
      if (quote === "'" && text[at + 1] === "'") at += 1;
      else return at + 1;
    } else if (sign === '\n') {
      if (firstLine === -1) firstLine = text[at - 1] === '\r' ? at - 1 : at;
      if (!continuesAt(text, at + 1, parent)) return firstLine;
    }
  }
  return firstLine === -1 ? text.length : firstLine;
}

/** The value of a text without quotes and escapes; it can break off anywhere. */
export function decode(source: string): string {
  if (source[0] === "'") return source.slice(1).replace(/'$/, '').replaceAll("''", "'");
  if (source[0] !== '"') return source;
  const body = source.slice(1).replace(/(?<!\\)((?:\\\\)*)"$/, '$1');
  try {
    return JSON.parse(`"${body.replaceAll('\t', '\\t')}"`) as string;
  } catch {
    // The text breaks off in an escape, or has one that only YAML defines.
    return body;
  }
}
