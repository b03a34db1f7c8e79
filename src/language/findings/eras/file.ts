import { defined } from '../../../base/defined.ts';
import type { Path } from '../../../base/path.ts';
import type { Fix } from '../../../tasks/change.ts';
import type { Finding } from '../../../tasks/finding.ts';
import { error, type Problem } from '../../../tasks/problem.ts';
import type { Format, TaskFile, TaskRow } from '../../../tasks/rows.ts';
import { HUD_0_6 } from './hud-0.6.ts';

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

/** Problems of a file as a whole in the HUD release that runs its tasks, which its first task determines. */
export function fileProblems(file: TaskFile): Finding[] {
  const era = file.rows[0]?.era;
  if (era !== '0.4' && era !== '0.5' && era !== '0.6') return [];
  const report = (severity: 'error' | 'warning', message: string, fixes?: Finding['fixes']): Finding[] => [
    { file: file.file, range: START, severity, code: 'hud-file', message, ...defined({ fixes }) },
  ];
  if (file.format === 'python') return [];
  if (file.format === 'yaml') {
    return report('warning', `HUD ${era} does not read YAML. Store its tasks in a .json or .jsonl file`);
  }
  if (file.set !== null) {
    return era === '0.6'
      ? report(
          'error',
          `${HUD_0_6} rejects {"tasks": [...]}, because it reads the object as one task. Write only the list`,
        )
      : report('warning', `HUD ${era} reads a list of tasks, not {"tasks": [...]}. Write only the list`);
  }
  const { start } = file.rows[0]?.range ?? START;
  const alone = file.format === 'json' && file.rows.length === 1 && start.line === 0 && start.character === 0;
  // The file name for a single task is Taskwright's own.
  return era === '0.4' && alone && !/\.task\.json$/.test(file.file)
    ? report(
        'warning',
        'HUD 0.4.74 reads only lists from a .json file. Write this task as [{...}]; HUD 0.5 also accepts a single task',
        () => asList(file),
      )
    : [];
}

/** Adds brackets around the only task of a file. */
function asList({ rows: [row] }: TaskFile): readonly Fix[] {
  if (row === undefined) return [];
  const { start, end } = row.range;
  const edits = [
    { range: { start, end: start }, text: '[' },
    { range: { start: end, end }, text: ']' },
  ];
  return [{ title: 'Write it as a list', edits, safe: false }];
}

/** Python also breaks the lines of a file at these characters, even inside a string. */
const LINE_ENDS = /[\u0085\u2028\u2029]/;

/** A row of JSON lines that HUD 0.6 reads as two lines. */
export function lineProblems(row: TaskRow, format: Format): Problem[] {
  if (format !== 'jsonl' || row.era !== '0.6') return [];
  const lineEnd = LINE_ENDS.exec(row.text)?.[0];
  if (lineEnd === undefined) return [];
  const { path = [], ...part } = placeOf(lineEnd, row.value, []) ?? {};
  const escapeSequence = `\\u${lineEnd.charCodeAt(0).toString(16).padStart(4, '0')}`;
  const message = `${HUD_0_6} ends the line at the character U+${escapeSequence.slice(2).toUpperCase()} in this task. Write it as ${escapeSequence}`;
  return [{ ...part, ...error('line-separator', path, message) }];
}

/** The first text that contains a character. */
function placeOf(word: string, value: unknown, path: Path): Pick<Problem, 'path' | 'part' | 'word'> | null {
  if (typeof value === 'string') return value.includes(word) ? { path, word } : null;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (key.includes(word)) return { path: at, part: 'key', word };
    const place = placeOf(word, item, at);
    if (place !== null) return place;
  }
  return null;
}
