import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkModules } from '../../../src/functions/user/modules/broken.ts';
import { compileModule } from '../../../src/functions/user/modules/compile.ts';
import { resolveImport } from '../../../src/functions/user/modules/resolve.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-modules-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

describe('compiled TypeScript', () => {
  const SOURCE = `import { type A, B } from './types';
/* a comment
   of two lines */
export enum Colour { Red }
namespace Shop {
  export const low: number = 1;
}
function logged(value: unknown, _context: unknown) {
  return value;
}
class Cart {
  constructor(
    private readonly size: B,
  ) {}

  @logged
  total(): number {
    return MARK_18;
  }
}
export const text = \`of
\${MARK_22 as number}\`;
MARK_23;
`;

  it.each([
    ['an ES module', SOURCE],
    ['a CommonJS module', `${SOURCE}module.exports.name = __filename;`],
  ])('has its statements on the lines of the source: %s', (_, source) => {
    const lines = compileModule(source, '/tasks/a.ts').code.split('\n');
    const marks = [...source.matchAll(/MARK_(\d+)/g)];
    expect(marks).toHaveLength(3);
    for (const [mark, line] of marks) expect(lines[Number(line) - 1]).toContain(mark);
  });

  it.each([
    ['import { a } from "./a"; console.log(a)', 'a.ts', 'module'],
    ['export const a = 1', 'a.ts', 'module'],
    ['import { createRequire } from "node:module"; const require = createRequire(import.meta.url)', 'a.ts', 'module'],
    ['import { a } from "./a"; require(a)', 'a.ts', 'commonjs'],
    ['export const a = __dirname', 'a.ts', 'commonjs'],
    ['import fs = require("node:fs"); export const a = fs', 'a.ts', 'commonjs'],
    ['export = { a: 1 }', 'a.ts', 'commonjs'],
    ['export const a = 1', 'a.cts', 'commonjs'],
    ['export const a = typeof require', 'a.mts', 'module'],
  ])('%j in %s is of the format %3$s', (text, name, format) => {
    expect(compileModule(text, `/tasks/${name}`).format).toBe(format);
  });

  it('imports what is used as a value', () => {
    const text =
      'import type { A } from "./a";\nimport { B } from "./b";\nimport { c } from "./c";\nimport "./d";\nexport * from "./e";\nlet b: B = c;';
    const { imports } = compileModule(text, '/tasks/a.ts');
    expect(imports.map(({ specifier, position }) => `${specifier} ${position.line}:${position.column}`)).toEqual([
      './c 3:19',
      './d 4:8',
      './e 5:15',
    ]);
    const required = compileModule(`${text}\nconst f = require("./f");`, '/tasks/a.ts');
    expect(
      required.imports.map(({ specifier, position }) => `${specifier} ${position.line}:${position.column}`),
    ).toEqual(['./c 3:19', './d 4:8', './e 5:15', './f 7:19']);
  });
});

describe('an import', () => {
  it.each([
    ['./rate', 'rate.ts'],
    ['./rate.js', 'rate.ts'],
    ['./both.js', 'both.js'],
    ['./page', 'page.tsx'],
    ['./esm.mjs', 'esm.mts'],
    ['./old.cjs', 'old.cts'],
    ['./lib', 'lib/index.ts'],
    ['./named', 'named/main.ts'],
    ['./names', 'names.json'],
    ['@lib/deep', 'lib/deep.ts'],
    ['exact', 'rate.ts'],
    ['lib/deep', 'lib/deep.ts'],
    ['./missing', undefined],
    ['./lib/missing.js', undefined],
    ['zod', undefined],
  ])('of %j is %s', async (specifier, expected) => {
    await write({
      'rate.ts': '',
      'both.js': '',
      'both.ts': '',
      'page.tsx': '',
      'esm.mts': '',
      'old.cts': '',
      'lib/index.ts': '',
      'lib/deep.ts': '',
      'named/package.json': '{"main": "./main.js"}',
      'named/main.ts': '',
      'names.json': '',
      'base.json': '{"compilerOptions": {"baseUrl": "."}}',
      'tsconfig.json':
        '{"extends": "./base", // comment\n"compilerOptions": {"paths": {"@lib/*": ["none/*", "./lib/*"], "exact": ["./rate"],}}}',
    });
    const path = resolveImport(specifier, join(folder, 'a.functions.ts'));
    expect(path).toBe(expected === undefined ? undefined : join(folder, expected));
  });
});

describe('the modules of a folder', () => {
  const check = async (): Promise<readonly string[]> => {
    const { broken } = await checkModules(folder, (file) => readFile(file, 'utf8'));
    return broken.map(
      ({ file, range: { start }, message }) =>
        `${file.slice(folder.length + 1)}:${start.line + 1}:${start.character + 1} ${message}`,
    );
  };

  it('are fine with everything that runs', async () => {
    await write({
      'a.functions.ts':
        "import { Page, z } from 'taskwright';\nimport fs from 'node:fs';\nimport { x } from './b.functions';\nimport { T } from './none';\nimport own from 'own/x';\nimport dep from '@a/dep/sub';\nexport enum E { A }\nexport const a = (p: Page, t: T) => [z, fs, x, own, dep];",
      'b.functions.ts': "import { E } from './a.functions';\nexport const x = () => E;",
      'c.functions.js': 'const n = 010;\nexports.c = () => n;\nreturn;',
      'd.functions.py': 'import nothing\ndef d(state) -> int:\n    return 1\n',
      'package.json': '{"name": "own"}',
      'node_modules/@a/dep/sub.js': 'not parsed',
    });
    expect(await check()).toEqual([]);
  });

  it('have each problem at its place', async () => {
    await write({
      'a.functions.ts':
        "import { x } from './lib/x';\nimport { y } from './missing';\nimport z from 'nothing-here';\nexport const a = () => [x, y, z];",
      'b.functions.mjs': 'export const b = () => 1;\nconst b = 2;',
      'c.functions.js': 'exports.c = (;',
      'd.functions.py': 'def d():\n    return 1\n\ndef e(:\n    pass\n',
      'lib/x.ts': 'export const x: number = 1;\nexport const y = ];',
    });
    expect(await check()).toEqual([
      'a.functions.ts:2:19 No file “./missing” exists',
      'a.functions.ts:3:15 The package “nothing-here” is not installed: npm install nothing-here',
      expect.stringMatching(
        /^b\.functions\.mjs:2:7 The file cannot be loaded: Identifier 'b' has already been declared/,
      ),
      expect.stringMatching(/^c\.functions\.js:1:14 The file cannot be loaded: Unexpected token/),
      expect.stringMatching(/^d\.functions\.py:4:\d+ The file cannot be loaded: /),
      expect.stringMatching(/^lib\/x\.ts:2:18 The file cannot be loaded: Unexpected token/),
    ]);
  });
});
