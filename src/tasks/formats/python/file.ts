import { isObject, type Json, type JsonObject } from '../../../base/json.ts';
import type { Lines } from '../../../base/lines.ts';
import type { Work } from '../../../base/slices.ts';
import { isFirstOnLine, lineEndOf, lineIndent } from '../layout.ts';
import { type FileSource, type OffsetEdit, type TextProblem, textError, unreadable } from '../source.ts';
import { ModulesBeside } from './modules.ts';
import { outlineOf, type PythonOutline } from './outline.ts';
import { PythonRow } from './row.ts';
import { OPEN_TEXT, type Tokens, tokensInSlices, tokensOf } from './tokens.ts';
import { isArgumentName, pythonWriter, writePython } from './writer.ts';

/** A Python file: each task that is a literal, in document order. Reports only problems of the tasks. */
export function* readPythonFile(lines: Lines, path: string): Work<FileSource> {
  const { text } = lines;
  const tokens = yield* tokensInSlices(text);
  if (tokens === null) {
    const message = 'This file takes too long to parse as Python';
    return unreadable(textError({ start: 0, end: 0 }, 'python-too-hard', message));
  }
  const modules = new ModulesBeside(path);
  const outline = yield* outlineOf(tokens, lines, modules);
  const rows = outline.tasks.map(
    (task) => new PythonRow(tokens.start(task.first), tokens.end(task.end - 1), task, lines, outline.names, tokens),
  );
  return new PythonFile(lines, tokens, outline, rows, modules.files);
}

class PythonFile implements FileSource {
  readonly set: JsonObject | null;
  readonly rows: readonly PythonRow[];
  readonly problems: readonly TextProblem[];
  readonly dependsOn: ReadonlySet<string>;
  readonly #lines: Lines;
  readonly #tokens: Tokens;
  readonly #outline: PythonOutline;

  constructor(
    lines: Lines,
    tokens: Tokens,
    outline: PythonOutline,
    rows: readonly PythonRow[],
    dependsOn: ReadonlySet<string>,
  ) {
    this.dependsOn = dependsOn;
    this.#lines = lines;
    this.#tokens = tokens;
    this.#outline = outline;
    this.set = outline.set;
    this.rows = rows;
    this.problems = missingCommas(rows, tokens);
  }

  insert(index: number, value: Json): readonly OffsetEdit[] | null {
    const text = this.#lines.text;
    const next = this.rows[index];
    const near = next ?? this.rows.at(-1);
    if (index > this.rows.length) return null;
    if (near === undefined) return this.#insertFirst(text, value);
    if (near.task.list === -1 || !near.task.whole) return null;
    const task = writeTask(value, near, text);
    if (task === null) return null;
    const line = lineEndOf(text) + lineIndent(text, near.start);
    const between = isFirstOnLine(text, near.start) ? `,${line}` : ', ';
    return next === undefined
      ? [{ start: near.end, end: near.end, text: between + task }]
      : [{ start: near.start, end: near.start, text: task + between }];
  }

  remove(index: number): readonly OffsetEdit[] | null {
    const row = this.rows[index];
    if (row === undefined || row.task.list === -1 || !row.task.whole) return null;
    const text = this.#lines.text;
    const behind = /^[ \t]*,/.exec(text.slice(row.end, row.end + 200))?.[0] ?? '';
    const end = row.end + behind.length;
    const rest = /^[ \t]*(?:#[^\r\n]*)?(?:\r\n|\n|\r)/.exec(text.slice(end, end + 1000));
    if (rest !== null && isFirstOnLine(text, row.start)) {
      return [{ start: row.start - lineIndent(text, row.start).length, end: end + rest[0].length, text: '' }];
    }
    if (behind !== '') {
      const space = /^[ \t]*/.exec(text.slice(end, end + 200))?.[0].length ?? 0;
      return [{ start: row.start, end: end + space, text: '' }];
    }
    const before = /,\s*$/.exec(text.slice(Math.max(0, row.start - 1000), row.start))?.[0].length ?? 0;
    return [{ start: row.start - before, end: row.end, text: '' }];
  }

  /** A change inside the brackets of one task that leaves them matched affects only that task. */
  reread(change: OffsetEdit, lines: Lines): FileSource | null {
    const index = this.rows.findIndex((row) => change.end <= row.end);
    const row = this.rows[index];
    if (row === undefined || !row.task.whole) return null;
    // Statements after a task assign its fields.
    if (this.rows.some(({ task }) => task.fields.length > 0)) return null;
    const opening = row.start + row.head;
    if (change.start < opening || change.end >= row.end) return null;
    const by = change.text.length - (change.end - change.start);
    const text = lines.slice(row.start, row.end + by);
    const tokens = tokensOf(text);
    const first = tokens.starts.indexOf(row.head - 1);
    if (first === -1 || tokens.matching(first) !== tokens.length - 1 || tokens.kinds.includes(OPEN_TEXT)) return null;
    const anew = new PythonRow(row.start, row.end + by, row.task, lines, this.#outline.names);
    for (const after of this.rows.slice(index + 1)) {
      after.start += by;
      after.end += by;
    }
    const rows = this.rows.with(index, anew);
    return new PythonFile(lines, this.#tokens, this.#outline, rows, this.dependsOn);
  }

  /** Inserts into an empty `tasks = []`. */
  #insertFirst(text: string, value: Json): readonly OffsetEdit[] | null {
    const [open, another] = this.#outline.lists;
    if (open === undefined || another !== undefined || text !== this.#tokens.text) return null;
    const close = this.#tokens.matching(open);
    if (close !== open + 1) return null;
    const name = this.#outline.names.taskName();
    const task = isObject(value) && name !== undefined ? writeCall(name, value) : null;
    return task === null ? null : [{ start: this.#tokens.end(open), end: this.#tokens.start(close), text: task }];
  }
}

/** Two tasks of a list with no comma between them. */
function missingCommas(rows: readonly PythonRow[], tokens: Tokens): TextProblem[] {
  const problems: TextProblem[] = [];
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (before === undefined || row.task.list === -1 || before.task.list !== row.task.list) continue;
    if (!before.task.whole || tokens.is(row.task.first - 1, ',') || before.task.end !== row.task.first) continue;
    const message = 'Expected a comma before this task';
    const end = row.start + Math.max(1, row.head - 1);
    const fix = { title: 'Add the comma', edits: [{ start: before.end, end: before.end, text: ',' }] };
    problems.push(textError({ start: row.start, end }, 'syntax', message, fix));
  }
  return problems;
}

/** Writes a new task like its neighbor: a call on one line, or with a line for each argument, or a dictionary. */
function writeTask(value: Json, near: PythonRow, text: string): string | null {
  if (!isObject(value)) return null;
  const own = near.text;
  const opening = /^[^([{]*[([{][ \t]*(\r\n|\n|\r)([ \t]*)/.exec(own);
  const layout =
    opening === null
      ? undefined
      : { lineEnd: opening[1] ?? '\n', inner: opening[2] ?? '', outer: lineIndent(text, near.start) };
  if (near.task.spelling === 'dictionary') return `${near.callee}(${writePython(value)})`;
  if (near.task.spelling === 'literal') {
    const members = Object.entries(value).map(([key, item]) => pythonWriter.member(key, false) + writePython(item));
    return `{${joinMembers(members, layout)}}`;
  }
  return writeCall(near.callee, value, layout);
}

interface Layout {
  readonly lineEnd: string;
  readonly inner: string;
  readonly outer: string;
}

function writeCall(callee: string, value: JsonObject, layout?: Layout): string | null {
  // The task of a template: `count(word="raspberry")`.
  const fields = /^(?:\w+\.)*(?:Task|TaskConfig|LegacyTask)$/.test(callee) ? value : value['args'];
  if (!isObject(fields) || (fields !== value && value['id'] !== callee)) return null;
  const keys = Object.keys(fields);
  if (!keys.every(isArgumentName)) return null;
  const args = keys.map((key) => pythonWriter.member(key, true) + writePython(fields[key] ?? null));
  return `${callee}(${joinMembers(args, layout)})`;
}

function joinMembers(members: readonly string[], layout: Layout | undefined): string {
  if (layout === undefined || members.length === 0) return members.join(', ');
  const { lineEnd: end, inner, outer } = layout;
  return `${members.map((member) => `${end}${inner}${member},`).join('')}${end}${outer}`;
}
