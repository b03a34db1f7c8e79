import type { Json, JsonObject } from '../../../base/json.ts';
import type { Lines } from '../../../base/lines.ts';
import { firstIndexWhere } from '../../../base/search.ts';
import type { Work } from '../../../base/slices.ts';
import { readDottedName } from './bindings.ts';
import { readString } from './literals.ts';
import { FileNames, type PythonModules } from './names.ts';
import { MARK, NAME, OPEN_TEXT, TEXT, type Tokens } from './tokens.ts';

const TOKENS_PER_SLICE = 20_000;

/** The location of a task among the tokens of a file. */
export interface PythonTask {
  readonly spelling: 'call' | 'dictionary' | 'literal';
  /** Indexes of its first token and of the token after its last. */
  readonly first: number;
  readonly end: number;
  /** Its brackets match. */
  readonly whole: boolean;
  /** Bracket of the list that contains it; -1 if there is none. */
  readonly list: number;
  /** The variable that it is assigned to, or the key of the dictionary that contains it. */
  readonly variable: string | null;
  /** Whether it is in a function or a class, and so not among the tasks of the module. */
  readonly isLocal: boolean;
  /** Its fields that later statements assign, by the indexes of the tokens of their names and values. */
  readonly fields: readonly { readonly name: number; readonly value: number }[];
}

/** The tasks of a Python file and their context. */
export interface PythonOutline {
  readonly names: FileNames;
  readonly tasks: readonly PythonTask[];
  /** The text fields of the only `TaskSet(...)` in the file. */
  readonly set: JsonObject | null;
  /** Brackets of lists that hold tasks, or would: `tasks = [...]` and `tasks=[...]`. */
  readonly lists: readonly number[];
}

/** A block of statements that are indented further than its header. */
interface Block {
  /** The indentation of its header. */
  readonly column: number;
  /** What it contains is expected to raise an exception: `with pytest.raises(...):`. */
  readonly fails: boolean;
}

const EXPECTATION = /(?:^|\.)(?:raises|assertRaises(?:Regex)?)$/;

export function* outlineOf(tokens: Tokens, lines: Lines, modules: PythonModules): Work<PythonOutline> {
  const names = yield* FileNames.of(tokens, modules);
  return yield* new Outline(tokens, lines, names).read();
}

class Outline {
  readonly #tokens: Tokens;
  readonly #lines: Lines;
  readonly #names: FileNames;
  readonly #tasks: PythonTask[] = [];
  readonly #lists: number[] = [];
  readonly #sets: Record<string, Json>[] = [];
  /** Open brackets, outermost first. */
  readonly #open: number[] = [];
  /** Lists that a set takes its tasks from: their dictionaries are tasks too. */
  readonly #ofSets = new Set<number>();
  /** The blocks of functions, classes, and expected failures that contain the statement, outermost first. */
  readonly #blocks: Block[] = [];
  /** Tokens that begin a line with a task. */
  #begins: readonly number[] | undefined;

  constructor(tokens: Tokens, lines: Lines, names: FileNames) {
    this.#tokens = tokens;
    this.#lines = lines;
    this.#names = names;
  }

  *read(): Work<PythonOutline> {
    const tokens = this.#tokens;
    let pause = TOKENS_PER_SLICE;
    for (let index = 0; index < tokens.length; ) {
      if (index > pause) {
        pause = index + TOKENS_PER_SLICE;
        yield;
      }
      index = this.#step(index);
    }
    const [set, another] = this.#sets;
    return {
      names: this.#names,
      tasks: this.#tasks,
      set: another === undefined ? (set ?? null) : null,
      lists: this.#lists,
    };
  }

  /** Processes one token and returns the index of the next. */
  #step(index: number): number {
    const tokens = this.#tokens;
    const kind = tokens.kind(index);
    if (this.#open.length === 0) this.#enterStatement(index);
    if (kind === MARK) {
      const turn = tokens.bracket(index);
      const list = this.#open.at(-1) ?? -1;
      const begins = tokens.is(index - 1, '[') || tokens.is(index - 1, ',');
      if (turn === 1 && tokens.is(index, '{') && this.#ofSets.has(list) && begins)
        return this.#task('literal', index, index);
      if (turn === 1) {
        this.#open.push(index);
        if (tokens.is(index, '[') && tokens.is(index - 2, 'tasks') && tokens.is(index - 1, '='))
          this.#lists.push(index);
      } else if (turn === -1) this.#open.pop();
      return index + 1;
    }
    if (kind !== NAME || !this.#names.mayWrite(tokens.word(index))) return index + 1;
    const before = index - 1;
    // In `case Task(prompt=text):` it is a pattern.
    if (['.', 'def', 'class', '@', 'case'].some((word) => tokens.is(before, word))) return index + 1;
    const [name, open] = readDottedName(this.#tokens, index);
    // Outside brackets, a bracket on the next line begins another statement.
    if (!tokens.is(open, '(') || (this.#open.length === 0 && tokens.lineColumn(open) !== -1)) return index + 1;
    const spelling = this.#names.spelling(name);
    if (spelling === undefined) return open;
    if (spelling === 'set') {
      this.#set(open);
      return open;
    }
    return this.#task(spelling, index, open);
  }

  /** Leaves the blocks that end before a token that begins a statement, and enters the one that it begins. */
  #enterStatement(index: number): void {
    const tokens = this.#tokens;
    const column = tokens.lineColumn(index);
    if (column === -1) return;
    while ((this.#blocks.at(-1)?.column ?? -1) >= column) this.#blocks.pop();
    const keyword = tokens.is(index, 'async') ? index + 1 : index;
    const [manager] = tokens.is(keyword, 'with') ? readDottedName(tokens, keyword + 1) : [''];
    const fails = EXPECTATION.test(manager);
    if (fails || tokens.is(keyword, 'def') || tokens.is(keyword, 'class')) this.#blocks.push({ column, fails });
  }

  #task(spelling: PythonTask['spelling'], first: number, open: number): number {
    const parent = this.#open.at(-1) ?? -1;
    const limit = this.#limit(first, open);
    const close = this.#tokens.matching(open, limit);
    const end = close === -1 ? this.#brokenEnd(first, open, limit) : close + 1;
    const inList = this.#tokens.is(parent, '[') || this.#tokens.is(parent, '(');
    // What must not be a task is deliberately wrong.
    if (this.#blocks.some(({ fails }) => fails)) return end;
    const variable = this.#variable(first, end);
    const fields = variable === null || this.#open.length > 0 ? [] : this.#names.fieldsOf(variable);
    this.#tasks.push({
      spelling,
      first,
      end,
      whole: close !== -1,
      list: inList ? parent : -1,
      variable,
      isLocal: this.#blocks.length > 0,
      fields,
    });
    return end;
  }

  /** `NAME = Task(...)`, `NAME: Task = Task(...)`, `{"name": Task(...)}` */
  #variable(first: number, end: number): string | null {
    const tokens = this.#tokens;
    const before = first - 2;
    if (tokens.is(first - 1, ':') && tokens.kind(before) === TEXT) return this.#text(before);
    if (!tokens.is(first - 1, '=') || this.#open.length > 0 || tokens.is(end, ',')) return null;
    for (let index = before; index >= 0; index -= 1) {
      if (tokens.lineColumn(index) !== -1 || tokens.is(index - 1, ';')) {
        const isName = tokens.kind(index) === NAME && (index === before || tokens.is(index + 1, ':'));
        return isName ? tokens.word(index) : null;
      }
    }
    return null;
  }

  /** The end of the task, at the latest at the next line that begins with one and is not indented further. */
  #limit(first: number, open: number): number {
    const tokens = this.#tokens;
    const close = tokens.matching(open);
    const end = close === -1 ? tokens.length : close + 1;
    const { character: column } = this.#lines.position(tokens.start(first));
    this.#begins ??= this.#linesWithTasks();
    const from = firstIndexWhere(this.#begins, (index) => index > open);
    for (let at = from; at < this.#begins.length; at += 1) {
      const index = this.#begins[at] as number;
      if (index >= end) break;
      if (tokens.lineColumn(index) <= column) return index;
    }
    return end;
  }

  #linesWithTasks(): number[] {
    const lines: number[] = [];
    for (let index = 0; index < this.#tokens.length; index += 1) {
      if (this.#tokens.kind(index) !== NAME || this.#tokens.lineColumn(index) === -1) continue;
      if (!this.#names.mayWrite(this.#tokens.word(index))) continue;
      const [name, open] = readDottedName(this.#tokens, index);
      if (this.#tokens.is(open, '(') && this.#names.spelling(name) !== undefined) lines.push(index);
    }
    return lines;
  }

  /** The end of a task with unmatched brackets: of its indented lines, or where its brackets balance. */
  #brokenEnd(first: number, open: number, limit: number): number {
    const tokens = this.#tokens;
    const column = this.#indentation(first);
    let end = open + 1;
    for (let depth = 1; end < limit; end += 1) {
      const own = tokens.lineColumn(end);
      if (own !== -1 && own <= column) {
        // Its own closing bracket is below its beginning.
        if (own === column && tokens.is(end, ')')) end += 1;
        break;
      }
      depth += tokens.bracket(end);
      if (depth > 0) continue;
      end += 1;
      break;
    }
    return tokens.is(end - 1, ',') ? end - 1 : end;
  }

  /** Indentation of the line that contains a token. */
  #indentation(index: number): number {
    const start = this.#tokens.start(index);
    const { line } = this.#lines.position(start);
    const lineStart = this.#lines.offset({ line, character: 0 });
    const text = this.#tokens.text.slice(lineStart, start);
    return text.length - text.trimStart().length;
  }

  #set(open: number): void {
    const tokens = this.#tokens;
    const fields: Record<string, Json> = {};
    let depth = 0;
    for (let index = open; index < tokens.length; index += 1) {
      depth += tokens.bracket(index);
      if (depth === 0) break;
      if (depth !== 1) continue;
      if (tokens.kind(index) === TEXT && index === open + 1) fields['name'] = this.#text(index);
      if (tokens.kind(index) !== NAME || !tokens.is(index + 1, '=')) continue;
      const kind = tokens.kind(index + 2);
      if (kind === TEXT || kind === OPEN_TEXT) fields[tokens.word(index)] = this.#text(index + 2);
      if (tokens.is(index, 'tasks') && tokens.is(index + 2, '[')) this.#ofSets.add(index + 2);
    }
    this.#sets.push(fields);
  }

  #text(index: number): string | null {
    const read = readString(this.#tokens.word(index), () => undefined);
    return 'value' in read ? read.value : null;
  }
}
