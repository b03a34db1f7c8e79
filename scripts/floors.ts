import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';

/** The floors of `src/` from the ground up; each may import itself and what stands in an earlier row. */
const FLOORS: readonly (readonly string[])[] = [
  ['tasks'],
  ['actions'],
  ['functions'],
  ['environments'],
  ['language', 'server'],
  ['placement'],
  ['runs'],
  ['debugger'],
  ['editor', 'cli'],
];

const MESSAGES = ['panel', 'jobs', 'rescore'].map((room) => `src/editor/${room}/messages.ts`);

/** One import as it stands in a file. */
interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
}

/** One import that breaks a rule. `file` is relative to the repository, `line` one-based. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/**
 * Checks every import under `src/` and `webview/` of a repository, dynamic and type imports included:
 * no floor imports a higher one, `vscode` and playwright-core stay where they belong, nothing imports in a circle.
 */
export async function checkFloors(root: string): Promise<Violation[]> {
  const files = new Map<string, readonly Import[]>();
  const forbidden: Violation[] = [];
  for (const folder of ['src', 'webview']) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((name) => /\.[cm]?tsx?$/.test(name)).sort()) {
      const path = join(root, folder, name);
      const file = relative(root, path).split(sep).join('/');
      const text = await readFile(path, 'utf8');
      files.set(file, readImports(text));
      forbidden.push(...forbiddenLines(file, text));
    }
  }
  const violations: Violation[] = [...forbidden];
  const graph = new Map<string, { to: string; line: number }[]>();
  for (const [file, imports] of files) {
    const edges: { to: string; line: number }[] = [];
    graph.set(file, edges);
    for (const found of imports) {
      const target = targetOf(root, file, found.specifier);
      const message = target === null ? outsideRule(file, found) : insideRule(file, target, found);
      if (message !== null) violations.push({ file, line: found.line, message });
      if (target !== null && files.has(target)) edges.push({ to: target, line: found.line });
    }
  }
  return [...violations, ...circles(graph)];
}

/** Files that reach the terminal itself: one makes the `Output` of all others, one runs in a Node that is too old for it. */
const TERMINAL = ['src/cli/start.ts', 'src/cli/main.ts'];

/** What no line of certain sources may hold. */
const FORBIDDEN: readonly { applies(file: string): boolean; pattern: RegExp; message: string }[] = [
  {
    // `Output` escapes what the terminal would obey.
    applies: (file) => file.startsWith('src/cli/') && !TERMINAL.includes(file),
    pattern: /\bprocess\.std(out|err)\b|\bconsole\.\w/,
    message: 'the command line writes to the terminal through Output alone',
  },
  {
    applies: (file) => file.startsWith('src/'),
    pattern: /^import \{.*\bexec(?:Sync)?\b.*\} from 'node:child_process'|\bshell: (?!false)/,
    message: 'programs are started with an array of arguments, not by a shell',
  },
];

function forbiddenLines(file: string, text: string): Violation[] {
  const rules = FORBIDDEN.filter(({ applies }) => applies(file));
  return text
    .split('\n')
    .flatMap((line, index) =>
      rules.filter(({ pattern }) => pattern.test(line)).map(({ message }) => ({ file, line: index + 1, message })),
    );
}

/** The repository's path of a relative import, or null where it names a package. */
function targetOf(root: string, file: string, specifier: string): string | null {
  if (!specifier.startsWith('.')) return null;
  return relative(root, resolve(root, dirname(file), specifier))
    .split(sep)
    .join('/');
}

function floorOf(file: string): number | null {
  const name = /^src\/([^/]+)\//.exec(file)?.[1];
  const index = FLOORS.findIndex((row) => name !== undefined && row.includes(name));
  return index < 0 ? null : index;
}

function insideRule(file: string, target: string, found: Import): string | null {
  if (file.startsWith('webview/')) {
    if (target.startsWith('webview/')) return null;
    if (!MESSAGES.includes(target)) {
      return `webview may import nothing but ${MESSAGES.join(' and ')} from outside, not ${target}`;
    }
    return found.typeOnly ? null : `webview may import types only from ${target}: write "import type"`;
  }
  if (!target.startsWith('src/')) return target.startsWith('package.json') ? null : `src may not import ${target}`;
  if (file === 'src/extension.ts') return null;
  if (target === 'src/extension.ts') return 'nothing may import src/extension.ts';
  const from = floorOf(file);
  const to = floorOf(target);
  const nameOf = (path: string): string => path.split('/')[1] ?? path;
  if (from === null) return `${nameOf(file)} is no floor: add it to scripts/floors.ts`;
  if (to === null) return `${nameOf(target)} is no floor: add it to scripts/floors.ts`;
  if (to > from) return `${nameOf(file)} stands below ${nameOf(target)} and may not import ${target}`;
  if (to === from && nameOf(file) !== nameOf(target))
    return `${nameOf(file)} may not import ${nameOf(target)}, its neighbour`;
  return null;
}

function outsideRule(file: string, found: Import): string | null {
  const packageName = /^(@[^/]+\/[^/]+|[^/]+)/.exec(found.specifier)?.[1] ?? found.specifier;
  if (packageName === 'vscode' && file !== 'src/extension.ts' && !file.startsWith('src/editor/')) {
    return 'only src/editor and src/extension.ts may import vscode';
  }
  if (packageName === 'playwright' || packageName.startsWith('@playwright/')) {
    return 'import playwright-core, which is what ships';
  }
  const loads = file.startsWith('src/server/') || file.startsWith('src/environments/browser/');
  if (packageName === 'playwright-core' && !found.typeOnly && !loads) {
    return 'playwright-core is loaded in src/server and src/environments/browser only: write "import type" here';
  }
  return null;
}

/** Every circle of imports, told once, at the import that closes it. */
function circles(graph: ReadonlyMap<string, readonly { to: string; line: number }[]>): Violation[] {
  const found: Violation[] = [];
  const state = new Map<string, 'open' | 'done'>();
  const path: string[] = [];
  const visit = (file: string): void => {
    state.set(file, 'open');
    path.push(file);
    for (const { to, line } of graph.get(file) ?? []) {
      if (state.get(to) === 'open') {
        const circle = [...path.slice(path.indexOf(to)), to];
        found.push({ file, line, message: `imports in a circle: ${circle.join(' → ')}` });
      } else if (!state.has(to)) {
        visit(to);
      }
    }
    path.pop();
    state.set(file, 'done');
  };
  for (const file of graph.keys()) if (!state.has(file)) visit(file);
  return found;
}

const STATIC = /\b(?:import|export)\b([^'"`;()=]*?)\bfrom\s*(['"])([^'"\n]+)\2/g;
const BARE = /\bimport\s*(['"])([^'"\n]+)\1/g;
const CALLED = /(\btypeof\s+)?\b(import|require)\s*\(\s*(['"`])([^'"`\n]+)\3/g;

/** Every import and export-from in a file's text: static, for side effects, dynamic, `require`, and in types. */
function readImports(source: string): Import[] {
  const text = withoutComments(source);
  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  const imports: Import[] = [];
  for (const match of text.matchAll(STATIC)) {
    const names = match[1]?.trim() ?? '';
    // `import { type A, type B }` leaves nothing either.
    const inline = /^\{[^}]*\}$/.test(names) && namesIn(names).every((name) => name.startsWith('type '));
    imports.push({
      specifier: match[3] ?? '',
      line: lineAt(match.index),
      typeOnly: /^type\b(?!\s*,|\s*$)/.test(names) || inline,
    });
  }
  for (const match of text.matchAll(BARE)) {
    imports.push({ specifier: match[2] ?? '', line: lineAt(match.index), typeOnly: false });
  }
  for (const match of text.matchAll(CALLED)) {
    // `import('x').Y` after a colon, an angle bracket or the like is a type.
    const inType = match[2] === 'import' && isTypePlace(text, match.index);
    imports.push({
      specifier: match[4] ?? '',
      line: lineAt(match.index),
      typeOnly: match[1] !== undefined || inType,
    });
  }
  return imports;
}

function namesIn(braces: string): string[] {
  return braces
    .slice(1, -1)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** Whether an `import(...)` at this place stands in a type: `type X = import('x').Y`, `(a: import('x').Y)`. */
function isTypePlace(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 200), index);
  const after = /^import\s*\([^)]*\)\s*\.\s*[A-Z]/.test(text.slice(index, index + 200));
  return after && (/[:<|&]\s*$/.test(before) || /\btype\s+[\w$]+(<[^=]*>)?\s*=\s*$/.test(before));
}

/** The text with comments blanked out, line breaks kept; what looks like a comment inside a string stays. */
function withoutComments(text: string): string {
  return text.replace(
    /(\/\*[\s\S]*?\*\/)|(^|[^:\\'"`/])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    (whole, block: string | undefined, before: string | undefined) => {
      if (block !== undefined) return block.replace(/[^\n]/g, ' ');
      return before === undefined ? whole : before;
    },
  );
}
