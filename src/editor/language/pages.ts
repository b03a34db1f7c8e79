import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import * as vscode from 'vscode';
import { openDocument } from '../tasks/open-document.ts';

const PAGE = /\.html?$/i;
const MAX_PAGES = 500;
const MAX_DEPTH = 3;
const MAX_BYTES = 2_000_000;

/** The page files in a task file's folder and below, relative to it. */
export async function pageFiles(taskFile: vscode.Uri): Promise<readonly string[]> {
  const folder = dirname(taskFile.fsPath);
  const pages: string[] = [];
  const search = async (at: string, depth: number): Promise<void> => {
    let entries: Dirent[];
    try {
      entries = await readdir(at, { withFileTypes: true });
    } catch {
      // A folder that cannot be listed has no pages.
      return;
    }
    for (const entry of entries) {
      if (pages.length >= MAX_PAGES) return;
      if (entry.isFile() && PAGE.test(entry.name))
        pages.push(relative(folder, join(at, entry.name)).split(sep).join('/'));
    }
    for (const entry of entries) {
      if (depth < MAX_DEPTH && entry.isDirectory() && !/^(?:\.|node_modules$)/.test(entry.name)) {
        await search(join(at, entry.name), depth + 1);
      }
    }
  };
  await search(folder, 0);
  return pages;
}

/** The source of a page file below a task file's folder, including unsaved changes; null if it cannot be read. */
export async function pageText(taskFile: vscode.Uri, name: string): Promise<string | null> {
  const folder = dirname(taskFile.fsPath);
  const path = join(folder, name);
  if (!path.startsWith(folder + sep)) return null;
  const open = openDocument(vscode.Uri.file(path));
  if (open !== undefined) return open.getText();
  try {
    const { size } = await stat(path);
    return size > MAX_BYTES ? null : await readFile(path, 'utf8');
  } catch {
    // Validation reports a missing file.
    return null;
  }
}
