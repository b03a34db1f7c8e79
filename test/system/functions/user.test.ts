import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallResult } from '../../../src/functions/declaration.ts';

const root = join(import.meta.dirname, '..', '..', '..');
let home: string;
let program: string;
let folder: string;

/** A program such as a session's process, with what `import 'taskwright'` means beside it. */
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'taskwright-own-'));
  program = join(home, 'program', 'session.js');
  const common = { absWorkingDir: root, bundle: true, platform: 'node', target: 'node22' } as const;
  await Promise.all([
    build({ ...common, format: 'cjs', outfile: program, entryPoints: ['test/fixtures/functions/session.ts'] }),
    build({
      ...common,
      format: 'esm',
      mainFields: ['module', 'main'],
      outfile: join(home, 'program', 'taskwright.mjs'),
      entryPoints: ['src/functions/user/taskwright.ts'],
    }),
  ]);
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  folder = await mkdtemp(join(home, 'tasks-'));
});

/** Calls functions of the folder one after the other in one process; `edit` runs between the calls. */
async function session(
  use: (call: (name: string, ...args: unknown[]) => Promise<CallResult>) => Promise<void>,
  ...flags: string[]
) {
  const child = fork(program, [], { execArgv: flags, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  const said: string[] = [];
  child.stderr?.on('data', (data) => said.push(String(data)));
  try {
    await use(async (name, ...args) => {
      child.send({ folder, name, args });
      const [answer] = await once(child, 'message');
      return answer as CallResult;
    });
  } finally {
    child.kill();
  }
  return said.join('');
}

const write = (name: string, text: string) => writeFile(join(folder, name), text);

describe('a user-defined function runs in any folder', () => {
  it('in TypeScript, with its arguments checked and nothing installed', async () => {
    await write(
      'shop.functions.ts',
      `import { defineFunction, z } from 'taskwright';
       interface Cart { readonly total: number }
       export const cart_total = defineFunction({
         args: z.tuple([z.number()]),
         async run({ response }, expected: number) {
           const cart: Cart = { total: Number(response) };
           return { value: cart.total === expected, reason: \`the total is \${cart.total}\` };
         },
       });
       export const plain = (context: unknown, a: number, b: number) => a + b;`,
    );
    const said = await session(async (call) => {
      expect(await call('cart_total', 5)).toEqual({ value: 1, reason: 'the total is 5' });
      expect(await call('cart_total', 6)).toEqual({ value: 0, reason: 'the total is 5' });
      expect(await call('plain', 0.25, 0.5)).toEqual({ value: 0.75, reason: 'returned 0.75' });
      expect(await call('cart_total', 'five')).toMatchObject({
        error: {
          code: 'invalid_arguments',
          message: expect.stringMatching(/invalid arguments for `cart_total`: argument 1: .*number/),
        },
      });
      expect(await call('cart_totl', 5)).toMatchObject({ error: { code: 'unknown_function' } });
    });
    expect(said).not.toContain('Warning');
  });

  it('in JavaScript of every kind', async () => {
    await write(
      'a.functions.js',
      "import { defineFunction } from 'taskwright';\nexport const a = defineFunction({ run: () => 1 });",
    );
    await write('b.functions.mjs', 'export function b() { return true; }');
    await write('c.functions.js', 'exports.c = () => 0.5;');
    await write('d.functions.js', 'const value = 0.25;\nmodule.exports = { d: () => value };');
    await write('e.functions.mjs', 'export default function e() {}');
    const said = await session(async (call) => {
      expect(await call('a')).toMatchObject({ value: 1 });
      expect(await call('b')).toMatchObject({ value: 1 });
      expect(await call('c')).toMatchObject({ value: 0.5 });
      expect(await call('d')).toMatchObject({ value: 0.25 });
      expect(await call('e')).toMatchObject({
        error: {
          code: 'unknown_function',
          message: expect.stringContaining('the default export of e.functions.mjs has no name in tasks'),
        },
      });
    });
    expect(said).not.toContain('Warning');
  });

  it('on a Node that does not strip types while loading', async () => {
    await write('a.functions.ts', 'export const a = (_context: unknown, n: number): number => n;');
    const flag = process.allowedNodeEnvironmentFlags.has('--no-strip-types')
      ? '--no-strip-types'
      : '--no-experimental-strip-types';
    await session(async (call) => expect(await call('a', 0.5)).toMatchObject({ value: 0.5 }), flag);
  });

  it('with TypeScript that Node cannot strip, and imports without endings', async () => {
    await mkdir(join(folder, 'lib'));
    await write('lib/index.ts', 'export enum Colour { Red = "red" }\nexport interface Shop { readonly name: string }');
    await write('rates.mts', 'namespace Rates { export const low = 0.25; }\nexport default Rates;');
    await write('names.json', '{"shop": "corner"}');
    await write('old.cts', 'const names = require("./names");\nexport = { names };');
    const source = (prelude: string) => `${prelude}
      import { type Page, UserContext } from 'taskwright';
      import { Colour, Shop } from './lib';
      import Rates from './rates.mjs';
      import names from './names.json';
      import old from './old';
      class Cart { constructor(private readonly shop: Shop) {} name() { return this.shop.name; } }
      const cart = new Cart({ name: names.shop });`;
    await write(
      'a.functions.ts',
      `${source('')}
      const { low } = (await import('./rates')).default;
      export const a = (_: UserContext) => ({ value: low, reason: [cart.name(), Colour.Red, old.names.shop].join() });`,
    );
    await write(
      'b.functions.ts',
      `${source("import fs = require('node:fs');")}
      export const b = (_: UserContext) => {
        return { value: Rates.low, reason: [cart.name(), fs.existsSync(__filename), require('./lib').Colour.Red].join() };
      };
      export function c(): number {
        throw new Error('no luck');
      }`,
    );
    await session(async (call) => {
      expect(await call('a')).toEqual({ value: 0.25, reason: 'corner,red,corner' });
      expect(await call('b')).toEqual({ value: 0.25, reason: 'corner,true,red' });
      expect(await call('c')).toMatchObject({ error: { message: '`c` threw (b.functions.ts:13): no luck' } });
      await write('names.json', '{"shop": "market"}');
      expect(await call('a')).toEqual({ value: 0.25, reason: 'market,red,market' });
      expect(await call('b')).toEqual({ value: 0.25, reason: 'market,true,red' });
    });
  });

  it('with the paths of tsconfig.json', async () => {
    await mkdir(join(folder, 'lib'));
    await write('lib/rate.ts', 'export const rate = 0.5;');
    await write('tsconfig.json', '{ // comment\n"compilerOptions": { "paths": { "@lib/*": ["./lib/*"], }, }, }');
    await write('a.functions.ts', "import { rate } from '@lib/rate';\nexport const a = () => rate;");
    await session(async (call) => expect(await call('a')).toMatchObject({ value: 0.5 }));
  });

  it('is reloaded when it or an import was edited', async () => {
    await mkdir(join(folder, 'lib'));
    await write('lib/rate.ts', 'export const rate: number = 0.1;');
    await write(
      'a.functions.ts',
      "import { rate } from './lib/rate.ts';\nlet calls = 0;\nexport const a = () => rate + calls++;",
    );
    await session(async (call) => {
      expect(await call('a')).toMatchObject({ value: 0.1 });
      expect(await call('a')).toMatchObject({ error: { code: 'call_out_of_range' } });
      await write('lib/rate.ts', 'export const rate: number = 0.25;');
      expect(await call('a')).toMatchObject({ value: 0.25 });
      await write('a.functions.ts', 'export const a = () => 1;\nexport const b = () => 0;');
      expect(await call('a')).toMatchObject({ value: 1 });
      expect(await call('b')).toMatchObject({ value: 0 });
    });
  });
});

describe("a user's error is reported with its location", () => {
  it('when the function throws', async () => {
    await write(
      'a.functions.ts',
      'export const a = (): number => {\n  const nothing: any = null;\n  return nothing.total;\n};',
    );
    await session(async (call) => {
      expect(await call('a')).toMatchObject({
        error: { code: 'call_threw', message: expect.stringMatching(/^`a` threw \(a\.functions\.ts:3\): Cannot read/) },
      });
    });
  });

  it('when the file cannot be loaded', async () => {
    await write('a.functions.ts', "import { nothing } from './missing.ts';\nexport const a = () => nothing;");
    await write('b.functions.ts', 'export const b = () => {;\n');
    await write('c.functions.ts', 'export const c = () => 1;\nthrow new Error("no luck");');
    await session(async (call) => {
      const { error } = (await call('a')) as Extract<CallResult, { error: unknown }>;
      expect(error.code).toBe('call_threw');
      expect(error.message).toMatch(/^`a` cannot be called: a\.functions\.ts could not be loaded: .*missing\.ts/);
      expect(error.message).toMatch(/b\.functions\.ts(?::\d+)? could not be loaded: /);
      expect(error.message).toMatch(/c\.functions\.ts:2 could not be loaded: no luck/);
    });
  });

  it('when a file that it imports cannot be loaded', async () => {
    await mkdir(join(folder, 'lib'));
    await write('a.functions.ts', "import { rate } from './lib/rate';\nexport const a = () => rate;");
    await write('lib/rate.ts', 'export const rate = 1;\n\nthrow new RangeError("no luck");');
    await session(async (call) => {
      expect(await call('a')).toMatchObject({
        error: {
          code: 'call_threw',
          message: '`a` cannot be called: a.functions.ts could not be loaded: lib/rate.ts:3: no luck',
        },
      });
      await write('lib/rate.ts', 'export const rate = 1;\nenum {');
      expect(await call('a')).toMatchObject({
        error: { message: expect.stringMatching(/a\.functions\.ts could not be loaded: lib\/rate\.ts:2: \S/) },
      });
      expect(await call('b')).toMatchObject({ error: { code: 'unknown_function' } });
      await write('a.functions.ts', "import { rate } from './rates';\nexport const a = () => rate;");
      expect(await call('a')).toMatchObject({ error: { code: 'call_threw' } });
      await write('rates.ts', 'export const rate = 1;');
      expect(await call('a')).toMatchObject({ value: 1 });
    });
  });

  it('when two files export one name, or a definition is none', async () => {
    await write('a.functions.mjs', 'export const same = () => 1;');
    await write(
      'b.functions.mjs',
      "import { defineFunction } from 'taskwright';\nexport const same = () => 0;\nexport const bad = defineFunction({});",
    );
    await session(async (call) => {
      expect(await call('bad')).toMatchObject({
        error: {
          code: 'call_threw',
          message: expect.stringContaining('defineFunction needs an object with a function `run`'),
        },
      });
    });
  });

  it('when two files export one name: neither is meant', async () => {
    await write('a.functions.mjs', 'export const same = () => 1;');
    await write('b.functions.mjs', 'export const same = () => 0;');
    await session(async (call) => {
      expect(await call('same')).toMatchObject({
        error: {
          code: 'unknown_function',
          message: expect.stringContaining(
            '`same` is exported by a.functions.mjs and b.functions.mjs. Rename one of them',
          ),
        },
      });
    });
  });
});
