// Bundles every program of Taskwright into dist/. `--watch` rebuilds on change, `--dev` keeps source maps.

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build, context } from 'esbuild';
import { inPageForEsbuild } from './in-page.mjs';
import { writeLibraryTypes } from './library.mjs';
import { buildForUserFunctions, englishOnly } from './user-functions.mjs';
import { atOnceTogether, sharedTogether, writtenInPieces } from './write-pieces.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const watch = process.argv.includes('--watch');
const dev = watch || process.argv.includes('--dev');

/** @type {import('esbuild').BuildOptions} */
const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: !dev,
  sourcemap: dev ? 'linked' : false,
  legalComments: 'none',
  logLevel: 'warning',
  // Chooses zod's and others' ES modules, which can be tree-shaken.
  mainFields: ['module', 'main'],
};
const babelApart = apart('src/functions/user/modules/compiler.ts', 'src/functions/user/modules/compile.ts', 'babel.js');

/** @type {import('esbuild').BuildOptions} */
const node = {
  ...shared,
  platform: 'node',
  target: 'node22',
  format: 'cjs',
  external: ['vscode', 'playwright-core'],
  // The folder in which a program finds the files of its bundle.
  define: { 'import.meta.dirname': '__dirname' },
  // Its ES module reads its own URL, which a CommonJS bundle doesn't have.
  alias: { 'web-tree-sitter': join(root, 'node_modules', 'web-tree-sitter', 'web-tree-sitter.cjs') },
  plugins: [inPageForEsbuild, babelApart],
};
/** @type {import('esbuild').BuildOptions} */
const browser = { ...shared, platform: 'browser', target: 'chrome130', format: 'iife' };

/**
 * Runs a script in a Node of its own, whose warning about files without a module type can be switched off.
 * @param {string} name
 */
async function runScript(name) {
  const args = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', join(root, 'scripts', name)];
  await promisify(execFile)(process.execPath, args);
}

/**
 * A separate bundle next to the programs that use it, loaded when it is first needed.
 * @param {string} loader the file that imports it
 * @param {string} entry the entry point of the bundle
 * @param {string} bundle its name in `dist/`
 * @returns {import('esbuild').Plugin}
 */
function apart(loader, entry, bundle) {
  const [from, to] = [join(root, loader), join(root, entry)];
  if (![from, to].every((file) => existsSync(file))) throw new Error(`${loader} or ${entry} is missing`);
  return {
    name: `${bundle}-apart`,
    setup: ({ onResolve }) =>
      onResolve({ filter: /^\./ }, ({ importer, path }) =>
        importer === from && join(dirname(from), path) === to ? { path: `./${bundle}`, external: true } : undefined,
      ),
  };
}

const dockerApart = apart('src/placement/load-containers.ts', 'src/placement/containers.ts', 'docker.js');
const mcpApart = apart('src/agents/mcp/load.ts', 'src/agents/mcp/server/main.ts', 'mcp.js');

/**
 * Tools check their arguments themselves: the code for JSON Schema is a third of the MCP library. Its client
 * neither signs in by OAuth nor knows the transport that streamable HTTP replaced.
 * @type {import('esbuild').Plugin}
 */
const mcpAlone = {
  name: 'mcp-alone',
  setup: ({ onResolve, onLoad }) => {
    const filter = /^@modelcontextprotocol\/(client|server)\/_shims$/;
    onResolve({ filter }, ({ path }) => ({ path, namespace: 'shims' }));
    onLoad({ filter: /./, namespace: 'shims' }, () => ({
      contents:
        "export class DefaultJsonSchemaValidator {} export const CORS_IS_POSSIBLE = false; export { default as process } from 'node:process';",
    }));
    onResolve({ filter: /^(jose|pkce-challenge|eventsource)$/ }, ({ path }) => ({ path, namespace: 'not-used' }));
    onLoad({ filter: /./, namespace: 'not-used' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * Bodies are checked by our own code and never logged: what Fastify brings along for schemas, for its log, for proxies, and
 * for tests is more than half of it. It checks versions that the lock file fixes, and patterns that no route has. Of Node's
 * streams it has a copy for older versions.
 * @type {import('esbuild').Plugin}
 */
const fastifyAlone = {
  name: 'fastify-alone',
  setup: ({ onResolve, onLoad }) => {
    const unused =
      /^(@fastify\/(ajv-compiler|fast-json-stringify-compiler|proxy-addr)|light-my-request|pino|\.\/logger-pino\.js)$/;
    onResolve({ filter: unused }, ({ path }) => ({ path, namespace: 'unused' }));
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
    onResolve({ filter: /^(semver|safe-regex2)$/ }, ({ path }) => ({ path, namespace: 'fine' }));
    const contents = 'module.exports = Object.assign(() => true, { satisfies: () => true });';
    onLoad({ filter: /./, namespace: 'fine' }, () => ({ contents }));
    onResolve({ filter: /^readable-stream$/ }, ({ importer }) =>
      importer.includes(join('node_modules', 'duplexify')) ? { path: 'node:stream', external: true } : undefined,
    );
  },
};

/** The extensions of x11 that the desktop environment uses. */
const DESKTOP_EXTENSIONS = new Set(
  ['xtest', 'damage', 'fixes', 'big-requests', 'xc-misc'].map((name) => `./ext/${name}`),
);

/**
 * What dockerode brings along for builders and an ssh of its own, neither of which is used: left out, it loads in a
 * quarter of the time. Of x11 its own X server, its table of keys, and the extensions that no desktop is asked for.
 * @type {import('esbuild').Plugin}
 */
const unusedLeftOut = {
  name: 'unused-left-out',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^(@grpc\/grpc-js|@grpc\/proto-loader|protobufjs|ssh2)$/ }, ({ path }) => ({
      path,
      namespace: 'unused',
    }));
    onResolve({ filter: /^\.\/(xserver|keysyms|ext\/.+)$/ }, ({ path, importer }) => {
      if (!importer.includes(join('node_modules', 'x11', 'lib')) || DESKTOP_EXTENSIONS.has(path)) return undefined;
      return { path, namespace: 'unused' };
    });
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/**
 * All modules share one copy of VS Code's names. In CommonJS, each module that imports `vscode` would get a copy
 * of its own, 400 getters for each of 70 modules: a quarter of the time in which the extension loads.
 * @type {import('esbuild').Plugin}
 */
const vscodeOnce = {
  name: 'vscode-once',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: /^vscode$/ }, ({ namespace }) =>
      namespace === 'vscode-once' ? { path: 'vscode', external: true } : { path: 'vscode', namespace: 'vscode-once' },
    );
    onLoad({ filter: /./, namespace: 'vscode-once' }, () => ({ contents: "export * from 'vscode';" }));
  },
};

/**
 * Options of programs that `writtenInPieces` writes. esbuild splits ES modules only.
 * @type {import('esbuild').BuildOptions}
 */
const inPieces = {
  format: 'esm',
  splitting: true,
  write: false,
  outdir: 'dist',
  sourcemap: dev ? 'inline' : false,
};

/** One bundle per program, so that a program loads only what it needs. */
const programs = [
  // VS Code warns about every access to `navigator`, which zod reads only to detect one other host.
  {
    ...node,
    ...inPieces,
    entryPoints: { extension: 'src/extension.ts' },
    // All in one folder: some modules load files from their own folder.
    chunkNames: 'extension-[name]-[hash]',
    define: { ...node.define, navigator: 'undefined' },
    plugins: [...node.plugins, dockerApart, mcpApart, vscodeOnce, writtenInPieces(atOnceTogether)],
  },
  // Checks the version of Node.js only: even a version that cannot parse the program must be able to run it.
  {
    ...node,
    entryPoints: ['src/cli/main.ts'],
    outfile: 'dist/cli.js',
    target: 'es2015',
    external: ['./commands.js', './compile-cache.js'],
  },
  { ...node, entryPoints: ['src/server/compile-cache.ts'], outfile: 'dist/compile-cache.js' },
  // The command line, the environment server, and what they load on demand. They have most of their code in common.
  {
    ...node,
    ...inPieces,
    entryPoints: {
      commands: 'src/cli/start.ts',
      sessions: 'src/server/start.ts',
      lane: 'src/server/lane/main.ts',
      docker: 'src/placement/containers.ts',
      serve: 'src/serving/http/main.ts',
      mcp: 'src/agents/mcp/server/main.ts',
    },
    plugins: [...node.plugins, unusedLeftOut, fastifyAlone, mcpAlone, writtenInPieces(sharedTogether)],
  },
  {
    ...node,
    entryPoints: ['src/library/library.ts'],
    outfile: 'dist/library.js',
    plugins: [...node.plugins, dockerApart, mcpApart],
  },
  { ...node, entryPoints: ['src/server/main.ts'], outfile: 'dist/server.js', external: ['./sessions.js'] },
  { ...node, entryPoints: ['src/server/supervisor.ts'], outfile: 'dist/supervisor.js' },
  {
    ...node,
    entryPoints: ['src/placement/swarm-guard-program.ts'],
    outfile: 'dist/guard.js',
    plugins: [...node.plugins, dockerApart],
  },
  { ...node, entryPoints: ['src/agents/module/host.ts'], outfile: 'dist/agent.js' },
  { ...node, entryPoints: ['src/functions/user/modules/compile.ts'], outfile: 'dist/babel.js' },
  {
    ...node,
    entryPoints: ['src/functions/user/taskwright.ts'],
    outfile: 'dist/taskwright.mjs',
    format: 'esm',
    plugins: [...node.plugins, englishOnly],
  },
  { ...browser, entryPoints: ['webview/panel.ts'], outfile: 'dist/panel.js' },
  { ...browser, entryPoints: ['webview/form/form.ts'], outfile: 'dist/form.js' },
  { ...browser, entryPoints: ['webview/panel.css'], outfile: 'dist/panel.css' },
  { ...browser, entryPoints: ['webview/job/job.ts'], outfile: 'dist/job.js' },
  { ...browser, entryPoints: ['webview/job/job.css'], outfile: 'dist/job.css' },
  { ...browser, entryPoints: ['webview/rescore/rescore.ts'], outfile: 'dist/rescore.js' },
  { ...browser, entryPoints: ['webview/rescore/rescore.css'], outfile: 'dist/rescore.css' },
];

// First, because it writes a source file.
await runScript('write-functions.ts');
await rm(join(root, 'dist'), { recursive: true, force: true });
await mkdir(join(root, 'dist'), { recursive: true });
if (watch) {
  for (const program of programs) await (await context(program)).watch();
} else {
  await Promise.all(programs.map((program) => build(program)));
}
await Promise.all([buildForUserFunctions(root), writeLibraryTypes(root)]);
// The grammars that Python files and functions files are read with.
for (const file of [
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-python/tree-sitter-python.wasm',
  'tree-sitter-typescript/tree-sitter-typescript.wasm',
]) {
  await copyFile(join(root, 'node_modules', file), join(root, 'dist', basename(file)));
}
const transformer = join(root, 'node_modules', 'playwright', 'lib', 'transform', 'babelBundle.js.LICENSE');
await copyFile(transformer, join(root, 'dist', 'babel.js.LICENSE'));
// The program that runs user-defined functions in Python.
for (const name of ['host.py', 'tasks.py']) {
  await copyFile(join(root, 'src', 'functions', 'user', 'python', name), join(root, 'dist', `functions-${name}`));
}
for (const script of ['write-schema.ts', 'write-rules.ts', 'write-messages.ts']) await runScript(script);
// The watch task of .vscode/tasks.json waits for this line.
if (watch) process.stdout.write('Watching for changes\n');
