import { getOrCreate } from '../../base/get-or-create.ts';
import { EMPTY_RANGE, type Position, type Range } from '../../base/range.ts';
import type { Work } from '../../base/slices.ts';
import { commonEnds, splice } from '../../base/splice.ts';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { Problem } from '../../tasks/problem.ts';
import { byPosition, type Format, type TaskFile, type TaskRow } from '../../tasks/rows.ts';
import type { Severity } from '../../tasks/severity.ts';
import { certain, containsUnknown } from '../../tasks/unknown.ts';
import { freeId } from '../free-id.ts';
import { duplicateProblem, type Name, severityOfDuplicate } from './duplicates.ts';
import { fileProblems, lineProblems } from './eras/file.ts';
import { foreignTaskProblem } from './foreign.ts';
import { inexactNumberProblems } from './inexact-numbers.ts';
import { type Duplicate, NameIndex } from './names.ts';
import { isOrdinaryTask } from './ordinary-task.ts';
import { rowProblems } from './row.ts';

/** Number of findings by severity. */
export type Tally = Readonly<Record<Severity, number>>;

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

/** Cached result for a row. All rows without findings share one object. */
interface RowResult {
  readonly problems: readonly Problem[];
  /** Severities of the syntax findings, which the row itself stores. */
  readonly text: readonly Severity[];
  /** `problems` as findings, computed on demand. */
  findings?: readonly LocatedFinding[];
}

/** A finding, and the start of its row when it was created. */
interface LocatedFinding {
  readonly finding: Finding;
  readonly start: Position;
}

const ORDINARY_ROWS_BETWEEN_PAUSES = 64;
const NO_PROBLEMS: readonly Problem[] = [];
const WITHOUT_PROBLEMS: RowResult = Object.freeze({ problems: NO_PROBLEMS, text: [] });

/**
 * The findings of a task file, updated as the file changes; unchanged rows are not checked again. Pure: nothing is
 * executed, and no other file is read.
 */
export class Diagnosis {
  readonly #file: TaskFile;
  #own: UserFunctions;
  #rows: readonly TaskRow[] = [];
  /** One result for each row; undefined if it was not checked yet. */
  #results: (RowResult | undefined)[] = [];
  /** All rows before this one are checked. */
  #firstUnchecked = 0;
  /** Rows with findings, apart from duplicate names. */
  readonly #withProblems = new Set<TaskRow>();
  readonly #names = new NameIndex();
  /** Findings for duplicate names, computed on demand. */
  readonly #locatedNames = new WeakMap<TaskRow, Map<string, LocatedFinding>>();
  #duplicates: ReadonlyMap<TaskRow, readonly Duplicate[]> | undefined;
  #tally: Record<Severity, number> = nothing();

  constructor(file: TaskFile, own: UserFunctions) {
    this.#file = file;
    this.#own = own;
  }

  /** Whether every row is checked in its current state. */
  get complete(): boolean {
    return this.#rows === this.#file.rows && this.#firstUnchecked === this.#rows.length;
  }

  /**
   * Checks new and changed rows. Yields after each that takes long; the next call continues where this one stopped, possibly after
   * further changes.
   * @param own pass it if user-defined functions changed: all rows are checked again
   */
  *update(own: UserFunctions = this.#own): Work<void> {
    this.#follow(own);
    const rows = this.#rows;
    for (;;) {
      // The file changed during the pause; the next call handles it.
      if (rows !== this.#rows || rows !== this.#file.rows) return;
      while (this.#firstUnchecked < rows.length && this.#results[this.#firstUnchecked] !== undefined)
        this.#firstUnchecked += 1;
      const row = rows[this.#firstUnchecked];
      if (row === undefined) return;
      const isOrdinary = this.#check(row);
      if (!isOrdinary || this.#firstUnchecked % ORDINARY_ROWS_BETWEEN_PAUSES === 0) yield;
    }
  }

  /** Does in advance what the first change of the file otherwise waits for. */
  prepareForChanges(): Work<void> {
    return this.#names.index();
  }

  get tally(): Tally {
    const tally = { ...this.#tally };
    for (const { severity } of this.#outside()) tally[severity] += 1;
    for (const duplicates of this.#duplicatesByRow().values()) countDuplicates(tally, duplicates);
    return tally;
  }

  /** Counts for one row; rows that are not checked yet count nothing. */
  tallyOf(row: TaskRow): Tally {
    const tally = nothing();
    const result = this.#resultOf(row);
    if (result === undefined) return tally;
    count(tally, result, 1);
    countDuplicates(tally, this.#duplicatesByRow().get(row) ?? []);
    return tally;
  }

  /** All findings in document order. */
  findings(): Finding[] {
    const findings = this.#outside();
    for (const row of this.#rowsWithFindings()) findings.push(...this.of(row));
    return findings.sort(byPosition);
  }

  /** The findings of one row: syntax problems, other problems, duplicate names. */
  of(row: TaskRow): readonly Finding[] {
    const result = this.#resultOf(row);
    if (result === undefined) return [];
    const duplicates = this.#duplicatesByRow().get(row);
    if (result.problems.length === 0 && result.text.length === 0 && duplicates === undefined) return [];
    const findings = result.text.length === 0 ? [] : [...row.findings];
    findings.push(...this.#locate(row, result));
    for (const duplicate of duplicates ?? []) findings.push(this.#duplicateFinding(row, duplicate));
    return findings;
  }

  /**
   * Returns the most severe findings up to a limit, in document order. If there are more, a summary comes first.
   */
  mostSevere(limit: number): Finding[] {
    const tally = this.tally;
    if (total(tally) <= limit) return this.findings();
    const left = { ...tally };
    let room = limit - 1;
    for (const severity of SEVERITIES) {
      left[severity] = Math.min(tally[severity], room);
      room -= left[severity];
    }
    const findings: Finding[] = [];
    const take = (finding: Finding): void => {
      if (left[finding.severity] === 0) return;
      left[finding.severity] -= 1;
      findings.push(finding);
    };
    for (const finding of this.#outside()) take(finding);
    const duplicates = this.#duplicatesByRow();
    for (const row of this.#rowsWithFindings()) {
      const result = this.#resultOf(row) ?? WITHOUT_PROBLEMS;
      const isSelected =
        result.problems.some(({ severity }) => left[severity] > 0) ||
        result.text.some((severity) => left[severity] > 0) ||
        (left.error + left.warning > 0 && duplicates.has(row));
      if (isSelected) for (const finding of this.of(row)) take(finding);
    }
    const omissions = SEVERITIES.flatMap((severity) => {
      const more = tally[severity] - findings.filter((finding) => finding.severity === severity).length;
      return more === 0 ? [] : [{ severity, more }];
    });
    return [summary(this.#file.file, omissions), ...findings.sort(byPosition)];
  }

  /** Keeps the results of rows that still exist. */
  #follow(own: UserFunctions): void {
    const before = this.#rows;
    const after = this.#file.rows;
    if (own !== this.#own) {
      this.#own = own;
      this.#forget(0, before.length);
      this.#rows = after;
      this.#results = new Array(after.length);
      this.#firstUnchecked = 0;
      return;
    }
    this.#duplicates = undefined;
    if (before === after) return;
    const { first, last } = commonEnds(before, after);
    this.#forget(first, before.length - last);
    this.#rows = after;
    const unchecked = new Array<undefined>(after.length - last - first).fill(undefined);
    this.#results = splice<RowResult | undefined>(this.#results, first, before.length - last - first, unchecked);
    this.#firstUnchecked = Math.min(this.#firstUnchecked, first);
  }

  #forget(from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const result = this.#results[index];
      if (result === undefined) continue;
      const row = this.#rows[index] as TaskRow;
      this.#names.remove(row);
      if (result === WITHOUT_PROBLEMS) continue;
      this.#withProblems.delete(row);
      count(this.#tally, result, -1);
    }
    this.#duplicates = undefined;
  }

  /** Returns whether the row was checked fast. */
  #check(row: TaskRow): boolean {
    const { findings } = row;
    const isOrdinary = findings.length === 0 && isOrdinaryTask(row.value, this.#own);
    const problems = isOrdinary ? NO_PROBLEMS : problemsOf(row, this.#file.format, this.#own);
    const result =
      findings.length === 0 && problems.length === 0
        ? WITHOUT_PROBLEMS
        : { problems, text: findings.map(({ severity }) => severity) };
    this.#results[row.index] = result;
    this.#names.add(row);
    this.#duplicates = undefined;
    if (result === WITHOUT_PROBLEMS) return isOrdinary;
    this.#withProblems.add(row);
    count(this.#tally, result, 1);
    return isOrdinary;
  }

  /** Findings outside the rows, or about the file as a whole. */
  #outside(): Finding[] {
    return [...this.#file.outside, ...fileProblems(this.#file)];
  }

  /** Rows with findings, in document order. */
  #rowsWithFindings(): TaskRow[] {
    const rows = new Set([...this.#withProblems, ...this.#duplicatesByRow().keys()]);
    return [...rows].sort((a, b) => a.index - b.index);
  }

  #resultOf(row: TaskRow): RowResult | undefined {
    return this.#rows[row.index] === row ? this.#results[row.index] : undefined;
  }

  #duplicatesByRow(): ReadonlyMap<TaskRow, readonly Duplicate[]> {
    this.#duplicates ??= this.#names.duplicates();
    return this.#duplicates;
  }

  #locate(row: TaskRow, result: RowResult): readonly Finding[] {
    if (result.problems.length === 0) return [];
    const { start } = row.range;
    result.findings ??= result.problems.map((problem) => ({ finding: row.finding(problem), start }));
    return result.findings.map((located) => moveFinding(located, row, start)).sort(byPosition);
  }

  #duplicateFinding(row: TaskRow, { name, first }: Duplicate): Finding {
    const { file, range } = this.#nameFinding(first, name);
    return {
      ...this.#nameFinding(row, name),
      message: duplicateProblem(name, range.start.line).message,
      related: [{ file, range, message: `The first “${name.name}”` }],
      fixes: () => {
        const free = freeId(name.name, { has: (other) => this.#names.has(name.kind, other) });
        const edits = row.edit([{ set: name.path, value: free }]);
        return edits === null ? [] : [{ title: `Change to “${free}”`, edits, safe: false }];
      },
    };
  }

  /** A finding at a name of a row, with an arbitrary message. */
  #nameFinding(row: TaskRow, name: Name): Finding {
    const names = getOrCreate(this.#locatedNames, row, () => new Map<string, LocatedFinding>());
    const { start } = row.range;
    const located = getOrCreate(names, `${name.kind} ${name.name}`, () => ({
      finding: row.finding(duplicateProblem(name, 0)),
      start,
    }));
    return moveFinding(located, row, start);
  }
}

/** Problems of one row, including those found while reading it. */
export function problemsOf(row: TaskRow, format: Format, own: UserFunctions): readonly Problem[] {
  const { reading } = row;
  if (reading === null) return NO_PROBLEMS;
  const foreign = foreignTaskProblem(row.value);
  if (foreign !== null) return [foreign];
  const problems = [...reading.problems, ...rowProblems(reading, row.value, own), ...lineProblems(row, format)];
  problems.push(...inexactNumberProblems(reading, row.value, problems));
  return row.findings.length > 0 && containsUnknown(row.value) ? certain(problems, row.value) : problems;
}

function nothing(): Record<Severity, number> {
  return { error: 0, warning: 0, information: 0, hint: 0 };
}

function count(tally: Record<Severity, number>, { problems, text }: RowResult, by: number): void {
  for (const { severity } of problems) tally[severity] += by;
  for (const severity of text) tally[severity] += by;
}

function countDuplicates(tally: Record<Severity, number>, duplicates: readonly Duplicate[]): void {
  for (const { name } of duplicates) tally[severityOfDuplicate(name)] += 1;
}

export function total(tally: Tally): number {
  return tally.error + tally.warning + tally.information + tally.hint;
}

/** Moves a finding to the current location of its row. */
function moveFinding({ finding, start: before }: LocatedFinding, row: TaskRow, now: Position): Finding {
  const { name: task_id, index: task_index } = row;
  const isSameTask = finding.task_id === task_id && finding.task_index === task_index;
  if (before.line === now.line && before.character === now.character && isSameTask) return finding;
  const movePosition = ({ line, character }: Position): Position => ({
    line: line + now.line - before.line,
    character: line === before.line ? character + now.character - before.character : character,
  });
  const range: Range = { start: movePosition(finding.range.start), end: movePosition(finding.range.end) };
  return { ...finding, range, task_id, task_index };
}

function summary(file: string, omissions: readonly { severity: Severity; more: number }[]): Finding {
  const counts = omissions.map(({ severity, more }) => {
    const word = severity === 'information' ? 'piece of information' : severity;
    return `${more} more ${more === 1 ? word : severity === 'information' ? 'pieces of information' : `${word}s`}`;
  });
  return {
    file,
    range: EMPTY_RANGE,
    severity: omissions[0]?.severity ?? 'information',
    code: 'more-findings',
    message: `${counts.join(', ')} in this file. The editor shows only the most severe; run \`taskwright validate\` to see all`,
  };
}
