import { formatPatch, structuredPatch } from 'diff';
import type { FileChange } from './declaration.ts';

/**
 * The changes of a file as `git diff` prints them, which `git apply` applies with its mode. A link is a file with its target,
 * and one that replaces a file is a removed file and an added link. Binary files, and files with unknown content, are only
 * named. Without modes, which older recordings lack, there is no line about them.
 */
export function unifiedDiff(change: FileChange): string {
  const { path, kind, before, after, beforeMode, afterMode } = change;
  if (kind === 'changed' && (beforeMode === '120000') !== (afterMode === '120000')) {
    return (
      unifiedDiff({ ...change, kind: 'removed', after: null }) + unifiedDiff({ ...change, kind: 'added', before: null })
    );
  }
  const [from, to] = [kind === 'added' ? '/dev/null' : `a/${path}`, kind === 'removed' ? '/dev/null' : `b/${path}`];
  const [old, now] = [kind === 'added' ? '' : textIn(before), kind === 'removed' ? '' : textIn(after)];
  const isNamed = (old === null || now === null) && !isSame(before, after);
  const patch = structuredPatch(
    from,
    to,
    isNamed ? '' : (old ?? ''),
    isNamed ? '' : (now ?? ''),
    undefined,
    undefined,
    {
      context: 3,
    },
  );
  const hasModes = (kind === 'added' || beforeMode !== undefined) && (kind === 'removed' || afterMode !== undefined);
  const header = {
    isGit: hasModes,
    isCreate: kind === 'added',
    isDelete: kind === 'removed',
    ...(beforeMode !== afterMode && { oldMode: beforeMode, newMode: afterMode }),
  };
  const nameLine = isNamed ? `Binary files ${from} and ${to} differ\n` : '';
  if (isNamed && !hasModes) return nameLine;
  return (
    formatPatch({ ...patch, ...header }, { includeIndex: false, includeUnderline: false, includeFileHeaders: true }) +
    nameLine
  );
}

/** Null for binary or unknown content. A byte order mark is part of the text. */
function textIn(bytes: Uint8Array | null): string | null {
  if (bytes === null || bytes.includes(0)) return null;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // It is not UTF-8.
    return null;
  }
}

function isSame(a: Uint8Array | null, b: Uint8Array | null): boolean {
  return a !== null && b !== null && Buffer.from(a).equals(b);
}
