import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Writes a program that esbuild has split into ES modules as CommonJS, which VS Code's `require` wants. What is loaded
 * at once anyway becomes one file, the program: each file of its own costs a third of a millisecond. What is imported
 * later stays in files of its own, and finds what it shares with the program there.
 *
 * @param {string} program file name of the program
 * @returns {import('esbuild').Plugin}
 */
export function writtenInPieces(program) {
  return {
    name: 'written-in-pieces',
    setup: ({ initialOptions, onEnd }) => {
      initialOptions.metafile = true;
      onEnd(async ({ outputFiles = [], metafile }) => {
        // What could not be built has been reported.
        if (metafile === undefined) return;
        const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
        const shared = importedAtOnce(metafile, program);
        const later = [...texts.keys()].filter((name) => !shared.has(name));
        const { absWorkingDir: root = '', outdir = '', platform, target, minify, sourcemap } = initialOptions;
        const options = { absWorkingDir: root, platform, target, minify, sourcemap, bundle: true, format: 'cjs' };
        await Promise.all(
          [program, ...later].map((name) =>
            build({
              ...options,
              entryPoints: [name],
              outfile: join(root, outdir, name),
              // `require` takes the place of `import()`.
              supported: { 'dynamic-import': false },
              legalComments: 'none',
              // Its warnings have been given when it was split.
              logLevel: 'error',
              plugins: [name === program ? programOf(texts, shared) : pieceOf(name, texts, shared, program)],
            }),
          ),
        );
      });
    },
  };
}

/**
 * Names of the files that a program imports, directly or not, before it runs.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string} program
 */
function importedAtOnce({ outputs }, program) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {string} path */
  const visit = (path) => {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || !(imported in outputs) || found.has(basename(imported))) continue;
      found.add(basename(imported));
      visit(imported);
    }
  };
  for (const path of Object.keys(outputs)) if (basename(path) === program) visit(path);
  return found;
}

/**
 * The program with all that it imports at once, which it exports under the files' names.
 *
 * @param {ReadonlyMap<string, string>} texts
 * @param {ReadonlySet<string>} shared
 * @returns {import('esbuild').Plugin}
 */
function programOf(texts, shared) {
  return {
    name: 'program',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./ }, ({ path, kind }) => {
        const inside = kind === 'entry-point' || (kind === 'import-statement' && shared.has(basename(path)));
        return inside ? { path: basename(path), namespace: 'piece' } : { path, external: true };
      });
      onLoad({ filter: /./, namespace: 'piece' }, ({ path }) => {
        const exported = [...shared].map((name) => `export * as ${JSON.stringify(name)} from './${name}';`);
        return { contents: [texts.get(path), ...(shared.has(path) ? [] : exported)].join('\n') };
      });
    },
  };
}

/**
 * A file that is imported later; what the program has is asked of that.
 *
 * @param {string} piece
 * @param {ReadonlyMap<string, string>} texts
 * @param {ReadonlySet<string>} shared
 * @param {string} program
 * @returns {import('esbuild').Plugin}
 */
function pieceOf(piece, texts, shared, program) {
  return {
    name: 'piece',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./ }, ({ path, kind }) => {
        if (kind === 'entry-point') return { path, namespace: 'piece' };
        return shared.has(basename(path)) ? { path: basename(path), namespace: 'program' } : { path, external: true };
      });
      onLoad({ filter: /./, namespace: 'piece' }, () => ({ contents: texts.get(piece) }));
      onLoad({ filter: /./, namespace: 'program' }, ({ path }) => ({
        contents: `module.exports = require('./${program}')[${JSON.stringify(path)}];`,
      }));
    },
  };
}
