import { applyPatch, parsePatch, type StructuredPatch } from 'diff';
import type { FolderWorkspace } from '../workspace/workspace.ts';

/** The files that a diff changes. */
type Files = Pick<FolderWorkspace, 'read' | 'write' | 'remove'>;

interface Change {
  readonly path: string;
  /** Null if it is removed. */
  readonly text: string | null;
}

/**
 * Applies a unified diff to files: all changes, or none if one does not apply. Resolves with a summary. Throws an error
 * with a message for the agent.
 */
export async function applyDiff(files: Files, diff: string): Promise<string> {
  const changes: Change[] = [];
  for (const part of parse(diff)) {
    const [from, to] = [nameIn(part.oldFileName, 'a/'), nameIn(part.newFileName, 'b/')];
    const path = to ?? from;
    if (path === null) throw new Error('the diff names no file: each part begins with “--- a/path” and “+++ b/path”');
    const old = from === null ? '' : await textOf(files, from);
    if (from === null && (await files.read(path)) !== null)
      throw new Error(`“${path}” exists already, so the diff cannot add it`);
    const text = applyPatch(old, part, { fuzzFactor: 0, autoConvertLineEndings: true });
    if (text === false)
      throw new Error(
        `the diff does not fit “${path}”: its lines are not as the diff has them, so nothing was changed. Read the file first`,
      );
    changes.push({ path, text: to === null ? null : text });
    if (from !== null && to !== null && from !== to) changes.push({ path: from, text: null });
  }
  for (const { path, text } of changes) {
    if (text === null) await files.remove(path);
    else await files.write(path, text);
  }
  return changes.map(({ path, text }) => `${text === null ? 'removed' : 'wrote'} ${path}`).join('\n');
}

function parse(diff: string): StructuredPatch[] {
  let parts: StructuredPatch[];
  try {
    parts = parsePatch(diff.endsWith('\n') ? diff : `${diff}\n`);
  } catch (error) {
    throw new Error(`the diff cannot be read: ${(error as Error).message}`);
  }
  const changing = parts.filter(
    ({ hunks, oldFileName, newFileName }) => hunks.length > 0 || oldFileName !== newFileName,
  );
  if (changing.length === 0)
    throw new Error('the diff contains no changes; write a unified diff, as `git diff` prints it');
  return changing;
}

/** A path without git's prefix `a/` or `b/`; null for `/dev/null` or no path. */
function nameIn(header: string | undefined, prefix: string): string | null {
  const name = header?.trim() ?? '';
  if (name === '' || name === '/dev/null') return null;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

async function textOf(files: Files, path: string): Promise<string> {
  const bytes = await files.read(path);
  if (bytes === null) throw new Error(`the file “${path}”, which the diff changes, does not exist`);
  return Buffer.from(bytes).toString('utf8');
}
