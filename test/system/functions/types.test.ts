import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..', '..');
const load = createRequire(import.meta.url);
const cache = join(root, '.vscode-test', 'typescript-6');
let folder: string;

/** The part of the TypeScript that editors carry (6; the repository's own 7 has no such interface) that is used here. */
interface TypeScript {
  sys: { readFile(path: string): string | undefined; fileExists(path: string): boolean };
  ScriptSnapshot: { fromString(text: string): unknown };
  ModuleKind: { ESNext: number };
  ModuleResolutionKind: { Bundler: number };
  ScriptTarget: { ES2023: number };
  resolveModuleName(name: string, file: string, options: object, host: object): { resolvedModule?: unknown };
  createLanguageService(host: object): {
    getSemanticDiagnostics(file: string): { messageText: string | { messageText: string } }[];
    getCompletionsAtPosition(file: string, at: number, options: object): { entries: { name: string }[] } | undefined;
    getQuickInfoAtPosition(file: string, at: number): { displayParts: { text: string }[] } | undefined;
  };
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-types-'));
  if (existsSync(join(cache, 'node_modules', 'typescript'))) return;
  await mkdir(cache, { recursive: true });
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  await promisify(execFile)(npm, ['install', '--no-save', '--ignore-scripts', '--prefix', cache, 'typescript@6.0.3']);
}, 120_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A language service as an editor runs it, with or without the plugin. */
async function open(text: string, plugin: boolean) {
  const ts = load(join(cache, 'node_modules', 'typescript')) as TypeScript;
  const file = join(folder, 'shop.functions.ts');
  await writeFile(file, text);
  const options = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2023,
    allowImportingTsExtensions: true,
    noEmit: true,
    strict: true,
    types: [],
  };
  const { sys } = ts;
  const host = {
    getCompilationSettings: () => options,
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot(path: string) {
      const content = sys.readFile(path);
      return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: () => join(cache, 'node_modules', 'typescript', 'lib', 'lib.es2023.full.d.ts'),
    readFile: (path: string) => sys.readFile(path),
    fileExists: (path: string) => sys.fileExists(path),
    resolveModuleNameLiterals: (literals: readonly { text: string }[], from: string) =>
      literals.map((literal) => ts.resolveModuleName(literal.text, from, options, sys)),
  };
  let service = ts.createLanguageService(host);
  if (plugin) {
    const init = load(join(root, 'node_modules', 'taskwright-typescript-plugin')) as (modules: object) => {
      create(info: object): typeof service;
    };
    service = init({ typescript: ts }).create({ languageService: service, languageServiceHost: host });
  }
  return {
    problems: () =>
      service
        .getSemanticDiagnostics(file)
        .map(({ messageText }) => (typeof messageText === 'string' ? messageText : messageText.messageText)),
    completions: (after: string) =>
      service.getCompletionsAtPosition(file, text.indexOf(after) + after.length, {})?.entries.map(({ name }) => name) ??
      [],
    hover: (word: string) =>
      service
        .getQuickInfoAtPosition(file, text.indexOf(word))
        ?.displayParts.map((part) => part.text)
        .join(''),
  };
}

const FUNCTION = `import { defineFunction, z } from 'taskwright';
export const cart_total = defineFunction({
  args: z.tuple([z.number()]),
  async run({ page, response }, expected) {
    const total = Number(await page.locator('#total').textContent());
    return { value: total === expected, reason: response ?? '' };
  },
});
`;

describe("the editor's TypeScript knows the types of user-defined functions, in a folder without packages", () => {
  it('with the plugin: no problems, inferred arguments, the page', async () => {
    const editor = await open(FUNCTION, true);
    expect(editor.problems()).toEqual([]);
    expect(editor.hover('expected')).toBe('(parameter) expected: number');
    expect(editor.hover('page,')).toContain('page: Page');
    expect(editor.completions('await page.')).toEqual(expect.arrayContaining(['locator', 'goto', 'evaluate']));
    expect(editor.completions('z.')).toEqual(expect.arrayContaining(['string', 'tuple', 'object']));
  });

  it('with the plugin: mistakes are seen', async () => {
    const wrong = FUNCTION.replace('total === expected', "'yes'").replace('page.locator', 'page.locate');
    expect((await open(wrong, true)).problems()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/'locate' does not exist/),
        expect.stringMatching(/not assignable/),
      ]),
    );
  });

  it('without it the import is not found', async () => {
    expect((await open(FUNCTION, false)).problems()[0]).toMatch(/Cannot find module 'taskwright'/);
  });

  it('and another module that is missing stays missing', async () => {
    expect((await open("import { b } from 'nowhere';\nexport const a = b;\n", true)).problems()[0]).toMatch(
      /Cannot find module 'nowhere'/,
    );
  });
});
