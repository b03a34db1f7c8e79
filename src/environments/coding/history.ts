import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Role } from '../known-file.ts';
import type { Withheld } from '../withheld.ts';
import { runGit } from './git.ts';

/** The maximum size of withheld files that are searched for in a repository, in bytes. */
const MAX_COMPARED = 10 * 1024 * 1024;

/** Files in the directory of a repository that refer to another repository, as in a clone with shared objects. */
const REFERENCES = ['commondir', 'objects/info/alternates', 'objects/info/http-alternates'];

/** Whether a directory entry is the history of a folder. Some file systems ignore case. */
export function isHistory({ name }: { readonly name: string }): boolean {
  return name.toLowerCase() === '.git';
}

/** Whether git recognizes a directory as a repository without a work tree. */
export function isRepository(directory: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(directory, name)));
}

/**
 * Whether an agent may get a history: the directory of a self-contained repository without the content of a withheld
 * file. A link leads to another repository.
 */
export async function mayGetHistory(directory: string, withheld: Withheld): Promise<boolean> {
  if (!lstatSync(directory).isDirectory() || REFERENCES.some((path) => existsSync(join(directory, path)))) return false;
  const git = (args: readonly string[], input?: string): Promise<Buffer> =>
    runGit(directory, ['--git-dir=.', ...args], { env: { GIT_ALLOW_PROTOCOL: 'none' }, ...(input && { input }) });
  try {
    const worktree = await git(['config', '--get', '--default', '', 'core.worktree']);
    if (worktree.toString('utf8').trim() !== '') return false;
    const ids = [...storedContents(withheld, await idLength(git)).keys()];
    if (ids.length === 0) return true;
    const answers = (await git(['cat-file', '--batch-check'], `${ids.join('\n')}\n`)).toString('utf8');
    return answers
      .trim()
      .split('\n')
      .every((line) => line.endsWith(' missing'));
  } catch {
    // Without git, or if git refuses the repository, its content is not known.
    return false;
  }
}

/** The files of a commit whose stored content is that of a withheld file, even if git converts it on checkout. */
export async function withheldPaths(folder: string, commit: string, withheld: Withheld): Promise<Map<string, Role>> {
  const tree = (await runGit(folder, ['ls-tree', '-r', '-z', '--full-tree', commit])).toString('utf8');
  const entries = tree.split('\0').flatMap((entry) => {
    const [, id, path] = /^\d+ blob (\w+)\t(.*)$/s.exec(entry) ?? [];
    return id === undefined || path === undefined ? [] : [{ id, path }];
  });
  const roles = storedContents(withheld, entries[0]?.id.length ?? 0);
  return new Map(
    entries.flatMap(({ id, path }) => {
      const role = roles.get(id);
      return role === undefined ? [] : [[path, role]];
    }),
  );
}

async function idLength(git: (args: readonly string[]) => Promise<Buffer>): Promise<number> {
  const format = (await git(['rev-parse', '--show-object-format'])).toString('utf8').trim();
  return format === 'sha256' ? 64 : 40;
}

/**
 * The ids under which git may store the contents of withheld files, with their roles. Depending on a path's attributes, the
 * stored content has other line ends, encodings, and keywords (`$Id$`), or is a pointer to a large file.
 * @param length of an id, which depends on the hash function
 */
function storedContents(withheld: Withheld, length: number): Map<string, Role> {
  const roles = new Map<string, Role>();
  for (const { path, role } of withheld.contents) {
    const { size } = statSync(path);
    if (size === 0 || size > MAX_COMPARED) continue;
    for (const content of storedForms(readFileSync(path))) roles.set(blobId(content, length), role);
  }
  return roles;
}

function blobId(content: Buffer, length: number): string {
  const hash = createHash(length === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${content.length}\0`).update(content).digest('hex');
}

function storedForms(content: Buffer): Buffer[] {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${createHash('sha256').update(content).digest('hex')}\nsize ${content.length}\n`;
  return [
    content,
    Buffer.from(pointer),
    ...textForms(content.toString('latin1')).map((text) => Buffer.from(text, 'latin1')),
    ...utf8Of(content)
      .flatMap(textForms)
      .map((text) => Buffer.from(text)),
  ];
}

/** The texts of a file in UTF-16. */
function utf8Of(content: Buffer): string[] {
  const little = content.length % 2 === 0 && content.readUInt16LE(0) === 0xfeff;
  const big = content.length % 2 === 0 && content.readUInt16BE(0) === 0xfeff;
  if (!little && !big) return [];
  const text = (little ? content : Buffer.from(content).swap16()).toString('utf16le');
  return [text, text.slice(1)];
}

/** A text with the line ends and keywords that git may have stored. */
function textForms(text: string): string[] {
  const lines = text.replaceAll('\r\n', '\n');
  return [lines, lines.replaceAll('\n', '\r\n')].flatMap((one) => [one, one.replace(/\$Id:[^$\n]*\$/g, '$$Id$$')]);
}
