import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { EditingTimes } from './editing-probe.ts';
import type { Figure } from './figures.ts';

/** Editing 10,000 tasks in one JSON file, and 100,000 in JSON lines. */
export async function editing(): Promise<readonly Figure[]> {
  const probe = join(import.meta.dirname, 'editing-probe.ts');
  const run = await promisify(execFile)(process.execPath, ['--expose-gc', '--no-warnings', probe]);
  const times = JSON.parse(run.stdout) as EditingTimes;
  return [
    limited('keystroke to findings, p95', times.keystroke, 8),
    {
      name: 'keystroke',
      against: 'vscode-json-languageservice parsing and validating the same file',
      ours: times.keystroke,
      theirs: times.service,
      unit: 'ms',
      ratio: times.keystroke / times.service,
      aim: { atMost: 0.05 },
    },
    limited('completion, p95', times.completion, 20),
    {
      name: 'validating 100,000 tasks',
      against: 'JSON.parse of the same lines',
      ours: times.cold,
      theirs: times.parse,
      unit: 'ms',
      ratio: times.cold / times.parse,
      aim: { atMost: 2.5 },
    },
    limited('first rows of their tree', times.firstRows, 300),
    limited('longest block while opening them', times.longestBlock, 50),
    limited('memory with them open', times.megabytes, 400, 'MB'),
  ];
}

function limited(name: string, ours: number, limit: number, unit = 'ms'): Figure {
  return { name, against: 'limit', ours, theirs: limit, unit, ratio: ours / limit, aim: { atMost: 1 } };
}
