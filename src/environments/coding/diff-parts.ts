import { parsePatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';
import type { FileMode } from '../../functions/declaration.ts';

/** What a diff changes of one file or link. */
export interface DiffPart {
  /** Null if it is added. */
  readonly from: string | null;
  /** Null if it is removed. */
  readonly to: string | null;
  /** The file in `from` stays. */
  readonly isCopy: boolean;
  /** The mode that it gets; null if the diff does not say. */
  readonly mode: FileMode | null;
  readonly hunks: StructuredPatchHunk[];
}

/** Reads a unified diff, also one that git prints. Throws an error with a message for the agent. */
export function readDiff(diff: string): readonly DiffPart[] {
  // A byte order mark is from the file that had the diff, and the signature is from `git format-patch`.
  const text = diff.replace(/^\uFEFF/, '').replace(/\n-- \n\d[^\n]*\s*$/, '\n');
  const complete = text.endsWith('\n') ? text : `${text}\n`;
  checkLines(complete.split('\n'));
  const changing = parse(complete).filter(
    ({ hunks, oldFileName, newFileName, newMode, isCreate, isDelete }) =>
      hunks.length > 0 || oldFileName !== newFileName || newMode !== undefined || isCreate || isDelete,
  );
  if (changing.length === 0)
    throw new Error('the diff contains no changes; write a unified diff, as `git diff` prints it');
  return changing.map(partOf);
}

function parse(diff: string): StructuredPatch[] {
  try {
    return parsePatch(diff);
  } catch (error) {
    throw new Error(`the diff cannot be read: ${(error as Error).message}`);
  }
}

function partOf({ hunks, oldFileName, newFileName, isCreate, isDelete, isCopy, oldMode, newMode }: StructuredPatch) {
  const from = isCreate ? null : nameIn(oldFileName, 'a/');
  const to = isDelete ? null : nameIn(newFileName, 'b/');
  const path = to ?? from;
  if (path === null) throw new Error('the diff names no file: each part begins with “--- a/path” and “+++ b/path”');
  const isSubmodule = [oldMode, newMode].includes('160000') || hunks.some(({ lines }) => lines.some(isSubmoduleLine));
  if (isSubmodule)
    throw new Error(
      `“${path}” is a submodule in the diff, whose files are in another repository: change them with \`run\``,
    );
  const mode = newMode === undefined ? null : fileMode(newMode, path);
  return { from, to, isCopy: isCopy === true, mode, hunks };
}

/** As git does, only whether the owner may execute a file counts. */
function fileMode(mode: string, path: string): FileMode {
  if (mode === '120000') return mode;
  if (/^100[0-7]{3}$/.test(mode)) return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
  throw new Error(
    `“${path}” gets the mode ${mode}: it can be 100644, 100755 for an executable file, or 120000 for a link`,
  );
}

function isSubmoduleLine(line: string): boolean {
  return /^[-+]Subproject commit [0-9a-f]{40,64}(?:-dirty)?$/.test(line);
}

/** A path without git's prefix `a/` or `b/`; null for `/dev/null` or no path. */
function nameIn(header: string | undefined, prefix: string): string | null {
  const name = header?.trim() ?? '';
  if (name === '' || name === '/dev/null') return null;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/** Throws if a hunk has another number of lines than it announces, or if a file is binary. */
function checkLines(lines: readonly string[]): void {
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^GIT binary patch\r?$|^Binary files .* differ\r?$/.test(line)) throw new Error(binaryReason(lines, index));
    if (!/^@@\s/.test(line)) continue;
    const counts = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (counts === null)
      throw new Error(`the hunk in line ${index + 1} of the diff has no line numbers: write “@@ -1,3 +1,4 @@”`);
    const [, oldCount = '1', newCount = '1'] = counts;
    index = checkHunk(lines, index, Number(oldCount), Number(newCount));
  }
}

function binaryReason(lines: readonly string[], index: number): string {
  const header = lines.slice(0, index + 1).findLast((line) => /^(?:diff --git|Binary files) /.test(line)) ?? '';
  const name = /^Binary files (?:a\/)?(.*?) and /.exec(header)?.[1] ?? / b\/(.*?)\r?$/.exec(header)?.[1] ?? '';
  return `the diff changes the binary file “${name}”, but a diff can only change lines of text here, so nothing was changed: write the file with a command of \`run\``;
}

/** Checks the hunk at an index; returns the index of its last line. */
function checkHunk(lines: readonly string[], start: number, oldCount: number, newCount: number): number {
  let [old, now, index] = [0, 0, start + 1];
  const take = (line: string): void => {
    if (!line.startsWith('+') && !line.startsWith('\\')) old += 1;
    if (!line.startsWith('-') && !line.startsWith('\\')) now += 1;
  };
  // Editors remove the space of an empty line. The last line is what follows the last line break.
  const isLine = (line: string): boolean =>
    line === '' ? index < lines.length - 1 : /^[-+ \\]/.test(line) && !isFileHeader(lines, index, true);
  while ((old < oldCount || now < newCount) && isLine(lines[index] ?? '')) take(lines[index++] ?? '');
  while (lines[index]?.startsWith('\\')) index += 1;
  if (old === oldCount && now === newCount && !(isOfHunk(lines, index) && !isFileHeader(lines, index)))
    return index - 1;
  // The numbers are wrong, so they do not tell where the hunk ends.
  [old, now] = [0, 0];
  for (index = start + 1; isOfHunk(lines, index) && !isFileHeader(lines, index); index += 1) take(lines[index] ?? '');
  throw new Error(
    `the hunk in line ${start + 1} of the diff (“${(lines[start] ?? '').trim()}”) announces ${oldCount} old and ${newCount} new lines, but has ${old} and ${now}: correct the numbers, so nothing was changed`,
  );
}

/** Whether a line continues a hunk. Empty lines do if more of the hunk follows. */
function isOfHunk(lines: readonly string[], index: number): boolean {
  const next = lines.findIndex((line, at) => at >= index && line !== '');
  return next >= 0 && /^[-+ \\]/.test(lines[next] ?? '') && (next === index || !isFileHeader(lines, next));
}

/** Whether the next file begins here, in a diff without lines of git. `isPrefixed`: only if it is named as git does. */
function isFileHeader(lines: readonly string[], index: number, isPrefixed = false): boolean {
  const [from, to] = isPrefixed ? [/^--- (?:a\/|\/dev\/null)/, /^\+\+\+ (?:b\/|\/dev\/null)/] : [/^--- /, /^\+\+\+ /];
  return from.test(lines[index] ?? '') && to.test(lines[index + 1] ?? '') && /^@@ /.test(lines[index + 2] ?? '');
}
