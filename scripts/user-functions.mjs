// Builds what user-defined functions need besides the programs: the types of `import 'taskwright'` and the TypeScript
// server plugin that provides them in the editor.

import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

/** Writes dist/taskwright.d.ts, dist/types, and node_modules/taskwright-typescript-plugin. */
export async function buildForUserFunctions(root) {
  await Promise.all([writeTypes(root), copyZodTypes(root), copyPlaywrightTypes(root), buildPlugin(root)]);
}

async function writeTypes(root) {
  const source = join(root, 'src', 'functions', 'user', 'taskwright.ts');
  const out = join(root, 'out', 'user-functions');
  await rm(out, { recursive: true, force: true });
  const options =
    '--ignoreConfig --declaration --emitDeclarationOnly --strict --skipLibCheck --target es2023 --lib es2023';
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [...options.split(' '), '--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node'];
  await promisify(execFile)(process.execPath, [tsc, source, ...args, '--outDir', out], { cwd: root });
  const types = await readFile(join(out, 'taskwright.d.ts'), 'utf8');
  let alone = types;
  for (const [name, file] of [
    ['zod', './types/zod/classic/external.js'],
    ['playwright-core', './types/playwright-core/types.js'],
  ]) {
    const imported = alone;
    alone = imported.replaceAll(new RegExp(`(['"])${name}\\1`, 'g'), `'${file}'`);
    if (alone === imported) throw new Error(`taskwright.d.ts does not import ${name}`);
  }
  await writeFile(join(root, 'dist', 'taskwright.d.ts'), alone);
}

/** What ships of zod's locales: its 60 others are more than half of it. */
const LOCALES = 'export { default as en } from "./en.js";\n';

/**
 * Reduces `z.locales` to English, in which all messages of Taskwright are.
 * @type {import('esbuild').Plugin}
 */
export const englishOnly = {
  name: 'english-only',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/ }, ({ path }) => ({
      contents: LOCALES,
      resolveDir: dirname(path),
    })),
};

/** Users have nothing installed, so zod's types ship too. */
async function copyZodTypes(root) {
  const from = join(root, 'node_modules', 'zod', 'v4');
  const to = join(root, 'dist', 'types', 'zod');
  for (const folder of ['classic', 'core']) {
    await mkdir(join(to, folder), { recursive: true });
    for (const name of await readdir(join(from, folder))) {
      if (name.endsWith('.d.ts')) await cp(join(from, folder, name), join(to, folder, name));
    }
  }
  await mkdir(join(to, 'locales'), { recursive: true });
  await cp(join(from, 'locales', 'en.d.ts'), join(to, 'locales', 'en.d.ts'));
  await writeFile(join(to, 'locales', 'index.d.ts'), LOCALES);
  await cp(join(root, 'node_modules', 'zod', 'LICENSE'), join(to, 'LICENSE'));
}

/**
 * Copies the types of `page`, without those of Chromium's protocol. Of each doc comment only the first paragraph remains:
 * whole, they are a twentieth of the extension's size.
 */
async function copyPlaywrightTypes(root) {
  const from = join(root, 'node_modules', 'playwright-core');
  const to = join(root, 'dist', 'types', 'playwright-core');
  await mkdir(to, { recursive: true });
  for (const name of ['types.d.ts', 'structs.d.ts']) {
    const types = await readFile(join(from, 'types', name), 'utf8');
    await writeFile(
      join(to, name),
      `// Shortened: doc comments have their first paragraph only.\n${withShortComments(types)}`,
    );
  }
  await cp(join(from, 'LICENSE'), join(to, 'LICENSE'));
}

function withShortComments(types) {
  return types.replaceAll(/^([ \t]*)\/\*\*\n((?:[ \t]*\*(?!\/).*\n)+)[ \t]*\*\//gm, (whole, indent, body) => {
    const lines = body.trimEnd().split('\n');
    const end = lines.findIndex((line) => /^\s*\*\s*$/.test(line));
    if (end < 0 || whole.includes('Licensed under')) return whole;
    return `${indent}/**\n${lines.slice(0, end).join('\n')}\n${indent} */`;
  });
}

/** The TypeScript server looks for the plugin in the extension's node_modules, and only there. */
async function buildPlugin(root) {
  const to = join(root, 'node_modules', 'taskwright-typescript-plugin');
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  await cp(join(root, 'typescript-plugin', 'package.json'), join(to, 'package.json'));
  await build({
    entryPoints: [join(root, 'typescript-plugin', 'index.ts')],
    outfile: join(to, 'index.js'),
    platform: 'node',
    target: 'node18',
    format: 'cjs',
    logLevel: 'warning',
  });
}
