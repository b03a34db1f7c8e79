import { isObject, type Json } from '../../base/json.ts';
import type { EnvironmentSpec } from '../../tasks/task.ts';
import { type SpecProblem, surplusKey } from '../spec-problems.ts';

/** The initial files of a `coding` task. */
export type CodingStart =
  | { readonly kind: 'empty' }
  /** Texts by path. */
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, string>> }
  /** A folder next to the task file. */
  | { readonly kind: 'folder'; readonly folder: string }
  /** A repository by its URL or a path next to the task file, and what to fetch. */
  | { readonly kind: 'git'; readonly repository: string; readonly commit: string; readonly submodules?: true };

const STARTS = ['files', 'folder', 'git'] as const;

/** Reads the initial files of a `coding` environment, or finds its problems. Does not access the file system. */
export function readCodingStart(env: EnvironmentSpec): CodingStart | { readonly problems: readonly SpecProblem[] } {
  const [first, second] = STARTS.filter((key) => env[key] !== undefined && env[key] !== null);
  if (first !== undefined && second !== undefined) {
    const message = `"${first}" and "${second}" both say what the task begins with: keep one of them`;
    return { problems: [surplusKey([second], message)] };
  }
  const commit = env['commit'] ?? undefined;
  if (commit !== undefined && first !== 'git') {
    const message = '"commit" names a commit of the repository in "git", and there is none';
    return { problems: [surplusKey(['commit'], message)] };
  }
  const submodules = env['submodules'] ?? false;
  if (typeof submodules !== 'boolean') return invalid('submodules', '"submodules" is true or false');
  if (submodules && first !== 'git') {
    const message =
      '"submodules" fetches those of the repository in "git", and there is none: fetch them in the folder with `git submodule update --init --recursive`';
    return { problems: [surplusKey(['submodules'], message)] };
  }
  const value = first === undefined ? undefined : env[first];
  switch (first) {
    case 'files':
      return readFiles(value);
    case 'folder':
      if (typeof value !== 'string' || value === '')
        return invalid(first, '"folder" is the path of a folder next to the task file');
      if (leadsOut(value))
        return invalid(first, `“${value}” leads out of the folder of the task file: put the folder next to it`);
      return { kind: first, folder: value };
    case 'git':
      if (typeof value !== 'string' || value === '')
        return invalid(first, '"git" is the URL of a repository, or its path next to the task file');
      if (!isAddress(value) && leadsOut(value)) {
        const message = `“${value}” leads out of the folder of the task file: put the repository next to it, or use a file: URL`;
        return invalid(first, message);
      }
      if (commit !== undefined && (typeof commit !== 'string' || !/^(?!-)[\w./-]+$/.test(commit)))
        return invalid('commit', '"commit" is a whole hash, a tag or a branch of the repository');
      return { kind: first, repository: value, commit: commit ?? 'HEAD', ...(submodules && { submodules }) };
    default:
      return { kind: 'empty' };
  }
}

function readFiles(value: Json | undefined): CodingStart | { readonly problems: readonly SpecProblem[] } {
  if (!isObject(value))
    return invalid('files', '"files" is an object of paths and texts, such as {"main.py": "print(1)\\n"}');
  const folders = new Set(Object.keys(value).flatMap(parents));
  const problems = Object.entries(value).flatMap(([path, text]): SpecProblem | readonly [] => {
    const message =
      path === '' || path.endsWith('/') || path.includes('\\')
        ? `“${path}” is not a valid file path; separate folders with "/"`
        : leadsOut(path)
          ? `“${path}” leads out of the folder of the task`
          : folders.has(path)
            ? `“${path}” is a file here and a folder in another path`
            : null;
    if (message !== null) return { path: ['files', path], part: 'key', message };
    return typeof text === 'string' ? [] : { path: ['files', path], message: `the content of “${path}” is a text` };
  });
  return problems.length > 0 ? { problems } : { kind: 'files', files: value as Readonly<Record<string, string>> };
}

/** The parent folders of a path: `src` and `src/a` for `src/a/b.py`. */
function parents(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** `https://host/project.git`, `git@host:project.git` */
export function isAddress(repository: string): boolean {
  return /^(?:https?|ssh|git|file):\/\/|^[\w.][\w.-]*@[\w.-]+:/i.test(repository);
}

/** Whether a path is absolute or leads out of the folder by `..`. */
function leadsOut(path: string): boolean {
  if (/^(?:[/\\~]|[A-Za-z]:)/.test(path) || path.includes('\0')) return true;
  let depth = 0;
  for (const part of path.split(/[/\\]/)) {
    if (part === '..') depth -= 1;
    else if (part !== '' && part !== '.') depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

function invalid(key: string, message: string): { readonly problems: readonly SpecProblem[] } {
  return { problems: [{ path: [key], message }] };
}
