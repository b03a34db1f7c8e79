import { basename, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Says which file a chunk goes to; null for one that no program imports. A program is a chunk that goes to the file of its
 * own name.
 *
 * @typedef {(chunk: string) => string | null} Place
 */

/**
 * Writes programs that esbuild has split into chunks, which are ES modules, as CommonJS, which VS Code's `require` and the
 * compile cache want. A file holds one chunk or more, and asks other files for what it lacks, so no chunk is there twice.
 *
 * @param {(metafile: import('esbuild').Metafile, programs: readonly string[]) => Place} arrange `atOnceTogether` or
 *   `sharedTogether`
 * @returns {import('esbuild').Plugin}
 */
export function writtenInPieces(arrange) {
  return {
    name: 'written-in-pieces',
    setup: ({ initialOptions, onEnd }) => {
      initialOptions.metafile = true;
      onEnd(async ({ outputFiles = [], metafile }) => {
        // What could not be built has been reported.
        if (metafile === undefined) return;
        const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
        const programs = Object.keys(initialOptions.entryPoints ?? {}).map((name) => `${name}.js`);
        const fileOf = arrange(metafile, programs);
        const exportsOf = new Map(
          Object.entries(metafile.outputs).map(([path, output]) => [basename(path), output.exports]),
        );
        const { absWorkingDir: root = '', outdir = '', platform, target, minify, sourcemap } = initialOptions;
        const options = { absWorkingDir: root, platform, target, minify, sourcemap, bundle: true, format: 'cjs' };
        const files = new Set([...texts.keys()].flatMap((chunk) => fileOf(chunk) ?? []));
        await Promise.all(
          [...files].map((file) =>
            build({
              ...options,
              entryPoints: [file],
              outfile: join(root, outdir, file),
              legalComments: 'none',
              // Its warnings have been given when it was split.
              logLevel: 'error',
              plugins: [contentsOf(file, texts, fileOf, neededElsewhere(metafile, file, fileOf), exportsOf)],
            }),
          ),
        );
      });
    },
  };
}

/**
 * For a program that loads fast from one file: what it imports at once goes to its file, because each file of its own
 * costs a third of a millisecond. What it imports later stays in files of its own.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {readonly string[]} programs
 * @returns {Place}
 */
export function atOnceTogether(metafile, [program = '']) {
  const atOnce = importedBy(program, metafile, ({ kind }) => kind === 'import-statement');
  return (chunk) => (atOnce.has(chunk) ? program : chunk);
}

/**
 * For programs with much in common: what only one of them imports, at once or later, goes to its file, and the rest to
 * `shared.js`, where each chunk is evaluated when it is first asked for.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {readonly string[]} programs
 * @returns {Place}
 */
export function sharedTogether(metafile, programs) {
  /** @type {Map<string, string>} */
  const places = new Map();
  for (const program of programs) {
    // A program that loads another one has no part in it.
    const imported = importedBy(program, metafile, ({ path }) => !programs.includes(basename(path)));
    for (const chunk of imported) places.set(chunk, places.has(chunk) ? 'shared.js' : program);
  }
  return (chunk) => places.get(chunk) ?? null;
}

/**
 * A chunk and those that it imports, directly or not, by the imports that `counts` accepts.
 *
 * @param {string} chunk
 * @param {import('esbuild').Metafile} metafile
 * @param {(imported: { readonly path: string; readonly kind: string }) => boolean} counts
 */
function importedBy(chunk, { outputs }, counts) {
  const imports = new Map(Object.entries(outputs).map(([path, output]) => [basename(path), output.imports]));
  /** @type {Set<string>} */
  const found = new Set();
  /** @param {string} name */
  const visit = (name) => {
    if (!imports.has(name) || found.has(name)) return;
    found.add(name);
    for (const imported of imports.get(name) ?? []) if (counts(imported)) visit(basename(imported.path));
  };
  visit(chunk);
  return found;
}

/**
 * The chunks in a file that other files ask for. A file's own program is not among them: it is what the file exports.
 *
 * @param {import('esbuild').Metafile} metafile
 * @param {string} file
 * @param {Place} fileOf
 */
function neededElsewhere({ outputs }, file, fileOf) {
  const elsewhere = Object.entries(outputs).filter(([path]) => ![file, null].includes(fileOf(basename(path))));
  const imported = elsewhere.flatMap(([, { imports }]) => imports.map(({ path }) => basename(path)));
  return [...new Set(imported)].filter((chunk) => chunk !== file && fileOf(chunk) === file).sort();
}

/**
 * What a file holds: its program, if there is one, and its other chunks, which it exports under their names.
 *
 * @param {string} file
 * @param {ReadonlyMap<string, string>} texts
 * @param {Place} fileOf
 * @param {readonly string[]} exported
 * @param {ReadonlyMap<string, readonly string[]>} exportsOf the names that each chunk exports
 * @returns {import('esbuild').Plugin}
 */
function contentsOf(file, texts, fileOf, exported, exportsOf) {
  const quoted = exported.map((chunk) => [JSON.stringify(chunk), JSON.stringify(`./${chunk}`)]);
  // A program evaluates its chunks itself.
  const contents = texts.has(file)
    ? [texts.get(file), ...quoted.map(([name, path]) => `export * as ${name} from ${path};`)].join('\n')
    : `module.exports = {${quoted.map(([name, path]) => `get ${name}() { return require(${path}); }`).join()}};`;
  return {
    name: 'contents-of-file',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /./ }, ({ path, kind, namespace }) => {
        if (kind === 'entry-point') return { path, namespace: 'whole' };
        if (namespace.startsWith('elsewhere') || !path.startsWith('./')) return { path, external: true };
        const chunk = basename(path);
        if (fileOf(chunk) === file) return { path: chunk, namespace: 'chunk' };
        // esbuild writes `__esm` where exports get their values after the chunk was evaluated.
        const isBound = kind === 'import-statement' && !texts.get(chunk)?.includes('__esm(');
        return { path: chunk, namespace: isBound ? 'elsewhere-bound' : 'elsewhere' };
      });
      onLoad({ filter: /./, namespace: 'whole' }, () => ({ contents }));
      onLoad({ filter: /./, namespace: 'chunk' }, ({ path }) => ({ contents: texts.get(path) }));
      // `require`, also for what is imported later: it is faster than `import()`, and goes through the compile cache.
      const there = (/** @type {string} */ path) =>
        `require('./${fileOf(path)}')${fileOf(path) === path ? '' : `[${JSON.stringify(path)}]`}`;
      onLoad({ filter: /./, namespace: 'elsewhere' }, ({ path }) => ({ contents: `module.exports = ${there(path)};` }));
      // As constants: through the two getters by which CommonJS passes on an export, a call takes several times as long.
      onLoad({ filter: /./, namespace: 'elsewhere-bound' }, ({ path }) => ({
        contents: constantsOf(there(path), exportsOf.get(path) ?? []),
      }));
    },
  };
}

/**
 * An ES module that exports what an expression has under some names.
 *
 * @param {string} expression
 * @param {readonly string[]} names
 */
function constantsOf(expression, names) {
  const lines = names.flatMap((name, index) => {
    const quoted = JSON.stringify(name);
    return [`const e${index} = there[${quoted}];`, `export { e${index} as ${quoted} };`];
  });
  return [`const there = ${expression};`, ...lines].join('\n');
}
