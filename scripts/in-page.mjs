// Modules in a folder named `in-page` run inside pages. They are bundled to source text here; a module outside of such a
// folder that imports one gets a stand-in for each exported function, whose text `sourceOf` returns
// (src/functions/page/source-of.ts). Plugins for esbuild and Vite, and hooks for Node where it runs the sources.

import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { build, buildSync } from 'esbuild';

const IN_PAGE = /[\\/]in-page[\\/][^\\/]+\.ts$/;

/** @type {(file: string) => import('esbuild').BuildOptions & { write: false; metafile: true }} */
const options = (file) => ({
  entryPoints: [file],
  bundle: true,
  write: false,
  metafile: true,
  minify: true,
  platform: 'browser',
  target: 'chrome130',
  format: 'esm',
  charset: 'ascii',
  outdir: '/',
  logLevel: 'silent',
});

/** The module that stands in for a bundled one: each function carries the text of its module. */
function standIn({ outputFiles: [output] }, file) {
  const [, body, names] = /^([\s\S]*?)export\s*\{([^}]*)\};?\s*$/.exec(output.text) ?? [];
  if (body === undefined) throw new Error(`${file} exports nothing that can run in a page`);
  const members = names.split(',').map((name) => name.trim().split(' as '));
  const text = `(()=>{${body}return{${members.map(([local, exported = local]) => `${exported}:${local}`).join()}}})()`;
  // Without a page: a module in a page has no side effects when it is evaluated.
  for (const [name, value] of Object.entries(runInNewContext(text))) {
    if (typeof value !== 'function') throw new Error(`${file} exports ${name}, which is not a function`);
  }
  const exported = members.map(([local, name = local]) => `export const ${name} = standIn(${JSON.stringify(name)});`);
  return [
    `const module = ${JSON.stringify(text)};`,
    'const standIn = (name) => {',
    '  const run = () => { throw new Error(name + " runs in pages only: pass it to sourceOf"); };',
    '  return Object.assign(run, { inPage: { module, name } });',
    '};',
    ...exported,
  ].join('\n');
}

/** @type {import('esbuild').Plugin} */
export const inPageForEsbuild = {
  name: 'in-page',
  setup: ({ onLoad }) =>
    onLoad({ filter: IN_PAGE }, async ({ path }) => {
      const result = await build(options(path));
      return { contents: standIn(result, path), watchFiles: Object.keys(result.metafile.inputs) };
    }),
};

/** @type {import('vitest/config').Plugin} */
export const inPageForVite = {
  name: 'in-page',
  enforce: 'pre',
  // Vitest's cache of modules on disk would not notice that a bundled module imports a changed one.
  configureVitest: ({ defineCacheKeyGenerator }) =>
    defineCacheKeyGenerator(({ id }) => (IN_PAGE.test(id) ? false : undefined)),
  load: async (id) => (IN_PAGE.test(id) ? standIn(await build(options(id)), id) : null),
};

/** For programs that Node runs from their sources. */
export function registerInPage() {
  registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.startsWith('file:') || !IN_PAGE.test(url)) return nextLoad(url, context);
      const file = fileURLToPath(url);
      return { format: 'module', source: standIn(buildSync(options(file)), file), shortCircuit: true };
    },
  });
}
