import type { Finding } from '../../../tasks/finding.ts';
import type { Problem } from '../../../tasks/problem.ts';
import type { Format, TaskFile, TaskRow } from '../../../tasks/rows.ts';
import { HUD_0_6 } from './hud-0.6.ts';

const START = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

/** What the HUD that runs the tasks of a file says to the file as a whole; told by its first task. */
export function fileProblems(file: TaskFile): Finding[] {
  const era = file.rows[0]?.era;
  if (era !== '0.4' && era !== '0.5' && era !== '0.6') return [];
  const say = (severity: 'error' | 'warning', message: string): Finding[] => [
    { file: file.file, range: START, severity, code: 'hud-file', message },
  ];
  if (file.format === 'python') return [];
  if (file.format === 'yaml') {
    return say('warning', `HUD ${era} reads no YAML: keep its tasks in a .json or .jsonl file`);
  }
  if (file.set !== null) {
    return era === '0.6'
      ? say('error', `${HUD_0_6} refuses {"tasks": [...]}: it takes the object for one task. Write the list alone`)
      : say('warning', `HUD ${era} reads a list of tasks only, not {"tasks": [...]}: write the list alone`);
  }
  const { start } = file.rows[0]?.range ?? START;
  const alone = file.format === 'json' && file.rows.length === 1 && start.line === 0 && start.character === 0;
  // A name that says that there is one task is Taskwright's own.
  return era === '0.4' && alone && !/\.task\.json$/.test(file.file)
    ? say(
        'warning',
        'HUD 0.4.74 reads a list only from a .json file: write this task as [{...}]; HUD 0.5 takes it alone',
      )
    : [];
}

/** Python divides the lines of a file at these characters too, also inside of a text. */
const LINE_ENDS = /[\u0085\u2028\u2029]/;

/** A line of JSON lines that HUD 0.6 takes for two. */
export function lineProblems(row: TaskRow, format: Format): Problem[] {
  if (format !== 'jsonl' || row.era !== '0.6') return [];
  const found = LINE_ENDS.exec(row.text)?.[0];
  if (found === undefined) return [];
  const escaped = `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return [
    {
      path: [],
      severity: 'error',
      code: 'line-separator',
      message: `${HUD_0_6} ends a line at the character U+${escaped.slice(2).toUpperCase()}, which stands in this task. Write it as ${escaped}`,
    },
  ];
}
