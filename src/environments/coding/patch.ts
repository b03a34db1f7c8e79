import { posix } from 'node:path';
import { applyPatch, type StructuredPatchHunk } from 'diff';
import type { FileMode } from '../../functions/declaration.ts';
import type { FolderEntry } from '../workspace/folder.ts';
import type { FolderWorkspace } from '../workspace/workspace.ts';
import { type DiffPart, readDiff } from './diff-parts.ts';

/** The files that a diff changes. */
type Files = Pick<FolderWorkspace, 'entry' | 'put' | 'remove'>;

const LINK: FileMode = '120000';
const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Applies a unified diff to files, with modes and links as `git apply` does: all changes, or none if one does not apply.
 * Nothing is written through links. Resolves with a summary. Throws an error with a message for the agent.
 */
export async function applyDiff(files: Files, diff: string): Promise<string> {
  const parts = readDiff(diff).map((part) => ({ ...part, from: normalPath(part.from), to: normalPath(part.to) }));
  const leaving = new Set(parts.flatMap(({ from, to, isCopy }) => (from === to || isCopy ? [] : (from ?? []))));
  const isGone = (path: string): boolean => leaving.has(path) || parentsOf(path).some((parent) => leaving.has(parent));
  const results = new Map<string, FolderEntry>();
  const lines: string[] = [];
  for (const part of parts) {
    const { from, to, mode } = part;
    const old = from === null ? null : ((from === to ? results.get(from) : null) ?? (await files.entry(from)));
    if (from !== null && old === null) throw new Error(`the file “${from}”, which the diff changes, does not exist`);
    if (to !== null && from !== to && (results.has(to) || (!isGone(to) && (await files.entry(to)) !== null)))
      throw new Error(`“${to}” exists already, so the diff cannot add it`);
    const entry = { mode: mode ?? old?.mode ?? '100644', content: patchedContent(part, old) };
    if (to !== null) {
      checkEntry(to, entry, old);
      results.set(to, entry);
      lines.push(summarize(to, entry, old));
    } else if (entry.content.length > 0) throw new Error(`the diff removes “${from}”, but not all of its lines`);
    if (from !== null && from !== to && !part.isCopy) lines.push(`removed ${from}`);
  }
  for (const path of results.keys()) {
    const parent = parentsOf(path).find((one) => results.has(one));
    if (parent !== undefined) throw new Error(`the diff writes “${path}”, but also “${parent}”, which is no folder`);
  }
  await files.remove(...leaving);
  for (const [path, entry] of results) await files.put(path, entry);
  return lines.join('\n');
}

function normalPath(path: string | null): string | null {
  return path === null ? null : posix.normalize(path);
}

/** The folders above a path. */
function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** Throws if the diff makes a link a file or the reverse, or a link that leads out of the folder. */
function checkEntry(path: string, { mode, content }: FolderEntry, old: FolderEntry | null): void {
  if (old !== null && (old.mode === LINK) !== (mode === LINK)) {
    const what = mode === LINK ? 'a file that the diff turns into a link' : 'a link that the diff turns into a file';
    throw new Error(`“${path}” is ${what}: remove it in one part of the diff, and add it in the next`);
  }
  if (mode !== LINK) return;
  const target = Buffer.from(content).toString('utf8');
  if (target === '' || /[\n\0]/.test(target))
    throw new Error(
      `the target of the link “${path}” is one line without a line break: write “\\ No newline at end of file” after it`,
    );
  const place = posix.normalize(posix.join(posix.dirname(path), target));
  if (/^(?:[/\\]|[A-Za-z]:)/.test(target) || place === '..' || place.startsWith('../'))
    throw new Error(
      `the link “${path}” to “${target}” leads out of the folder of the task: links are relative and stay in it`,
    );
}

function summarize(path: string, { mode, content }: FolderEntry, old: FolderEntry | null): string {
  if (mode === LINK) return `linked ${path} → ${Buffer.from(content).toString('utf8')}`;
  const digits = mode.slice(-3);
  if (old !== null && old.mode !== mode && Buffer.from(content).equals(old.content)) return `mode ${digits} ${path}`;
  return `wrote ${path}${mode === (old?.mode ?? '100644') ? '' : ` (mode ${digits})`}`;
}

/** The content after a part of the diff. Texts are compared by their bytes, as git does. Throws if the diff does not fit. */
function patchedContent({ from, to, hunks }: DiffPart, old: FolderEntry | null): Uint8Array {
  const text = old === null ? '' : Buffer.from(old.content).toString('latin1');
  const inBytes = hunks.map((hunk) => ({
    ...hunk,
    lines: hunk.lines.map((line) => Buffer.from(line).toString('latin1')),
  }));
  const result = applyHunks(text, inBytes);
  if (result !== null) return Buffer.from(result, 'latin1');
  const why = old === null ? 'it is new, but the diff has old lines of it' : misfit(old, text, inBytes);
  throw new Error(`the diff does not fit “${from ?? to}”: ${why}`);
}

/** The text with the changes; null if they do not fit, also with the line ends of the text in place of those of the diff. */
function applyHunks(
  text: string,
  hunks: StructuredPatchHunk[],
  compareLine?: (number: number, line: string, operation: string, patchContent: string) => boolean,
): string | null {
  const patch = { oldFileName: 'a', newFileName: 'b', oldHeader: undefined, newHeader: undefined, hunks };
  const options = { fuzzFactor: 0, ...(compareLine && { compareLine }) };
  const exact = applyPatch(text, patch, { ...options, autoConvertLineEndings: false });
  const result = exact === false ? applyPatch(text, patch, { ...options, autoConvertLineEndings: true }) : exact;
  return result === false ? null : result;
}

/** Why hunks do not fit: a difference that nobody sees, or other lines. */
function misfit({ mode, content }: FolderEntry, text: string, hunks: StructuredPatchHunk[]): string {
  if (mode === LINK)
    return `it is a link to “${Buffer.from(content).toString('utf8')}”, whose only line is that path. Change the file that it leads to`;
  if (/^(?:\xFF\xFE|\xFE\xFF)/.test(text))
    return 'it is a text in UTF-16, as its byte order mark says, and a diff can only change texts whose line breaks are single bytes. Write the file with a command';
  if (text.includes('\0')) return 'it is a binary file. Write it with a command';
  const mark = Buffer.from(BYTE_ORDER_MARK).toString('latin1');
  if (text.startsWith(mark) && applyHunks(text.slice(mark.length), hunks) !== null)
    return 'it begins with a byte order mark (BOM, U+FEFF), which the first line of the diff lacks. Write the mark in front of that line, as `git diff` prints it';
  if (!text.startsWith(mark) && applyHunks(mark + text, hunks) !== null)
    return 'its first line has no byte order mark (BOM, U+FEFF), but that of the diff has one. Remove it from the diff';
  const withoutNotes = hunks.map((hunk) => ({ ...hunk, lines: hunk.lines.filter((line) => !line.startsWith('\\')) }));
  if (applyHunks(text, withoutNotes) !== null)
    return `its last line ends with${text.endsWith('\n') ? '' : 'out'} a line break, but “\\ No newline at end of file” in the diff says otherwise`;
  const withoutReturn = (line: string): string => line.replace(/\r$/, '');
  if (
    applyHunks(
      text,
      hunks,
      (_, line, __, patchContent) => withoutReturn(line ?? '') === withoutReturn(patchContent),
    ) !== null
  )
    return 'its lines end partly with CRLF and partly with LF, and those of the diff end differently. Read the bytes of the file first, for example with `cat -A`';
  return 'its lines are not as the diff has them, so nothing was changed. Read the file first';
}
