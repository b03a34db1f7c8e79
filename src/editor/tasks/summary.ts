import { kindOfType } from '../../environments/kinds.ts';
import type { Diagnosis, Tally } from '../../language/findings/diagnosis.ts';
import type { Range } from '../../tasks/range.ts';
import type { TaskRow } from '../../tasks/rows.ts';
import type { Task } from '../../tasks/task.ts';
import type { KnownFile } from './known-file.ts';
import type { FileSummary, Problems, TaskSummary } from './model.ts';

/** What the tree shows of a file, from what was read of it. `path`: folders and name below the root. */
export function summarise(known: Pick<KnownFile, 'file' | 'diagnosis'>, path: readonly string[]): FileSummary {
  const { file, diagnosis } = known;
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

/** Worked out piece by piece as it is asked for: most of the tree is asked for names only. */
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
}

/** `browser`, `qa`; an environment of a type that does not run here keeps its own name. */
export function environmentLabel(env: Parameters<typeof kindOfType>[0]): string {
  return kindOfType(env)?.name ?? env.type;
}

function problemsOf(tally: Tally): Problems {
  return { errors: tally.error, warnings: tally.warning };
}
