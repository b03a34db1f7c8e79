import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Figure, median } from './figures.ts';
import { benchTasks, jsonFile, jsonLines } from './task-files.ts';
import type { TypingCosts } from './typing-probe.ts';
import { measureInWindows } from './window.ts';

const WINDOWS = 3;
const BLOCK_MS = 50;
const KEYSTROKE_MS = 8;
const HEAP_MB = 400;

/**
 * Opening very large files and typing into them in a real VS Code: how long the extension blocks its host, and next to it the
 * longest block of the host as a whole, also with the same text in a file that is not a task file, which VS Code reads too.
 */
export async function typing(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-bench-'));
  const many = jsonLines(withMistake(benchTasks(100_000)));
  const large = jsonFile(withMistake(benchTasks(10_000)));
  const texts = {
    // The first measurement includes code that VS Code loads once.
    '0.json': jsonFile(withMistake(benchTasks(10))),
    'large.json': large,
    'large.tasks.json': large,
    'many.jsonl': many,
    'many.tasks.jsonl': many,
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(folder, name), text);
  const costs = await measureInWindows<TypingCosts>('typing-probe.ts', folder, WINDOWS);
  await rm(folder, { recursive: true });
  const of = (name: keyof typeof texts, when: 'opening' | 'typing', whose: 'host' | 'own'): number =>
    median(costs.map(({ files }) => files[name]?.[when][whose] ?? Number.NaN));
  const blocks = (name: string, ours: keyof typeof texts, theirs: keyof typeof texts): Figure[] =>
    (['opening', 'typing'] as const).map((when) => {
      const [host, alone] = [of(ours, when, 'host'), of(theirs, when, 'host')].map((ms) => ms.toFixed(0));
      return limitFigure(
        `own block in the host: ${when}, ${name}`,
        of(ours, when, 'own'),
        BLOCK_MS,
        `limit; the host as a whole ${host} ms, with a name that is not ours ${alone} ms`,
      );
    });
  const keystroke = (name: string, file: keyof typeof texts): Figure => {
    const keystrokes = costs.flatMap(({ files }) => files[file]?.keystrokes ?? []).sort((a, b) => a - b);
    const p95 = keystrokes[Math.floor(keystrokes.length * 0.95)] ?? Number.NaN;
    const against = `limit; p95 with VS Code's own work in between ${p95.toFixed(1)} ms`;
    return limitFigure(`keystroke in the host, median, ${name}`, median(keystrokes), KEYSTROKE_MS, against);
  };
  return [
    ...blocks('one JSON file', 'large.tasks.json', 'large.json'),
    ...blocks('100,000 lines', 'many.tasks.jsonl', 'many.jsonl'),
    keystroke('one JSON file', 'large.tasks.json'),
    keystroke('100,000 lines', 'many.tasks.jsonl'),
    limitFigure(
      "heap in the host, the workspace's files read",
      median(costs.map(({ heap }) => heap)),
      HEAP_MB,
      'limit',
      'MB',
    ),
  ];
}

function withMistake(tasks: Record<string, unknown>[]): Record<string, unknown>[] {
  const middle = tasks.length >> 1;
  return tasks.with(middle, { ...tasks[middle], evaluate: ['wrong_name', 'x'] });
}

function limitFigure(name: string, ours: number, limit: number, against: string, unit = 'ms'): Figure {
  return { name, against, ours, theirs: limit, unit, ratio: ours / limit, aim: { atMost: 1 } };
}
