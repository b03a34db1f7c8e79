import { posix, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pathWithin } from '../workspace/folder.ts';
import { runGit } from './git.ts';
import { isAddress } from './spec.ts';

/** A submodule of a commit. */
export interface Submodule {
  /** Relative to the repository, with `/`. */
  readonly path: string;
  readonly commit: string;
  /** As in `.gitmodules`; null if it is not there. */
  readonly url: string | null;
  /** `.gitmodules` says that it is not fetched with the others. */
  readonly isExcluded: boolean;
}

/** The submodules of the commit that is checked out in a folder. */
export async function submodulesOf(folder: string): Promise<readonly Submodule[]> {
  const tree = (await runGit(folder, ['ls-tree', '-r', '-z', '--full-tree', 'HEAD'])).toString('utf8');
  const links = tree.split('\0').flatMap((entry) => {
    const [, commit, path] = /^160000 commit (\w+)\t(.*)$/s.exec(entry) ?? [];
    return commit === undefined || path === undefined ? [] : [{ commit, path }];
  });
  if (links.length === 0) return [];
  const settings = await settingsOf(folder);
  return links.map(({ path, commit }) => {
    const own = settings.find((one) => one.get('path') === path);
    return { path, commit, url: own?.get('url') ?? null, isExcluded: own?.get('update') === 'none' };
  });
}

/** The sections of `.gitmodules`. It is only read as data: no setting of it takes effect. */
async function settingsOf(folder: string): Promise<readonly ReadonlyMap<string, string>[]> {
  const args = ['config', '--blob', 'HEAD:.gitmodules', '-z', '--get-regexp', '^submodule\\..*\\.(path|url|update)$'];
  // Git exits with an error if there is no such file or setting.
  const text = await runGit(folder, args).then(String, () => '');
  const sections = new Map<string, Map<string, string>>();
  for (const entry of text.split('\0')) {
    const [, name, key, value] = /^submodule\.(.*)\.(path|url|update)\n(.*)$/s.exec(entry) ?? [];
    if (name === undefined || key === undefined || value === undefined) continue;
    sections.set(name, (sections.get(name) ?? new Map<string, string>()).set(key, value));
  }
  return [...sections.values()];
}

/**
 * Where a submodule is fetched from. A relative URL begins at the repository, as in git. Only submodules of a repository on
 * this machine may be on this machine, too: in the task's folder, or beside a repository that has a `file:` URL. Throws if
 * it may not be fetched.
 * @param repository a URL, or the absolute path of a repository
 */
export async function placeOfSubmodule(url: string, repository: string, taskFolder: string): Promise<string> {
  const base = localPath(repository);
  const isRelative = /^\.\.?\//.test(url);
  if (isRelative && base === null) return joinUrl(repository, url);
  const place = isRelative && base !== null ? posix.join(base, url) : localPath(url);
  if (place === null) {
    if (/^[\w.+-]+::/.test(url)) throw new Error(`its URL “${url}” would run a program`);
    return url;
  }
  if (base === null) throw new Error(`its URL “${url}” is on this machine, but its repository is not`);
  const isBeside = isAddress(repository) && isIn(place, posix.dirname(base));
  if (isBeside) return pathToFileURL(place).href;
  return pathWithin(taskFolder, place).catch((error: Error) => {
    const message = `its URL “${url}” leads out of the folder of the task: put the repository next to the task file`;
    throw new Error(message, { cause: error });
  });
}

/** The absolute path of a repository on this machine; null for another one. */
function localPath(repository: string): string | null {
  if (/^file:/i.test(repository)) return fileURLToPath(repository);
  // `host:path` is at a host that SSH connects to, as in git.
  return isAddress(repository) || /^\w[\w.+-]+:/.test(repository) ? null : repository;
}

function isIn(path: string, folder: string): boolean {
  return !/^\.\.(?:\/|$)/.test(relative(folder, path));
}

/** `https://host/a/b.git` and `../c.git` → `https://host/a/c.git`; `git@host:a/b.git` likewise. */
function joinUrl(repository: string, url: string): string {
  let base = repository.replace(/\/+$/, '');
  let rest = url;
  for (; /^\.\.?\//.test(rest); rest = rest.replace(/^\.\.?\/+/, '')) {
    if (rest.startsWith('..')) base = base.replace(/[/:][^/:]*$/, (end) => (end.startsWith(':') ? ':' : ''));
  }
  return `${base}${base.endsWith(':') ? '' : '/'}${rest}`;
}
