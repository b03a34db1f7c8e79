import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { AGENT_KINDS } from '../src/agents/registry.ts';
import { environmentTypes, KINDS } from '../src/environments/kinds.ts';
import { PLACEMENT_KINDS } from '../src/tasks/placement-kind.ts';

// Rules for imports that Biome cannot express: its noRestrictedImports sees neither require() nor types taken by import(), and
// cannot allow the types of a package while it forbids the rest. A GritQL plugin can, but takes 20 seconds of processor time.
// Circular imports are found by Biome's noImportCycles.

/** The layers of `src/` from the bottom up; a folder may import itself and the folders of earlier rows. */
const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['python', 'processes', 'results'],
  ['tasks'],
  ['actions'],
  ['functions'],
  ['environments'],
  ['language', 'server'],
  ['placement', 'traces'],
  ['agents'],
  ['runs'],
  ['formats'],
  ['debugger', 'doctor', 'serving', 'task-tools'],
  ['presentation'],
  ['editor', 'cli', 'library'],
];

/** One import in a file. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Whether the compiler removes it. */
  readonly typeOnly: boolean;
}

/** One import that breaks a rule. `file` is relative to the repository, `line` one-based. */
export interface Violation {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** A source file: its text, its imports, and for each import the repository's path of its target; null for a package. */
interface Source {
  readonly text: string;
  readonly imports: readonly (Import & { readonly target: string | null })[];
}

/** By path relative to the repository. */
type Sources = ReadonlyMap<string, Source>;

/**
 * Checks every import under `src/` and `webview/` of a repository, dynamic and type imports included: no layer imports a
 * higher one, no folder of a layer imports one that imports it, and `vscode` and playwright-core are imported only where
 * they are allowed.
 */
export async function checkImports(root: string): Promise<Violation[]> {
  const sources = await readSources(root);
  const rooms = backwardImports(sources);
  return [...sources].flatMap(([file, { text, imports }]) => [
    ...forbiddenLines(file, text),
    ...imports.flatMap((importLine) => {
      const message = importRule(file, importLine, sources) ?? rooms.get(importLine);
      return message === undefined ? [] : [{ file, line: importLine.line, message }];
    }),
  ]);
}

function importRule(file: string, importLine: Source['imports'][number], sources: Sources): string | undefined {
  if (importLine.target === null) return packageRule(file, importLine) ?? undefined;
  return (
    (file.startsWith('webview/')
      ? webviewRule(importLine.target, importLine, sources)
      : layerRule(file, importLine.target)) ?? undefined
  );
}

async function readSources(root: string): Promise<Sources> {
  const sources = new Map<string, Source>();
  for (const folder of ['src', 'webview']) {
    const names = await readdir(join(root, folder), { recursive: true });
    for (const name of names.filter((name) => /\.[cm]?tsx?$/.test(name)).sort()) {
      const path = join(root, folder, name);
      const file = relative(root, path).split(sep).join('/');
      const text = await readFile(path, 'utf8');
      const imports = readImports(text).map((found) => ({ ...found, target: targetOf(root, file, found.specifier) }));
      sources.set(file, { text, imports });
    }
  }
  return sources;
}

/** Files that write to the terminal: one makes the `Output` of all others, one runs in a Node.js that is too old for it. */
const TERMINAL = ['src/cli/start.ts', 'src/cli/main.ts'];

/** The names of everything that has a descriptor: environments and their types, placements, and agents. */
const DESCRIBED: readonly string[] = [
  ...KINDS.map(({ name }) => name),
  ...environmentTypes,
  ...PLACEMENT_KINDS,
  ...AGENT_KINDS.map(({ name }) => name),
];

/** Folders that read descriptors. */
const READS_DESCRIPTORS = ['agents', 'runs', 'debugger', 'task-tools', 'presentation', 'editor'].map(
  (name) => `src/${name}/`,
);

/** Past participles that say nothing about a value, and are not the names of booleans either. */
const PARTICIPLES =
  'asked begun built chosen drawn found given gone heard held kept known made meant said seen sent shown spoken taken thrown told wanted written';

/** Patterns that no line of certain sources may match. */
const FORBIDDEN: readonly { applies(file: string): boolean; pattern: RegExp; message: string }[] = [
  {
    // `Output` escapes control characters.
    applies: (file) => file.startsWith('src/cli/') && !TERMINAL.includes(file),
    pattern: /\bprocess\.std(out|err)\b|\bconsole\.\w/,
    message: 'the command line writes to the terminal through Output only',
  },
  {
    applies: (file) => file.startsWith('src/'),
    pattern: /^import \{.*\bexec(?:Sync)?\b.*\} from 'node:child_process'|\bshell: (?!false)/,
    message: 'start programs with an array of arguments, not by a shell',
  },
  {
    applies: (file) => file.startsWith('src/editor/') && file !== 'src/editor/notifications.ts',
    pattern: /\.show(?:Information|Warning|Error)Message\b/,
    message: 'show messages with `notifications.ts`, which removes links and control characters',
  },
  {
    // A new kind must not need a change here.
    applies: (file) => READS_DESCRIPTORS.some((folder) => file.startsWith(folder)),
    pattern: new RegExp(`(?:[!=]== |\\bcase )'(?:${DESCRIBED.join('|')})'`),
    message: 'read descriptors of environments, placements, and agents instead of comparing their names',
  },
  {
    applies: (file) => /^(src|webview)\//.test(file),
    pattern: new RegExp(`\\b(?:const|let|function|class)\\s+(?:${PARTICIPLES.replaceAll(' ', '|')})\\b`, 'i'),
    message: 'name a value by a noun and a function by a verb, not by a past participle',
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

function layerOf(file: string): number | null {
  const name = /^src\/([^/]+)\//.exec(file)?.[1];
  const index = LAYERS.findIndex((row) => name !== undefined && row.includes(name));
  return index < 0 ? null : index;
}

/** Packages that run in a webview. */
const IN_WEBVIEW = ['@vscode/l10n'];

function webviewRule(target: string, importLine: Import, sources: Sources): string | null {
  if (target.startsWith('webview/')) return null;
  if (importLine.typeOnly && target.startsWith('src/presentation/')) return null;
  const foreign = packageOf(target, sources, new Set());
  return foreign === null
    ? null
    : `${target} needs ${foreign}: webview may import only what runs in it, and types from src/presentation`;
}

/** A package that a file loads, by itself or by what it imports, and that does not run in a webview; null if there is none. */
function packageOf(file: string, sources: Sources, path: Set<string>): string | null {
  if (path.has(file)) return null;
  path.add(file);
  for (const { target, specifier, typeOnly } of sources.get(file)?.imports ?? []) {
    if (typeOnly || IN_WEBVIEW.includes(specifier)) continue;
    const foreign = target === null ? specifier : packageOf(target, sources, path);
    if (foreign !== null) return foreign;
  }
  return null;
}

/**
 * Imports between the folders and files of a layer that go both ways, directly or through others, with a message each. A
 * folder in a folder counts for the one that is directly in the layer.
 */
function backwardImports(sources: Sources): ReadonlyMap<Import, string> {
  const edges = [...sources].flatMap(([file, { imports }]) =>
    imports.flatMap((importLine) => {
      const [from, to] = [partOf(file), importLine.target === null ? null : partOf(importLine.target)];
      return from === null || to === null || from === to || layerName(from) !== layerName(to)
        ? []
        : [{ found: importLine, from, to }];
    }),
  );
  const next = new Map<string, Set<string>>();
  for (const { from, to } of edges) next.set(from, (next.get(from) ?? new Set()).add(to));
  const reaches = (from: string, to: string, visited: Set<string>): boolean =>
    from === to ||
    (!visited.has(from) && visited.add(from) && [...(next.get(from) ?? [])].some((step) => reaches(step, to, visited)));
  return new Map(
    edges
      .filter(({ from, to }) => reaches(to, from, new Set()))
      .map(({ found, from, to }) => [found, `${from} may not import ${to}, which imports it too`]),
  );
}

/** The folder directly in its layer that a file is in, or the file itself: `src/runs/store`. */
function partOf(file: string): string | null {
  return /^src\/[^/]+\/[^/]+/.exec(file)?.[0] ?? null;
}

function layerName(path: string): string {
  return path.split('/')[1] ?? path;
}

function layerRule(file: string, target: string): string | null {
  if (!target.startsWith('src/')) return target.startsWith('package.json') ? null : `src may not import ${target}`;
  if (file === 'src/extension.ts') return null;
  if (target === 'src/extension.ts') return 'nothing may import src/extension.ts';
  const from = layerOf(file);
  const to = layerOf(target);
  if (from === null) return `${layerName(file)} is not a layer: add it to scripts/import-rules.ts`;
  if (to === null) return `${layerName(target)} is not a layer: add it to scripts/import-rules.ts`;
  if (to > from) return `${layerName(file)} is below ${layerName(target)} and may not import ${target}`;
  if (to === from && layerName(file) !== layerName(target)) {
    return `${layerName(file)} may not import ${layerName(target)}, which is in the same layer`;
  }
  return null;
}

function packageRule(file: string, importLine: Import): string | null {
  const packageName = /^(@[^/]+\/[^/]+|[^/]+)/.exec(importLine.specifier)?.[1] ?? importLine.specifier;
  if (packageName === 'vscode' && file !== 'src/extension.ts' && !file.startsWith('src/editor/')) {
    return 'only src/editor and src/extension.ts may import vscode';
  }
  // The build puts the transformer of Playwright's tests into a file of ours.
  const isBundled = importLine.specifier === 'playwright/lib/transform/babelBundle';
  if ((packageName === 'playwright' && !isBundled) || packageName.startsWith('@playwright/')) {
    return 'import playwright-core, which is what ships';
  }
  const loads = file.startsWith('src/server/') || file.startsWith('src/environments/browser/');
  if (packageName === 'playwright-core' && !importLine.typeOnly && !loads) {
    return 'only src/server and src/environments/browser may load playwright-core: use "import type" here';
  }
  return null;
}

const STATIC = /\b(?:import|export)\b([^'"`;()=]*?)\bfrom\s*(['"])([^'"\n]+)\2/g;
const BARE = /\bimport\s*(['"])([^'"\n]+)\1/g;
const CALLED = /(\btypeof\s+)?\b(import|require)\s*\(\s*(['"`])([^'"`\n]+)\3/g;

/** Every import and export-from in a file's text: static, for side effects, dynamic, `require`, and in types. */
export function readImports(source: string): Import[] {
  const text = withoutComments(source);
  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  const imports: Import[] = [];
  for (const match of text.matchAll(STATIC)) {
    const names = match[1]?.trim() ?? '';
    // The compiler also removes `import { type A, type B }`.
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
    // After a colon, an angle bracket and the like, `import('x').Y` is a type.
    const inType = match[2] === 'import' && isInType(text, match.index);
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

/** Whether the `import(...)` at this index is in a type: `type X = import('x').Y`, `(a: import('x').Y)`. */
function isInType(text: string, index: number): boolean {
  const before = text.slice(Math.max(0, index - 200), index);
  const after = /^import\s*\([^)]*\)\s*\.\s*[A-Z]/.test(text.slice(index, index + 200));
  return after && (/[:<|&]\s*$/.test(before) || /\btype\s+[\w$]+(<[^=]*>)?\s*=\s*$/.test(before));
}

/** The text with comments blanked out, line breaks kept; comments in strings stay. */
function withoutComments(text: string): string {
  return text.replace(
    /(\/\*[\s\S]*?\*\/)|(^|[^:\\'"`/])\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`/g,
    (whole, block: string | undefined, before: string | undefined) => {
      if (block !== undefined) return block.replace(/[^\n]/g, ' ');
      return before === undefined ? whole : before;
    },
  );
}
