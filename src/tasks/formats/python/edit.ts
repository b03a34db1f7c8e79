import type { Json } from '../../../base/json.ts';
import { type Span, shift } from '../../../base/range.ts';
import type { Change } from '../../change.ts';
import { Draft } from '../../draft.ts';
import { applyChanges, type Outcome, TreeEditor } from '../editor.ts';
import { isFirstOnLine, lineEndOf, lineIndent } from '../layout.ts';
import type { OffsetEdit } from '../source.ts';
import { memberOf, type PythonList, type PythonMember, type PythonNode, type PythonObject } from './nodes.ts';
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
  const isApplied = applyChanges(changes, () => {
    const { root, sound } = parse(draft.text);
    return sound ? new PythonEditor(draft, root) : null;
  });
  return isApplied ? draft.edits.map((edit) => shift(edit, start)) : null;
}

/** A part of a task, and whether its text can be replaced. */
interface Place {
  readonly node: PythonNode;
  readonly isReplaceable: boolean;
}

class PythonEditor extends TreeEditor<Place> {
  readonly #draft: Draft;
  protected readonly root: Place;

  constructor(draft: Draft, root: PythonNode) {
    super();
    this.#draft = draft;
    // The task as a whole is more than its arguments.
    this.root = { node: root, isReplaceable: false };
  }

  protected child({ node }: Place, step: string | number): Place | undefined {
    if (node.kind === 'list') {
      const item = typeof step === 'number' ? node.items[step] : undefined;
      return item && { node: item.node, isReplaceable: true };
    }
    const member = node.kind === 'object' ? memberOf(node, String(step)) : undefined;
    if (member === undefined || member.node === null) return undefined;
    // The arguments of a template are not a member in the text, but can be changed nevertheless.
    const isReplaceable = member.own || member.node.kind === 'object' || member.key !== member.node;
    return { node: member.node, isReplaceable };
  }

  protected replace({ node, isReplaceable }: Place, value: Json): Outcome {
    if (!isReplaceable) return 'impossible';
    this.#draft.replace(node.start, node.end, writeLike(node, value));
    return 'done';
  }

  protected rename({ node: parent }: Place, name: string, key: string): Outcome {
    if (parent.kind !== 'object' || (parent.inCall && !isArgumentName(key))) return 'impossible';
    const [member, another] = parent.members.filter((one) => one.name === name);
    if (member === undefined || another !== undefined || !member.own) return 'impossible';
    if (parent.members.some((other) => other.name === key)) return 'impossible';
    this.#draft.replace(member.key.start, member.key.end, parent.inCall ? key : writePython(key));
    return 'done';
  }

  protected remove({ node: parent }: Place, step: string | number): Outcome {
    if (parent.kind === 'list') {
      const index = Number(step);
      if (parent.items[index] === undefined) return 'impossible';
      const remaining = parent.items[1 - index];
      if (parent.tuple && parent.items.length === 2 && remaining !== undefined) {
        // A tuple with one item has a comma.
        const { start, end } = remaining.node;
        this.#draft.replace(parent.from, parent.to, `${this.#draft.text.slice(start, end)},`);
      } else this.#cut(parent, index);
      return 'done';
    }
    if (parent.kind !== 'object') return 'impossible';
    const [member, another] = parent.members.filter((one) => one.name === String(step));
    if (member === undefined || another !== undefined || !member.own) return 'impossible';
    this.#cut(parent, ownMembers(parent).indexOf(member));
    return 'done';
  }

  protected append({ node: parent }: Place, step: string | number, value: Json): Outcome {
    if (parent.kind === 'list') {
      const like = parent.items.at(-1)?.node;
      return typeof step === 'number' ? this.#add(parent, writeLike(like, value)) : 'impossible';
    }
    if (parent.kind !== 'object') return 'impossible';
    const key = String(step);
    if (parent.inCall && !isArgumentName(key)) return 'impossible';
    // The call of a template cannot hold more than its arguments.
    if (parent.from === parent.end) return 'impossible';
    return this.#add(parent, pythonWriter.member(key, parent.inCall) + writePython(value));
  }

  #add(parent: PythonList | PythonObject, addition: string): Outcome {
    const { text } = this.#draft;
    const last = elementsOf(parent).at(-1);
    if (last === undefined) {
      const inner = text.slice(parent.from, parent.to);
      if (inner.trim() !== '') {
        // Only `**{...}` or positional arguments.
        const end = parent.from + inner.trimEnd().length;
        this.#draft.replace(end, end, `${inner.trimEnd().endsWith(',') ? ' ' : ', '}${addition}`);
        return inner.includes('#') ? 'impossible' : 'done';
      }
      const comma = parent.kind === 'list' && parent.tuple ? ',' : '';
      this.#draft.replace(parent.from, parent.to, addition + comma);
      return 'done';
    }
    const end = last.comma === null ? last.end : last.comma + 1;
    if (!isFirstOnLine(text, last.start)) {
      this.#draft.replace(end, end, `${last.comma === null ? ', ' : ' '}${addition}`);
      return 'done';
    }
    const comma = last.comma === null ? ',' : '';
    // A comment after the last member stays on its line.
    const comment = /^[ \t]*#[^\r\n]*/.exec(text.slice(end, parent.to))?.[0] ?? '';
    const line = `${lineEndOf(text)}${lineIndent(text, last.start)}${addition}${last.comma === null ? '' : ','}`;
    if (comment === '') this.#draft.replace(end, end, comma + line);
    else {
      this.#draft.replace(end + comment.length, end + comment.length, line);
      this.#draft.replace(end, end, comma);
    }
    return 'done';
  }

  #cut(parent: PythonList | PythonObject, index: number): void {
    const elements = elementsOf(parent);
    const own = elements[index] as Element;
    const before = elements[index - 1];
    const after = elements[index + 1];
    const { text } = this.#draft;
    const end = own.comma === null ? own.end : own.comma + 1;
    const rest = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)/.exec(text.slice(end));
    if (rest !== null && isFirstOnLine(text, own.start)) {
      // Its lines are removed with it.
      this.#draft.replace(own.start - lineIndent(text, own.start).length, end + rest[0].length, '');
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

/** An item, or a member with its key, and the offset of the comma after it. */
interface Element extends Span {
  readonly comma: number | null;
}

function elementsOf(parent: PythonList | PythonObject): readonly Element[] {
  return parent.kind === 'list'
    ? parent.items.map(({ node, comma }) => ({ start: node.start, end: node.end, comma }))
    : ownMembers(parent).map(({ key, node, comma }) => ({ start: key.start, end: node?.end ?? key.end, comma }));
}

/** The members in the text of the object. */
function ownMembers({ members }: PythonObject): readonly PythonMember[] {
  return members.filter(({ own }) => own);
}

/** Writes a list as a tuple in place of one, or after one. */
function writeLike(like: PythonNode | undefined, value: Json): string {
  return like?.kind === 'list' && like.tuple && Array.isArray(value) ? writeTuple(value) : writePython(value);
}
