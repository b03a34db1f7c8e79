import type { EnvironmentSpec } from '../../tasks/task.ts';

/** The initial files of a `coding` task. */
export type CodingStart =
  | { readonly kind: 'empty' }
  /** Texts by path. */
  | { readonly kind: 'files'; readonly files: Readonly<Record<string, string>> }
  /** A folder next to the task file. */
  | { readonly kind: 'folder'; readonly folder: string }
  /** A repository by its URL or a path next to the task file, and what to fetch. */
  | { readonly kind: 'git'; readonly repository: string; readonly commit: string };

/** A problem of a `coding` environment: the path of keys in it, and a message. */
export interface CodingProblem {
  readonly path: readonly string[];
  /** Set if the problem is about the key and not its value. */
  readonly part?: 'key';
  /** Set if the environment works without it. */
  readonly surplus?: true;
  readonly message: string;
}

const STARTS = ['files', 'folder', 'git'] as const;

/** Reads the initial files of a `coding` environment, or finds its problems. Does not access the file system. */
export function readCodingStart(env: EnvironmentSpec): CodingStart | { readonly problems: readonly CodingProblem[] } {
  const [first, second] = STARTS.filter((key) => env[key] !== undefined && env[key] !== null);
  if (first !== undefined && second !== undefined) {
    return {
      problems: [
        {
          path: [second],
          part: 'key',
          surplus: true,
          message: `"${first}" and "${second}" both say what the task begins with: keep one of them`,
        },
      ],
    };
  }
  const commit = env['commit'] ?? undefined;
  if (commit !== undefined && first !== 'git') {
    return {
      problems: [
        {
          path: ['commit'],
          part: 'key',
          surplus: true,
          message: '"commit" names a commit of the repository in "git", and there is none',
        },
      ],
    };
  }
  const value = first === undefined ? undefined : env[first];
  switch (first) {
    case 'files':
      return readFiles(value);
    case 'folder': {
      if (typeof value !== 'string' || value === '')
        return wrong(['folder'], '"folder" is the path of a folder next to the task file');
      if (leadsOut(value))
        return wrong(['folder'], `“${value}” leads out of the folder of the task file: put the folder next to it`);
      return { kind: 'folder', folder: value };
    }
    case 'git': {
      if (typeof value !== 'string' || value === '')
        return wrong(['git'], '"git" is the URL of a repository, or its path next to the task file');
      if (!isAddress(value) && leadsOut(value)) {
        return wrong(
          ['git'],
          `“${value}” leads out of the folder of the task file: put the repository next to it, or use a file: URL`,
        );
      }
      if (
        commit !== undefined &&
        (typeof commit !== 'string' || !/^[\w./-]+$/.test(commit) || commit.startsWith('-'))
      ) {
        return wrong(['commit'], '"commit" is a whole hash, a tag or a branch of the repository');
      }
      return { kind: 'git', repository: value, commit: commit ?? 'HEAD' };
    }
    default:
      return { kind: 'empty' };
  }
}

function readFiles(value: unknown): CodingStart | { readonly problems: readonly CodingProblem[] } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return wrong(['files'], '"files" is an object of paths and texts, such as {"main.py": "print(1)\\n"}');
  }
  const entries = Object.entries(value as Readonly<Record<string, unknown>>);
  const problems: CodingProblem[] = [];
  const folders = new Set(entries.flatMap(([path]) => parents(path)));
  for (const [path, text] of entries) {
    const at = ['files', path];
    if (path === '' || path.endsWith('/') || path.includes('\\'))
      problems.push({
        path: at,
        part: 'key',
        message: `“${path}” is not a valid file path; separate folders with "/"`,
      });
    else if (leadsOut(path))
      problems.push({ path: at, part: 'key', message: `“${path}” leads out of the folder of the task` });
    else if (folders.has(path))
      problems.push({ path: at, part: 'key', message: `“${path}” is a file here and a folder in another path` });
    else if (typeof text !== 'string') problems.push({ path: at, message: `the content of “${path}” is a text` });
  }
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

function wrong(path: readonly string[], message: string): { readonly problems: readonly CodingProblem[] } {
  return { problems: [{ path, message }] };
}
