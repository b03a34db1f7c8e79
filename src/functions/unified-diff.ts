import { createTwoFilesPatch } from 'diff';
import type { FileChange } from './declaration.ts';
import { decodeText } from './workspace.ts';

/** The changes of a file as `git diff` prints them. Binary files, and files with unknown content, are only named. */
export function unifiedDiff({ path, kind, before, after }: FileChange): string {
  const [from, to] = [kind === 'added' ? '/dev/null' : `a/${path}`, kind === 'removed' ? '/dev/null' : `b/${path}`];
  const [old, now] = [kind === 'added' ? '' : textIn(before), kind === 'removed' ? '' : textIn(after)];
  if (old === null || now === null) return `Binary files ${from} and ${to} differ\n`;
  return createTwoFilesPatch(from, to, old, now, undefined, undefined, {
    context: 3,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
}

/** Null for binary or unknown content. */
function textIn(bytes: Uint8Array | null): string | null {
  return bytes === null || bytes.includes(0) ? null : decodeText(bytes);
}
