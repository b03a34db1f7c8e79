import { readJsonFile, readJsonLines } from './formats/json-file.ts';
import type { FileSource } from './formats/source.ts';
import { uneditable } from './formats/source.ts';
import { readYamlFile } from './formats/yaml-file.ts';
import { Lines } from './lines.ts';
import type { Format, TaskFile } from './rows.ts';
import { SourceFile } from './rows.ts';

export type { Format, TaskFile, TaskRow } from './rows.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** The format that a file's name says; JSON where it says none. */
export function formatOf(file: string): Format {
  if (/\.jsonl$/i.test(file)) return 'jsonl';
  return /\.ya?ml$/i.test(file) ? 'yaml' : 'json';
}

/**
 * Reads a file of tasks. Never throws: what is broken is a finding at its place and stops only the row it stands in.
 * @param file absolute path; its ending says the format
 * @param text as an editor holds it; a byte order mark is dropped and counts in no position
 */
export function readTasks(file: string, text: string): TaskFile {
  const format = formatOf(file);
  const lines = new Lines(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  return new SourceFile(file, format, READERS[format](lines.text), lines);
}

/** A file whose bytes are no text that can be read: no rows and one finding. */
export function unreadableFile(file: string, code: string, message: string): TaskFile {
  const problem = { start: 0, end: 0, severity: 'error', code, message } as const;
  return new SourceFile(
    file,
    formatOf(file),
    { set: null, rows: [], problems: [problem], ...uneditable },
    new Lines(''),
  );
}

const READERS: Readonly<Record<Format, (text: string) => FileSource>> = {
  json: readJsonFile,
  jsonl: readJsonLines,
  yaml: readYamlFile,
};
