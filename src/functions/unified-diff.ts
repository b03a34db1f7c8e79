import { createTwoFilesPatch } from 'diff';
import type { FileChange } from './declaration.ts';

/** How one file changed, as `git diff` prints it; what is no text is only named. */
export function unifiedDiff({ path, before, after }: FileChange): string {
  const [from, to] = [before === null ? '/dev/null' : `a/${path}`, after === null ? '/dev/null' : `b/${path}`];
  const [old, now] = [textIn(before), textIn(after)];
  if (old === null || now === null) return `Binary files ${from} and ${to} differ\n`;
  return createTwoFilesPatch(from, to, old, now, undefined, undefined, {
    context: 3,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
}

/** Null where it is no text. */
function textIn(bytes: Uint8Array | null): string | null {
  if (bytes === null) return '';
  if (bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not UTF-8.
    return null;
  }
}
