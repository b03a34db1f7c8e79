import { isUtf8 } from 'node:buffer';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { EMPTY_RANGE } from '../../base/range.ts';
import { describeSystemError, isSystemError } from '../../base/system-error.ts';
import { TraceError } from '../../traces/trace-file.ts';
import { traceImporter } from './hud/trace-importer.ts';
import { trajectoryImporter } from './hud/trajectory-importer.ts';
import type { ImportedRun } from './imported-run.ts';
import type { ImportedFile, Importer } from './importer.ts';
import { BrokenFileError, readJson } from './read-json.ts';

/** All formats that runs are imported from, in the order in which a file is tried. */
export const IMPORTERS: readonly Importer[] = [traceImporter, trajectoryImporter];

/** `<trace_id>.jsonl` */
const TRACE_FILE = /^[0-9a-f]{32}\.jsonl$/;
const MAX_BYTES = 256_000_000;

/** The runs in a file of another program. Downloads nothing. Rejects with `TraceError`, whose message has the location. */
export async function readRunFile(path: string): Promise<readonly ImportedRun[]> {
  const file = resolve(path);
  try {
    const { size, mtime } = await stat(file);
    if (size > MAX_BYTES) {
      throw new TraceError('trace_broken', `${file} has ${Math.ceil(size / 1e6)} MB. The limit is 256 MB.`);
    }
    return readRuns(await readFile(file), file, mtime.toISOString());
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new TraceError('trace_missing', `${file} cannot be read: ${describeSystemError(error)}.`);
  }
}

/** The trace files of HUD 0.6 in a folder such as `HUD_TELEMETRY_LOCAL_DIR`, by name; none if it cannot be read. */
export async function traceFiles(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names
    .filter((name) => TRACE_FILE.test(name))
    .sort()
    .map((name) => join(folder, name));
}

/** The runs in the content of a file, as `readRunFile`. */
export function readRuns(bytes: Uint8Array, path: string, modifiedAt: string): readonly ImportedRun[] {
  const file = importedFile(bytes, path, modifiedAt);
  for (const importer of IMPORTERS) {
    const runs = importer.read(file);
    if (runs !== null) return runs;
  }
  if (file.text === null) throw new TraceError('trace_broken', `${path} is not UTF-8.`);
  const value = file.json();
  if (Array.isArray(value) && value.length === 0)
    throw new BrokenFileError(path, EMPTY_RANGE.start, 'The list contains no run.');
  const formats = IMPORTERS.map(({ label }) => label).join(' or ');
  throw new BrokenFileError(path, EMPTY_RANGE.start, `This file contains no run that can be imported. Use ${formats}.`);
}

/** A file whose text and JSON are read once. */
function importedFile(bytes: Uint8Array, path: string, modifiedAt: string): ImportedFile {
  const text = isUtf8(bytes) ? new TextDecoder().decode(bytes) : null;
  const document = { file: path, text: text ?? '', firstLine: 0 };
  let content: { readonly value: unknown } | undefined;
  const json = (): unknown => {
    content ??= { value: readJson(document) };
    return content.value;
  };
  return { path, text, modifiedAt, document, json };
}
