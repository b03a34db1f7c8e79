import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { Script } from 'node:vm';
import type { Range } from '../../../base/range.ts';
import { functionsFiles, isPython } from '../files.ts';
import { pythonSyntaxError } from '../python/syntax.ts';
import { modulePaths, taskModule } from '../task-module.ts';
import type { ModuleImport, Position } from './compile.ts';
import { compiler } from './compiler.ts';
import { isPath, isShare, packageIn, resolveImport } from './resolve.ts';
import { definesClassFields } from './tsconfig.ts';

/** A problem because of which a file cannot be loaded. */
export interface BrokenModule {
  /** Absolute path. */
  readonly file: string;
  readonly range: Range;
  readonly message: string;
}

/** What is wrong with the functions files of a folder and the files that they import. */
export interface CheckedModules {
  readonly broken: readonly BrokenModule[];
  /** Absolute paths of all files that were read. */
  readonly files: ReadonlySet<string>;
}

/**
 * Checks the syntax and the imports of the functions files of a folder, of the module in `OPENENV_TASK_MODULE`, and of the files
 * that they import. Nothing is executed. Rejects if the folder cannot be listed.
 *
 * @param read returns null for a file that cannot be read
 */
export async function checkModules(
  folder: string,
  read: (file: string) => Promise<string | null>,
): Promise<CheckedModules> {
  const broken: BrokenModule[] = [];
  const files = new Set([...(await functionsFiles(folder)), ...modulePaths(await taskModule(folder))]);
  // Imported files are added during the loop.
  for (const file of files) {
    const text = await read(file);
    if (text === null) continue;
    if (isPython(file)) {
      const problem = await pythonSyntaxError(text);
      if (problem !== null) broken.push({ file, ...problem });
      continue;
    }
    const { imports, problem } = checkText(text, file);
    if (problem !== null) broken.push({ file, ...problem });
    for (const one of imports) {
      const path = resolveImport(one.specifier, file);
      if (path === undefined) {
        const message = whyMissing(one.specifier, file);
        if (message !== null) broken.push({ file, range: rangeAt(one.position, one.specifier.length + 2), message });
      } else if (SCRIPT.test(path) && !path.includes('/node_modules/')) files.add(path);
    }
  }
  return { broken, files };
}

const SCRIPT = /\.(?:[cm]?[jt]s|[jt]sx)$/;

interface CheckedText {
  readonly imports: readonly ModuleImport[];
  readonly problem: Omit<BrokenModule, 'file'> | null;
}

/** The last text of each file, because most files are the same in the next check. */
const checkedTexts = new Map<string, { readonly text: string; readonly result: CheckedText }>();

function checkText(text: string, file: string): CheckedText {
  const last = checkedTexts.get(file);
  if (last?.text === text) return last.result;
  const result = parse(text, file);
  checkedTexts.set(file, { text, result });
  return result;
}

function parse(text: string, file: string): CheckedText {
  const { compileModule, ModuleSyntaxError } = compiler();
  try {
    return { imports: compileModule(text, file, definesClassFields(file)).imports, problem: null };
  } catch (error) {
    if (!(error instanceof ModuleSyntaxError)) throw error;
    if (isSloppyScript(text, file)) return { imports: [], problem: null };
    return {
      imports: [],
      problem: { range: rangeAt(error.position), message: `The file cannot be loaded: ${error.message}` },
    };
  }
}

/** Whether a JavaScript file is valid as CommonJS, which is not in strict mode and can return. */
function isSloppyScript(text: string, file: string): boolean {
  if (!/\.c?js$/.test(file)) return false;
  try {
    new Script(`(function () {${text}\n})`);
    return true;
  } catch {
    return false;
  }
}

/** Why an import that is not a file has no target; null if it may have one. */
function whyMissing(specifier: string, file: string): string | null {
  if (isShare(specifier)) return null;
  if (isPath(specifier)) return `No file “${specifier}” exists`;
  // Builtin modules, URLs, and names of package.json.
  if (specifier === 'taskwright' || isBuiltin(specifier) || /^(?:#|[a-z][\w+.-]*:)/.test(specifier)) return null;
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'node_modules', name)) || packageIn(folder)?.name === name) return null;
    if (folder === dirname(folder)) return `The package “${name}” is not installed: npm install ${name}`;
  }
}

/** @param length number of characters in the line */
function rangeAt({ line, column }: Position, length = 1): Range {
  const start = { line: line - 1, character: column - 1 };
  return { start, end: { ...start, character: start.character + length } };
}
