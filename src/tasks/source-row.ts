import { defined } from '../base/defined.ts';
import { isObject, type Json, textOf } from '../base/json.ts';
import type { Lines } from '../base/lines.ts';
import { type Part, type Path, valueAt } from '../base/path.ts';
import { type Position, type Range, type Span, shift } from '../base/range.ts';
import { digitsOf, isNumber } from '../base/raw-number.ts';
import { nearestNumbers } from '../base/raw-numbers-in.ts';
import { escapeControls } from '../base/terminal-text.ts';
import { type NumberText, numberTexts } from '../python/numbers.ts';
import { callObject, type ReadCall } from './calls.ts';
import type { Change, Fix, TextEdit, ValueFix } from './change.ts';
import { eraOf } from './era.ts';
import type { Finding } from './finding.ts';
import { type OffsetEdit, type RowContent, type RowSource, shiftProblem, type TextProblem } from './formats/source.ts';
import { labelOf } from './label.ts';
import type { Problem } from './problem.ts';
import { type Reading, readRow } from './reading.ts';
import { type Cursor, kindOf, type TaskRow } from './rows.ts';
import { hasPythonNumbers, slugOf } from './slug.ts';
import { type Call, type EnvironmentSpec, type Era, eraSchema, type Task } from './task.ts';

/** Cached for every row that was read. Those without problems and slug share one object for each era, to save memory. */
interface Facts {
  readonly slug: string | null;
  readonly era: Era;
  readonly readable: boolean;
  /** Offsets are relative to `base` of the source. */
  readonly problems: readonly TextProblem[];
}

/** Cached only for the row that was used last, because it takes ten times the memory of its text. */
interface CurrentRow {
  readonly row: SourceRow;
  readonly value: Json | undefined;
  reading?: Reading | null;
  task?: Task | null;
}

const NO_FINDINGS: readonly Finding[] = [];

/** The facts of rows without problems and slug. */
const PLAIN = Object.fromEntries(
  eraSchema.options.map((era) => [era, { slug: null, era, readable: true, problems: [] }]),
) as unknown as Readonly<Record<Era, Facts>>;

/** The path of a file and its text, which all of its rows share. */
export interface FileText {
  readonly file: string;
  readonly lines: Lines;
}

export class SourceRow implements TaskRow {
  index: number;
  readonly #text: FileText;
  readonly #source: RowSource;
  #facts: Facts | undefined;
  /** Known once `#facts` is. */
  #id: string | null = null;
  static #last: CurrentRow | undefined;

  constructor(text: FileText, index: number, source: RowSource) {
    this.#text = text;
    this.index = index;
    this.#source = source;
  }

  /** Clears results that contain ranges, after a change of the text. */
  static forget(): void {
    SourceRow.#last = undefined;
  }

  get value(): unknown {
    return this.#current().value;
  }

  get findings(): readonly Finding[] {
    const { problems } = this.#knownFacts();
    if (problems.length === 0) return NO_FINDINGS;
    const { base } = this.#source;
    const { file, lines } = this.#text;
    return problems.map((problem) => textFinding(file, shiftProblem(problem, base), lines, this));
  }

  get era(): Era {
    return this.#knownFacts().era;
  }

  get name(): string {
    return this.#uniqueId ?? String(this.index);
  }

  get label(): string {
    if (this.#uniqueId !== null) return escapeControls(this.#uniqueId);
    const { value } = this;
    return (isObject(value) ? labelOf(value, this.variable) : null) ?? this.name;
  }

  get id(): string | null {
    this.#knownFacts();
    return this.#id;
  }

  get slug(): string | null {
    return this.#knownFacts().slug;
  }

  get variable(): string | null {
    return this.#source.variable ?? null;
  }

  get isLocal(): boolean {
    return this.#source.isLocal === true;
  }

  /** The id, but in HUD 0.6, where it names a template, the slug. */
  get #uniqueId(): string | null {
    return this.era === '0.6' ? (this.slug ?? this.id) : this.id;
  }

  get range(): Range {
    return this.#text.lines.range(this.#source.start, this.#source.end);
  }

  get text(): string {
    return this.#text.lines.slice(this.#source.start, this.#source.end);
  }

  get reading(): Reading | null {
    const current = this.#current();
    if (current.reading === undefined) {
      current.reading =
        this.#knownFacts().readable && current.value !== undefined ? readRow(current.value, this.#id) : null;
    }
    return current.reading;
  }

  get task(): Task | null {
    const { reading } = this;
    const current = this.#current();
    current.task ??= reading === null ? null : this.#build(reading);
    return current.task;
  }

  rangeOf(path: Path, part: Part = 'value'): Range | undefined {
    if (path.length === 0) return this.range;
    const span = this.#locate(path, part);
    return span && this.#text.lines.range(span.start, span.end);
  }

  /** The span in the file of the value or key at a path. */
  #locate(path: Path, part: Part): Span | undefined {
    const span = this.#source.locate(path, part);
    return span && shift(span, this.#source.base);
  }

  finding(problem: Problem): Finding {
    const { path, part, word, fixes, ...rest } = problem;
    let range = path.length === 0 ? this.#head() : this.#wordOf(path, part, word);
    for (let length = path.length - 1; range === undefined && length >= 0; length -= 1) {
      range = length === 0 ? this.#head() : this.rangeOf(path.slice(0, length));
    }
    return {
      file: this.#text.file,
      range: range ?? this.range,
      ...rest,
      task_id: this.name,
      task_index: this.index,
      ...(fixes === undefined ? {} : { fixes: () => this.#fixes(fixes) }),
    };
  }

  edit(changes: readonly Change[]): readonly TextEdit[] | null {
    return textEdits(this.#source.edit(changes), this.#text.lines);
  }

  cursor(position: Position): Cursor {
    const { base } = this.#source;
    const { lines } = this.#text;
    const { start, end, commaBefore, ...rest } = this.#source.cursor(lines.offset(position) - base);
    return {
      row: this,
      range: lines.range(base + start, base + end),
      ...(commaBefore === undefined ? {} : { commaBefore: lines.position(base + commaBefore) }),
      ...rest,
    };
  }

  contains(offset: number): boolean {
    const { start, end } = this.#source.reach ?? this.#source;
    return start <= offset && offset <= end;
  }

  startsAfter(offset: number): boolean {
    return (this.#source.reach ?? this.#source).start > offset;
  }

  #fixes(fixes: readonly ValueFix[]): Fix[] {
    return fixes.flatMap(({ title, changes, safe }) => {
      const edits = this.edit(changes);
      return edits === null ? [] : [{ title, edits, safe: safe === true }];
    });
  }

  #knownFacts(): Facts {
    if (this.#facts === undefined) this.#read();
    return this.#facts as Facts;
  }

  #current(): CurrentRow {
    const last = SourceRow.#last;
    return last?.row === this ? last : this.#read();
  }

  #read(): CurrentRow {
    const content = this.#source.read();
    const { value } = content;
    if (this.#facts === undefined) {
      this.#facts = this.#factsOf(content);
      if (isObject(value)) this.#id = this.#idOf(value['id']);
    }
    SourceRow.#last = { row: this, value };
    return SourceRow.#last;
  }

  #factsOf({ value, readable, problems }: RowContent): Facts {
    if (isObject(value)) {
      const era = eraOf(value);
      const slug = slugOf(value, era, era === '0.6' ? this.#numberText() : undefined);
      const isPlain = slug === null && readable && problems.length === 0;
      return isPlain ? PLAIN[era] : { slug, era, readable, problems };
    }
    const nothing = { slug: null, era: '0.2', readable: false } as const;
    if (!readable) return { ...nothing, problems };
    const message = `A task must be an object, not ${kindOf(value)}`;
    const { start, end, base } = this.#source;
    const span = { start: start - base, end: end - base };
    const problem = { ...span, severity: 'error', code: 'task-not-object', message } as const;
    return { ...nothing, problems: [...problems, problem] };
  }

  /** A number as an id is what is written: `1.0` is not `1`. In Python, an integer is its digits. */
  #idOf(id: Json | undefined): string | null {
    if (!isNumber(id)) return textOf(id);
    if (this.#source.numberText !== undefined) {
      const text = this.#source.numberText(['id'])?.replaceAll('_', '');
      return text !== undefined && /^-?[\d.]+(?:e[-+]?\d+)?$/i.test(text) && !/^-?\d+$/.test(text)
        ? text
        : digitsOf(id);
    }
    const span = this.#locate(['id'], 'value');
    const text = span && this.#text.lines.slice(span.start, span.end);
    // Not the name of an alias.
    return text !== undefined && /^[-+.\d]/.test(text) ? text : digitsOf(id);
  }

  /** How numbers are written; undefined if JavaScript prints all of them as they are written. */
  #numberText(): NumberText | undefined {
    if (this.#source.numberText !== undefined) return (path) => this.#source.numberText?.(path);
    if (!hasPythonNumbers(this.text)) return undefined;
    return (path) => {
      const span = this.#locate(path, 'value');
      return span && this.#text.lines.slice(span.start, span.end);
    };
  }

  /** The environment, with the numbers of its arguments as they are written: HUD's servers are in Python. */
  #environment({ era, fields: { env } }: Reading): EnvironmentSpec {
    const textOf = era === '0.5' || era === '0.6' ? this.#numberText() : undefined;
    if (textOf === undefined) return env;
    const numbers = numberTexts(env['args'] ?? null, ['args'], textOf);
    const envWithNumbers = Object.keys(numbers).length === 0 ? env : { ...env, numbers };
    const { verifier } = env;
    if (!isObject(verifier)) return envWithNumbers;
    const inVerifier: NumberText = (path) => textOf(['verifier', ...path]);
    return {
      ...envWithNumbers,
      verifier: { ...verifier, numbers: numberTexts(verifier['args'] ?? null, ['args'], inVerifier) },
    };
  }

  /** Where to report a missing key: at the id or prompt, so that the whole task is not underlined. */
  #head(): Range | undefined {
    const keys = ['prompt', 'instruction', 'scenario', 'env', 'mcp_config'];
    return this.#wordOf(['id']) ?? keys.map((key) => this.#wordOf([key], 'key')).find((range) => range !== undefined);
  }

  /**
   * Range of the value or key at the path; without its quotes if it is a text without escapes.
   * @param word the part of the text that is meant; the whole text by default
   */
  #wordOf(path: Path, part: Part = 'value', word?: string): Range | undefined {
    const span = this.#locate(path, part);
    if (span === undefined) return undefined;
    const { start, end } = span;
    const text = part === 'key' ? path.at(-1) : valueAt(this.value, path);
    if (typeof text !== 'string' || text === '') return this.#text.lines.range(start, end);
    const before = textStart(this.#text.lines.slice(start, end), text);
    if (before === null) return this.#text.lines.range(start, end);
    const at = word === undefined ? -1 : text.indexOf(word);
    const from = start + before + Math.max(0, at);
    return this.#text.lines.range(from, from + (word === undefined || at === -1 ? text : word).length);
  }

  #build(reading: Reading): Task {
    const textOf = callsController(reading) ? this.#numberText() : undefined;
    const calls = (list: readonly ReadCall[]): Call[] =>
      list.map((call) => {
        const { args, argPaths, path } = call;
        const textIn: NumberText = ([index, ...rest]) => textOf?.([...(argPaths[Number(index)] ?? path), ...rest]);
        const numbers = textOf === undefined ? {} : numberTexts(args, [], textIn);
        return {
          ...callObject(call),
          ...(Object.keys(numbers).length === 0 ? {} : { numbers }),
          range: this.rangeOf(path) ?? this.range,
        };
      });
    const task: Task = {
      file: this.#text.file,
      index: this.index,
      era: reading.era,
      range: this.range,
      ...reading.fields,
      env: this.#environment(reading),
      id: this.#uniqueId,
      setup: calls(reading.setup),
      evaluate: calls(reading.evaluate),
    };
    return nearestNumbers(task);
  }
}

export function textEdits(edits: readonly OffsetEdit[] | null, lines: Lines): readonly TextEdit[] | null {
  return edits?.map(({ start, end, text }) => ({ range: lines.range(start, end), text })) ?? null;
}

/** @param row the row with the problem; absent if it is outside of the rows */
export function textFinding(
  file: string,
  problem: TextProblem,
  lines: Lines,
  row?: Pick<TaskRow, 'name' | 'index'>,
): Finding {
  const { start, end, fix, ...rest } = problem;
  const fixes =
    fix && (() => [{ title: fix.title, edits: textEdits(fix.edits, lines) ?? [], safe: fix.safe === true }]);
  const of = row === undefined ? {} : { task_id: row.name, task_index: row.index };
  return { file, range: lines.range(start, end), ...rest, ...of, ...defined({ fixes }) };
}

/** Offset of the content of a string literal, after its prefix and quotes. Null for other texts. */
function textStart(source: string, text: string): number | null {
  if (source === text) return 0;
  const [before, quote] = /^[A-Za-z]{0,2}("""|'''|"|')/.exec(source) ?? [];
  return before !== undefined && source === `${before}${text}${quote}` ? before.length : null;
}

/** Whether the calls of a task go to a controller of HUD 0.2, which is in Python. */
export function callsController({ era, fields: { env } }: Reading): boolean {
  return era === '0.2' && (env.type === 'public' || env.type === 'docker');
}
