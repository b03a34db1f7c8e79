import type { Json } from '../base/json.ts';
import { Lines } from '../base/lines.ts';
import type { Position } from '../base/range.ts';
import { runToEnd, type Work } from '../base/slices.ts';
import { readJsonFile } from './formats/json/file.ts';
import { readJsonLines } from './formats/json/lines.ts';
import { readPythonFile } from './formats/python/file.ts';
import { loadPython } from './formats/python/grammar.ts';
import { type FileReader, textError, unreadable } from './formats/source.ts';
import { readYamlFile } from './formats/yaml/file.ts';
import type { Format, TaskFile } from './rows.ts';
import type { RuleCode } from './rules/rules.ts';
import { SourceFile } from './source-file.ts';

export type { Format, TaskFile, TaskRow } from './rows.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** The format of a file by its name; JSON by default. */
export function formatOf(file: string): Format {
  if (/\.jsonl$/i.test(file)) return 'jsonl';
  if (/\.py$/i.test(file)) return 'python';
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json';
}

/** Loads what a file of this name needs. Callers await it before they read such a file. */
export async function prepareToRead(file: string): Promise<void> {
  if (formatOf(file) === 'python') await loadPython();
}

/**
 * Reads a task file after `prepareToRead`. Never throws: a syntax error is a finding at its range and affects only its
 * row.
 * @param file absolute path; its ending determines the format
 * @param text as an editor holds it; a byte order mark is removed and counts in no position
 */
export function readTasks(file: string, text: string): TaskFile {
  return runToEnd(readTasksInSlices(file, text));
}

/** Like `readTasks`, but yields regularly. */
export function* readTasksInSlices(file: string, text: string): Work<TaskFile> {
  const format = formatOf(file);
  const reader = READERS[format];
  const lines = new Lines(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  return new SourceFile(file, format, yield* reader(lines, file), lines, reader);
}

/**
 * A task that code in a file describes, as the only row of the file.
 * @param at where the code is; the ranges of the row begin there
 */
export function describedTask(file: string, at: Position, value: Json): TaskFile {
  // On one line, so that all ranges are on the line of the code.
  const lines = new Lines(`${'\n'.repeat(at.line)}${' '.repeat(at.character)}${JSON.stringify(value)}`);
  return new SourceFile(file, 'json', runToEnd(readJsonFile(lines)), lines, readJsonFile);
}

/** A file whose bytes cannot be decoded: no rows and one finding. */
export function unreadableFile(file: string, code: RuleCode, message: string): TaskFile {
  const source = unreadable(textError({ start: 0, end: 0 }, code, message));
  const format = formatOf(file);
  return new SourceFile(file, format, source, new Lines(''), READERS[format]);
}

const READERS: Readonly<Record<Format, FileReader>> = {
  json: readJsonFile,
  jsonl: readJsonLines,
  yaml: readYamlFile,
  python: readPythonFile,
};
