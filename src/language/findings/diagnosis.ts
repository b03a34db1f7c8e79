import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { Problem } from '../../tasks/problem.ts';
import { EMPTY_RANGE, type Position, type Range } from '../../tasks/range.ts';
import { byPosition, type Format, type TaskFile, type TaskRow } from '../../tasks/rows.ts';
import type { Severity } from '../../tasks/severity.ts';
import type { Work } from '../../tasks/slices.ts';
import { spliced } from '../../tasks/splice.ts';
import { certain, containsUnknown } from '../../tasks/unknown.ts';
import { freeId } from '../free-id.ts';
import { type Name, namesOf, repeated, severityOfDuplicate } from './duplicates.ts';
import { fileProblems, lineProblems } from './eras/file.ts';
import { NameIndex, type Repeat } from './names.ts';
import { isOrdinaryTask } from './ordinary-task.ts';
import { rowProblems } from './row.ts';

/** Number of findings by severity. */
export type Tally = Readonly<Record<Severity, number>>;

const SEVERITIES: readonly Severity[] = ['error', 'warning', 'information', 'hint'];

/** Cached result for a row. All rows without findings share one object. */
interface Judged {
  readonly problems: readonly Problem[];
  /** Severities of the syntax findings, which the row itself stores. */
  readonly text: readonly Severity[];
  /** `problems` as findings, computed on demand. */
  placed?: readonly Placed[];
}

/** A finding, and the start of its row when it was created. */
interface Placed {
  readonly finding: Finding;
  readonly start: Position;
}

const NO_PROBLEMS: readonly Problem[] = [];
const FINE: Judged = Object.freeze({ problems: NO_PROBLEMS, text: [] });

/**
 * The findings of a task file, updated as the file changes; unchanged rows are not checked again. Pure: nothing is
 * executed, and no other file is read.
 */
export class Diagnosis {
  readonly #file: TaskFile;
  #own: UserFunctions;
  #rows: readonly TaskRow[] = [];
  /** One result for each row; undefined if it was not checked yet. */
  #judged: (Judged | undefined)[] = [];
  /** All rows before this one are checked. */
  #waiting = 0;
  /** Rows with findings, apart from duplicate names. */
  readonly #odd = new Set<TaskRow>();
  readonly #names = new NameIndex();
  /** Findings for duplicate names, computed on demand. */
  readonly #placedNames = new WeakMap<TaskRow, Map<string, Placed>>();
  #repeats: ReadonlyMap<TaskRow, readonly Repeat[]> | undefined;
  #tally: Record<Severity, number> = nothing();

  constructor(file: TaskFile, own: UserFunctions) {
    this.#file = file;
    this.#own = own;
  }

  /** Whether every row is checked in its current state. */
  get complete(): boolean {
    return this.#rows === this.#file.rows && this.#waiting === this.#rows.length;
  }

  /**
   * Checks new and changed rows. Yields after each; the next call continues where this one stopped, possibly after
   * further changes.
   * @param own pass it if user-defined functions changed: all rows are checked again
   */
  *update(own: UserFunctions = this.#own): Work<void> {
    this.#follow(own);
    const rows = this.#rows;
    for (;;) {
      // The file changed during the pause; the next call handles it.
      if (rows !== this.#rows || rows !== this.#file.rows) return;
      while (this.#waiting < rows.length && this.#judged[this.#waiting] !== undefined) this.#waiting += 1;
      const row = rows[this.#waiting];
      if (row === undefined) return;
      this.#judge(row);
      yield;
    }
  }

  get tally(): Tally {
    const tally = { ...this.#tally };
    for (const { severity } of this.#outside()) tally[severity] += 1;
    for (const repeats of this.#repeated().values()) countRepeats(tally, repeats);
    return tally;
  }

  /** Counts for one row; rows that are not checked yet count nothing. */
  tallyOf(row: TaskRow): Tally {
    const tally = nothing();
    const judged = this.#judgedOf(row);
    if (judged === undefined) return tally;
    count(tally, judged, 1);
    countRepeats(tally, this.#repeated().get(row) ?? []);
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
    const judged = this.#judgedOf(row);
    if (judged === undefined) return [];
    const repeats = this.#repeated().get(row);
    if (judged.problems.length === 0 && judged.text.length === 0 && repeats === undefined) return [];
    const findings = judged.text.length === 0 ? [] : [...row.findings];
    findings.push(...this.#placed(row, judged));
    for (const repeat of repeats ?? []) findings.push(this.#placedRepeat(row, repeat));
    return findings;
  }

  /**
   * Returns the most severe findings up to a limit, in document order. If there are more, a summary comes first.
   */
  shown(limit: number): Finding[] {
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
    const repeats = this.#repeated();
    for (const row of this.#rowsWithFindings()) {
      const judged = this.#judgedOf(row) ?? FINE;
      const wanted =
        judged.problems.some(({ severity }) => left[severity] > 0) ||
        judged.text.some((severity) => left[severity] > 0) ||
        (left.error + left.warning > 0 && repeats.has(row));
      if (wanted) for (const finding of this.of(row)) take(finding);
    }
    const hidden = SEVERITIES.flatMap((severity) => {
      const more = tally[severity] - findings.filter((finding) => finding.severity === severity).length;
      return more === 0 ? [] : [{ severity, more }];
    });
    return [summary(this.#file.file, hidden), ...findings.sort(byPosition)];
  }

  /** Keeps the results of rows that still exist. */
  #follow(own: UserFunctions): void {
    const before = this.#rows;
    const after = this.#file.rows;
    if (own !== this.#own) {
      this.#own = own;
      this.#forget(0, before.length);
      this.#rows = after;
      this.#judged = new Array(after.length);
      this.#waiting = 0;
      return;
    }
    this.#repeats = undefined;
    if (before === after) return;
    const shared = Math.min(before.length, after.length);
    let first = 0;
    while (first < shared && before[first] === after[first]) first += 1;
    let last = 0;
    while (last < shared - first && before[before.length - 1 - last] === after[after.length - 1 - last]) last += 1;
    this.#forget(first, before.length - last);
    this.#rows = after;
    const unjudged = new Array<undefined>(after.length - last - first).fill(undefined);
    this.#judged = spliced<Judged | undefined>(this.#judged, first, before.length - last - first, unjudged);
    this.#waiting = Math.min(this.#waiting, first);
  }

  #forget(from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const judged = this.#judged[index];
      if (judged === undefined) continue;
      const row = this.#rows[index] as TaskRow;
      this.#names.remove(row, namesOf(row));
      if (judged === FINE) continue;
      this.#odd.delete(row);
      count(this.#tally, judged, -1);
    }
    this.#repeats = undefined;
  }

  #judge(row: TaskRow): void {
    const { findings } = row;
    const problems =
      findings.length === 0 && isOrdinaryTask(row.value, this.#own)
        ? []
        : problemsOf(row, this.#file.format, this.#own);
    const judged =
      findings.length === 0 && problems.length === 0
        ? FINE
        : { problems, text: findings.map(({ severity }) => severity) };
    this.#judged[row.index] = judged;
    this.#names.add(row, namesOf(row));
    this.#repeats = undefined;
    if (judged === FINE) return;
    this.#odd.add(row);
    count(this.#tally, judged, 1);
  }

  /** Findings outside the rows, or about the file as a whole. */
  #outside(): Finding[] {
    return [...this.#file.outside, ...fileProblems(this.#file)];
  }

  /** Rows with findings, in document order. */
  #rowsWithFindings(): TaskRow[] {
    const rows = new Set([...this.#odd, ...this.#repeated().keys()]);
    return [...rows].sort((a, b) => a.index - b.index);
  }

  #judgedOf(row: TaskRow): Judged | undefined {
    return this.#rows[row.index] === row ? this.#judged[row.index] : undefined;
  }

  #repeated(): ReadonlyMap<TaskRow, readonly Repeat[]> {
    this.#repeats ??= this.#names.repeats(namesOf);
    return this.#repeats;
  }

  #placed(row: TaskRow, judged: Judged): readonly Finding[] {
    if (judged.problems.length === 0) return [];
    const { start } = row.range;
    judged.placed ??= judged.problems.map((problem) => ({ finding: row.finding(problem), start }));
    return judged.placed.map((placed) => moved(placed, row, start)).sort(byPosition);
  }

  #placedRepeat(row: TaskRow, { name, first }: Repeat): Finding {
    const { file, range } = this.#place(first, name);
    return {
      ...this.#place(row, name),
      message: repeated(name, range.start.line).message,
      related: [{ file, range, message: `The first “${name.name}”` }],
      fixes: () => {
        const free = freeId(name.name, { has: (other) => this.#names.has(name.kind, other) });
        const edits = row.edit([{ set: name.path, value: free }]);
        return edits === null ? [] : [{ title: `Change to “${free}”`, edits, safe: false }];
      },
    };
  }

  /** A finding at a name of a row, with an arbitrary message. */
  #place(row: TaskRow, name: Name): Finding {
    let names = this.#placedNames.get(row);
    if (names === undefined) {
      names = new Map();
      this.#placedNames.set(row, names);
    }
    const { start } = row.range;
    const key = `${name.kind} ${name.name}`;
    let placed = names.get(key);
    if (placed === undefined) {
      placed = { finding: row.finding(repeated(name, 0)), start };
      names.set(key, placed);
    }
    return moved(placed, row, start);
  }
}

/** Problems of one row, including those found while reading it. */
export function problemsOf(row: TaskRow, format: Format, own: UserFunctions): readonly Problem[] {
  const { reading } = row;
  if (reading === null) return NO_PROBLEMS;
  const problems = [...reading.problems, ...rowProblems(reading, row.value, own), ...lineProblems(row, format)];
  return row.findings.length > 0 && containsUnknown(row.value) ? certain(problems, row.value) : problems;
}

function nothing(): Record<Severity, number> {
  return { error: 0, warning: 0, information: 0, hint: 0 };
}

function count(tally: Record<Severity, number>, { problems, text }: Judged, by: number): void {
  for (const { severity } of problems) tally[severity] += by;
  for (const severity of text) tally[severity] += by;
}

function countRepeats(tally: Record<Severity, number>, repeats: readonly Repeat[]): void {
  for (const { name } of repeats) tally[severityOfDuplicate(name)] += 1;
}

export function total(tally: Tally): number {
  return tally.error + tally.warning + tally.information + tally.hint;
}

/** Moves a finding to the current location of its row. */
function moved({ finding, start: before }: Placed, row: TaskRow, now: Position): Finding {
  const task_id = row.name;
  if (before.line === now.line && before.character === now.character && finding.task_id === task_id) return finding;
  const move = ({ line, character }: Position): Position => ({
    line: line + now.line - before.line,
    character: line === before.line ? character + now.character - before.character : character,
  });
  const range: Range = { start: move(finding.range.start), end: move(finding.range.end) };
  return { ...finding, range, task_id };
}

function summary(file: string, hidden: readonly { severity: Severity; more: number }[]): Finding {
  const counts = hidden.map(({ severity, more }) => {
    const word = severity === 'information' ? 'piece of information' : severity;
    return `${more} more ${more === 1 ? word : severity === 'information' ? 'pieces of information' : `${word}s`}`;
  });
  return {
    file,
    range: EMPTY_RANGE,
    severity: hidden[0]?.severity ?? 'information',
    code: 'more-findings',
    message: `${counts.join(', ')} in this file. The editor shows only the most severe; run \`taskwright validate\` to see all`,
  };
}
