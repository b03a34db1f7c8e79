import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIfNotFound } from '../../base/file-kind.ts';
import { contentName } from '../../traces/new-step.ts';
import type { Snapshot } from './recording.ts';

/** The texts of changed files that a session does not have yet, by their names. */
export async function changedTexts(
  files: Snapshot['files'],
  sentHashes: ReadonlySet<string>,
): Promise<Record<string, Uint8Array>> {
  if (files === null) return {};
  const names = files.changes.flatMap(({ before, after, link_content }) =>
    [before ?? [], after ?? [], link_content ?? []].flat(),
  );
  return contentsOf(files.folder, names, sentHashes);
}

/** The contents of downloads that a session does not have yet, by their names. */
export async function downloadContents(
  downloads: Snapshot['downloads'],
  sentHashes: ReadonlySet<string>,
): Promise<Record<string, Uint8Array>> {
  if (downloads === undefined) return {};
  const names = downloads.list.flatMap(({ content }) => content ?? []);
  return contentsOf(downloads.folder, names, sentHashes);
}

/** Reads recorded contents from the folder of a run. */
async function contentsOf(
  folder: string,
  names: readonly string[],
  sentHashes: ReadonlySet<string>,
): Promise<Record<string, Uint8Array>> {
  const contents: Record<string, Uint8Array> = {};
  for (const name of new Set(names)) {
    if (sentHashes.has(name)) continue;
    const content = await readFile(join(folder, contentName(name))).catch(nullIfNotFound);
    // A content whose secrets are masked is not the original.
    if (content !== null && createHash('sha256').update(content).digest('hex') === name) contents[name] = content;
  }
  return contents;
}
