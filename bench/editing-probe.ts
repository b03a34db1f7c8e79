// Measures one part of the cost of large task files, in a separate process: `typing`, `service`, or `opened FILE`.
// Prints one JSON object.
import { readFileSync } from 'node:fs';
import { memoryUsage } from 'node:process';
import languageServices from 'vscode-json-languageservice';
import { inSlices, runToEnd } from '../src/base/slices.ts';
import { summarise } from '../src/editor/tasks/summary.ts';
import { TrackedFile } from '../src/editor/tasks/tracked-file.ts';
import { Diagnosis } from '../src/language/findings/diagnosis.ts';
import { taskFileSchema } from '../src/language/schema/task-file.ts';
import { completions } from '../src/language/typing/completion.ts';
import { UsedValues } from '../src/language/typing/used-values.ts';
import { buildTree, childrenOf } from '../src/presentation/tasks/model.ts';
import { readTasks, readTasksInSlices } from '../src/tasks/read.ts';
import type { TaskFile } from '../src/tasks/rows.ts';
import { watchBlocks } from './blocks.ts';
import { median } from './figures.ts';
import { benchTasks, jsonFile } from './task-files.ts';

/** Milliseconds, but for the megabytes. */
export interface EditingTimes {
  readonly keystroke: number;
  readonly completion: number;
  readonly service: number;
  readonly firstRows: number;
  readonly longestBlock: number;
  readonly megabytes: number;
}

let starts: number[] | undefined;
const NO_FUNCTIONS = new Map();
const MAX_SHOWN = 1000;
const TYPED = ['a', ' ', '"', '{', '\n', '5', ',', ']'];

// Each in its own process, so that none is slowed by what another left in memory.
const times =
  process.argv[2] === 'typing'
    ? await typing(jsonFile(benchTasks(10_000)))
    : process.argv[2] === 'service'
      ? await languageService(jsonFile(benchTasks(10_000)))
      : await openText(writtenFile());
console.log(JSON.stringify(times));

/** The tasks as a file on disk, written by another process, so that they take no memory here. */
function writtenFile(): string {
  const path = process.argv[3];
  if (path === undefined) throw new Error('the file to open is not named');
  return readFileSync(path, 'utf8');
}

/** Types in all parts of the file, and removes what was typed. */
async function typing(text: string): Promise<Pick<EditingTimes, 'keystroke' | 'completion'>> {
  const file = readTasks('/bench.tasks.json', text);
  const diagnosis = new Diagnosis(file, NO_FUNCTIONS);
  runToEnd(diagnosis.update());
  const words = new UsedValues();
  const keys: number[] = [];
  const questionTimes: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const row = file.rows[(round * 6151) % file.rows.length];
    const prompt = row?.rangeOf(['prompt']);
    const name = row?.rangeOf(['evaluate', 0, 'function']) ?? row?.rangeOf(['evaluate', 'function']);
    if (row === undefined || prompt === undefined || name === undefined) throw new Error('a row of the bench is odd');
    const inPrompt = offsetIn(text, prompt.start) + 9;
    const input = TYPED[round % TYPED.length] as string;
    for (const change of [
      { start: inPrompt, end: inPrompt, text: input },
      { start: inPrompt, end: inPrompt + input.length, text: '' },
    ]) {
      const start = performance.now();
      press(file, diagnosis, change);
      keys.push(performance.now() - start);
    }
    const position = { line: name.start.line, character: name.start.character + 5 };
    const completionStart = performance.now();
    const items = await completions(file, position, {
      own: NO_FUNCTIONS,
      pages: async () => [],
      page: async () => null,
      used: () => words.collect(file, row.index, []),
    });
    questionTimes.push(performance.now() - completionStart);
    if (items.length === 0) throw new Error('completion offered nothing');
  }
  return { keystroke: percentile(keys, 0.95), completion: percentile(questionTimes, 0.95) };
}

function press(file: TaskFile, diagnosis: Diagnosis, change: { start: number; end: number; text: string }): void {
  runToEnd(file.change([change]));
  runToEnd(diagnosis.update());
  diagnosis.mostSevere(MAX_SHOWN);
}

/** What VS Code's own JSON support does at a keystroke, with the schema of task files. */
async function languageService(text: string): Promise<Pick<EditingTimes, 'service'>> {
  const uri = 'file:///bench.tasks.json';
  const { getLanguageService, TextDocument } = languageServices;
  const json = getLanguageService({});
  json.configure({ schemas: [{ uri: 'schema:task-file', fileMatch: ['*'], schema: taskFileSchema() }] });
  const durations: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const document = TextDocument.create(uri, 'json', round, text);
    const start = performance.now();
    await json.doValidation(document, json.parseJSONDocument(document));
    durations.push(performance.now() - start);
  }
  return { service: median(durations) };
}

/** Opens a file as the editor does it. */
async function openText(text: string): Promise<Pick<EditingTimes, 'firstRows' | 'longestBlock' | 'megabytes'>> {
  globalThis.gc?.();
  const readLongestBlock = watchBlocks();
  const start = performance.now();
  const file = await inSlices(readTasksInSlices('/bench.tasks.jsonl', text));
  let firstRows: number | undefined;
  await new Promise<void>((resolve) => {
    const onDrawn = (): void => {
      draw(trackedFile);
      firstRows ??= performance.now() - start;
      if (trackedFile.diagnosis.complete) resolve();
    };
    // The editor, too, receives changes in the next turn.
    const trackedFile = new TrackedFile(file, NO_FUNCTIONS, null, () => setImmediate(onDrawn));
    trackedFile.diagnose();
  });
  const longestBlock = readLongestBlock();
  globalThis.gc?.();
  return { firstRows: firstRows ?? Number.NaN, longestBlock, megabytes: memoryUsage().rss / 1e6 };
}

/** What the editor needs of a large file first: the tree down to its first tasks, and the findings. */
function draw({ file, diagnosis }: TrackedFile): void {
  const [node] = buildTree([{ name: 'bench', path: '/', files: [summarise({ file, diagnosis }, ['bench'])] }]);
  const [range] = node === undefined ? [] : childrenOf(node);
  const prompts = range === undefined ? [] : childrenOf(range).map((task) => task.kind === 'task' && task.task.prompt);
  if (prompts.length === 0) throw new Error('the tree shows nothing');
  if (diagnosis.complete) diagnosis.mostSevere(MAX_SHOWN);
}

function percentile(values: readonly number[], part: number): number {
  const ascending = [...values].sort((a, b) => a - b);
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] as number;
}

function offsetIn(text: string, { line, character }: { line: number; character: number }): number {
  starts ??= [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  return (starts[line] ?? 0) + character;
}
