import { isObject } from '../../../base/json.ts';
import type { Lines } from '../../../base/lines.ts';
import type { Part, Path } from '../../../base/path.ts';
import type { Span } from '../../../base/range.ts';
import { type Change, pathOf } from '../../change.ts';
import type { RowCursor } from '../../cursor.ts';
import { NOT_LITERAL } from '../../unknown.ts';
import { type OffsetEdit, type RowContent, type RowSource, type TextProblem, textError } from '../source.ts';
import { pythonCursor } from './cursor.ts';
import { editPython } from './edit.ts';
import type { FileNames } from './names.ts';
import {
  jsonOf,
  memberOf,
  nodeAt,
  type PythonMember,
  type PythonNode,
  type PythonObject,
  type PythonPart,
  unknownParts,
} from './nodes.ts';
import type { PythonTask } from './outline.ts';
import type { PythonProblem } from './token-reader.ts';
import { type Tokens, tokensOf } from './tokens.ts';
import { PythonReader } from './values.ts';

/** The result of parsing a row; offsets are relative to its beginning. */
export interface ParsedTask {
  readonly root: PythonNode;
  readonly problems: readonly TextProblem[];
  /** Its syntax is valid. */
  readonly sound: boolean;
}

/** One task in a Python file: a call such as `Task(...)`, or a dictionary in a set. */
export class PythonRow implements RowSource {
  start: number;
  end: number;
  readonly task: PythonTask;
  readonly #lines: Lines;
  readonly #names: FileNames;
  readonly #tokens: Tokens | undefined;
  /** Cached for the row that was used last, because it takes far more memory than its text and is cheap to compute. */
  static #last: { readonly row: PythonRow; readonly result: ParsedTask } | undefined;

  /** @param tokens of the file, valid until the file changes */
  constructor(start: number, end: number, task: PythonTask, lines: Lines, names: FileNames, tokens?: Tokens) {
    this.start = start;
    this.end = end;
    this.task = task;
    this.#lines = lines;
    this.#names = names;
    this.#tokens = tokens;
  }

  get variable(): string | null {
    return this.task.variable;
  }

  get isLocal(): boolean {
    return this.task.isLocal;
  }

  get base(): number {
    return this.start;
  }

  get text(): string {
    return this.#lines.slice(this.start, this.end);
  }

  read(): RowContent {
    const { root, problems, sound } = this.#parse();
    const [first, ...more] = unknownParts(root);
    const isComputed = first !== undefined && sound;
    return {
      value: jsonOf(root),
      readable: sound,
      problems: isComputed ? [...problems, this.#notLiteral(first, more)] : problems,
    };
  }

  locate(path: Path, part: Part): Span | undefined {
    const place = nodeAt(this.#parse().root, path);
    return part === 'key' ? (place?.key ?? place?.node) : place?.node;
  }

  numberText(path: Path): string | undefined {
    const node = nodeAt(this.#parse().root, path)?.node;
    return node?.kind === 'value' ? node.text : undefined;
  }

  edit(changes: readonly Change[]): readonly OffsetEdit[] | null {
    // Another statement assigns these fields.
    const fields = new Set(this.task.fields.map(({ name }) => this.#tokens?.word(name)));
    if (changes.some((change) => fields.has(String(pathOf(change)[0])))) return null;
    return editPython(this.text, this.start, (now) => this.#parseText(now), changes);
  }

  cursor(offset: number): RowCursor {
    return pythonCursor(this.text, this.#parse().root, offset);
  }

  /** The text of the call before its bracket: `Task`, `hud.Task`. */
  get callee(): string {
    return this.text.slice(0, this.head - 1).trimEnd();
  }

  /** The length of the text before its first member, the bracket included. */
  get head(): number {
    return /^[^([{]*[([{]/.exec(this.text)?.[0].length ?? 1;
  }

  #parse(): ParsedTask {
    const last = PythonRow.#last;
    if (last?.row === this) return last.result;
    const { first, end, spelling } = this.task;
    const tokens = this.#tokens;
    const result =
      tokens === undefined
        ? this.#parseText(this.text)
        : parseTask(tokens, first, end, this.end - this.start, spelling, this.#names, this.task.fields);
    PythonRow.#last = { row: this, result: result };
    return result;
  }

  #parseText(text: string): ParsedTask {
    const tokens = tokensOf(text);
    return parseTask(tokens, 0, tokens.length, text.length, this.task.spelling, this.#names);
  }

  #notLiteral(first: PythonPart, more: readonly PythonPart[]): TextProblem {
    const descriptions = [first, ...more.slice(0, 2)].map(({ path, node }) => {
      return `${path.length === 0 ? 'it' : `“${shownPath(path)}”`} is ${node.what}`;
    });
    if (more.length > 2) descriptions.push(`${more.length - 2} more`);
    const what = join(descriptions);
    const { path, node } = first;
    const { start, end } = path.length === 0 ? { start: 0, end: this.head - 1 } : node;
    return {
      start,
      end: Math.max(end, start),
      severity: 'information',
      code: NOT_LITERAL,
      message: `This task depends on values that are only known when the program runs: ${what}. Taskwright does not execute programs to read tasks. To run this task, write the values as literals`,
    };
  }
}

/** Reads the task in a range of tokens. */
function parseTask(
  tokens: Tokens,
  first: number,
  end: number,
  length: number,
  spelling: PythonTask['spelling'],
  names: FileNames,
  fields: PythonTask['fields'] = [],
): ParsedTask {
  const base = tokens.start(first);
  const reader = new PythonReader(tokens, first, end, names, base);
  let root = spelling === 'dictionary' ? reader.dictionaryCall() : reader.expression();
  const problems = withoutConsequences(reader.problems);
  if (reader.at < end && problems.length === 0) {
    const message = 'Invalid Python syntax';
    problems.push(textError({ start: tokens.start(reader.at) - base, end: length }, 'syntax', message));
  }
  if (root.kind === 'object') {
    const fieldMembers = fields.map(({ name, value }): PythonMember => {
      const key = { start: tokens.start(name) - base, end: tokens.end(name) - base };
      const node = new PythonReader(tokens, value, tokens.length, names, base).expression();
      return { name: tokens.word(name), key, node, separated: true, comma: null, own: false };
    });
    root = withEnvironment({ ...root, start: 0, end: length, members: [...root.members, ...fieldMembers] });
  }
  return {
    root,
    problems,
    sound: problems.every(({ code, severity }) => severity !== 'error' || DELIBERATE_CODES.has(code)),
  };
}

/** The `Environment` of a task: its name in HUD 0.6, an object that holds it in 0.5. */
function withEnvironment(task: PythonObject): PythonObject {
  const env = memberOf(task, 'env')?.node;
  if (env?.kind !== 'value' || !isObject(env.value) || memberOf(task, 'scenario') !== undefined) return task;
  const node = { ...env, value: env.value['name'] ?? null };
  return { ...task, members: task.members.map((member) => (member.node === env ? { ...member, node } : member)) };
}

/** Keeps the first cause: a missing quote hides the brackets after it, and a missing bracket leaves the outer ones open. */
function withoutConsequences(problems: readonly PythonProblem[]): TextProblem[] {
  const cause =
    problems.find(({ unclosed }) => unclosed === 'string') ?? problems.find(({ unclosed }) => unclosed !== undefined);
  return problems.filter((problem) => problem === cause || problem.unclosed === undefined);
}

/** Errors that leave no doubt about the rest of the task. */
const DELIBERATE_CODES = new Set(['number-not-finite', 'python-positional']);

function shownPath(path: Path): string {
  return path.map((step, index) => (typeof step === 'number' ? `[${step}]` : index === 0 ? step : `.${step}`)).join('');
}

function join(words: readonly string[]): string {
  return words.length === 1 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
