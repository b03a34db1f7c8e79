import type { Range } from '../../base/range.ts';
import type { Diagnosis, Tally } from '../../language/findings/diagnosis.ts';
import { environmentLabel } from '../../presentation/labels.ts';
import type { FileSummary, Problems, TaskSummary } from '../../presentation/tasks/model.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import type { Task } from '../../tasks/task.ts';
import { isComputed } from '../../tasks/unknown.ts';
import type { KnownFile } from './known-file.ts';

/** The summary of a file for the tree. `path`: folders and name below the root. */
export function summarise(knownFile: Pick<KnownFile, 'file' | 'diagnosis'>, path: readonly string[]): FileSummary {
  const { file, diagnosis } = knownFile;
  const { rows } = file;
  return {
    file: file.file,
    path,
    title: file.set?.name ?? null,
    tasks: {
      length: rows.length,
      at: (index) => {
        const row = rows[index];
        return row === undefined ? undefined : new RowSummary(file.file, row, diagnosis);
      },
    },
    problems: problemsOf(diagnosis.tally),
  };
}

/** Computes each property on demand: most of the tree needs only names. */
class RowSummary implements TaskSummary {
  readonly file: string;
  readonly #row: TaskRow;
  readonly #diagnosis: Diagnosis;

  constructor(file: string, row: TaskRow, diagnosis: Diagnosis) {
    this.file = file;
    this.#row = row;
    this.#diagnosis = diagnosis;
  }

  get index(): number {
    return this.#row.index;
  }

  get name(): string {
    return this.#row.name;
  }

  get label(): string {
    return this.#row.label;
  }

  get range(): Range {
    return this.#row.range;
  }

  get prompt(): string | null {
    return this.#row.reading?.fields.prompt ?? null;
  }

  get environment(): string {
    const { reading } = this.#row;
    return reading === null ? '' : environmentLabel(reading.fields.env);
  }

  get tags(): readonly string[] {
    return this.#row.reading?.fields.tags ?? [];
  }

  get metadata(): Task['metadata'] {
    return this.#row.reading?.fields.metadata ?? {};
  }

  get problems(): Problems {
    return problemsOf(this.#diagnosis.tallyOf(this.#row));
  }

  get readable(): boolean {
    return this.#row.reading !== null;
  }

  get isComputed(): boolean {
    return isComputed(this.#row);
  }
}

function problemsOf(tally: Tally): Problems {
  return { errors: tally.error, warnings: tally.warning };
}
