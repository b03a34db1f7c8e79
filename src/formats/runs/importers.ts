import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeSystemError } from '../../base/system-error.ts';
import { TraceError } from '../../traces/trace-file.ts';
import { traceImporter } from './hud/trace-importer.ts';
import { trajectoryImporter } from './hud/trajectory-importer.ts';
import type { ImportedRun } from './imported-run.ts';
import type { Importer } from './importer.ts';
import { BrokenFileError, type JsonDocument, readJson } from './read-json.ts';

/** All formats that runs are imported from, in the order in which a file is tried. */
export const IMPORTERS: readonly Importer[] = [traceImporter, trajectoryImporter];

/** `<trace_id>.jsonl` */
const TRACE_FILE = /^[0-9a-f]{32}\.jsonl$/;
const START = { line: 0, character: 0 };
const MAX_BYTES = 256_000_000;

/** The runs in a file of another program. Downloads nothing. Rejects with `TraceError`, whose message has the location. */
export async function readRunFile(path: string): Promise<readonly ImportedRun[]> {
  const file = resolve(path);
  let bytes: Buffer;
  let modifiedAt: string;
  try {
    const { size, mtime } = await stat(file);
    if (size > MAX_BYTES) {
      throw new TraceError('trace_broken', `${file} has ${Math.ceil(size / 1e6)} MB. The limit is 256 MB.`);
    }
    modifiedAt = mtime.toISOString();
    bytes = await readFile(file);
  } catch (error) {
    if (error instanceof TraceError) throw error;
    throw new TraceError('trace_missing', `${file} cannot be read: ${describeSystemError(error)}.`);
  }
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new TraceError('trace_broken', `${file} is not UTF-8.`);
  }
  return readRunText(text, file, modifiedAt);
}

/** The trace files of HUD 0.6 in a folder such as `HUD_TELEMETRY_LOCAL_DIR`, by name; none if it cannot be read. */
export async function traceFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => TRACE_FILE.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** The runs in a text, as `readRunFile`. */
export function readRunText(rawText: string, path: string, modifiedAt: string): readonly ImportedRun[] {
  const text = rawText.replace(/^\uFEFF/, '');
  const document: JsonDocument = { file: path, text, firstLine: 0 };
  let json: { readonly value: unknown } | null = null;
  const file = {
    path,
    text,
    modifiedAt,
    document,
    json: () => {
      json ??= { value: readJson(document) };
      return json.value;
    },
  };
  for (const importer of IMPORTERS) {
    const runs = importer.read(file);
    if (runs !== null) return runs;
  }
  const value = file.json();
  if (Array.isArray(value) && value.length === 0) throw new BrokenFileError(path, START, 'The list contains no run.');
  const formats = IMPORTERS.map(({ label }) => label).join(' or ');
  throw new BrokenFileError(path, START, `This file contains no run that can be imported. Use ${formats}.`);
}
