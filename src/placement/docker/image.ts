import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';

export const IMAGE_NAME = 'taskwright-browser';
/** In the Dockerfile too, so that what an aborted build leaves can be told. */
export const IMAGE_LABEL = 'taskwright.image';

/** The programs that run inside; the editor's own stay out, so that a change of theirs makes no new image. */
const PROGRAMS = [
  ...['server.js', 'agent.js', 'amaro.js', 'taskwright.mjs', 'cli.js', 'compiled.js', 'commands.js'],
  ...['web-tree-sitter.wasm', 'tree-sitter-python.wasm'],
];
/** Parts of playwright-core that nothing inside uses: its user interfaces and installers. */
const UNUSED = new Set(['bin', 'types', 'vite']);

/** What an image is built from. */
export interface BuildContext {
  /** `taskwright-browser:<hash of all that is in it>`. */
  readonly tag: string;
  readonly dockerfile: string;
  /** Value of the label that tells images of ours from others. */
  readonly kind: 'browser' | 'tasks';
  /** What the Dockerfile's `ARG`s are. */
  readonly args?: Readonly<Record<string, string>>;
  readonly files: readonly ContextFile[];
}

interface ContextFile {
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** Gathers what the image is built from out of the folder that Taskwright is installed in. */
export async function readContext(installed: string): Promise<BuildContext> {
  const dockerfile = join(installed, 'docker', 'browser.Dockerfile');
  const playwright = dirname(createRequire(join(installed, 'package.json')).resolve('playwright-core/package.json'));
  const files = (
    await Promise.all([
      fileAt('Dockerfile', dockerfile),
      ...PROGRAMS.map((name) => fileAt(`taskwright/dist/${name}`, join(installed, 'dist', name))),
      filesBelow('taskwright/node_modules/playwright-core', playwright),
    ])
  ).flat();
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  const hash = createHash('sha256');
  for (const { name, path, size } of files) {
    hash.update(`${name}\0${size}\0`).update(await readFile(path));
  }
  return { tag: `${IMAGE_NAME}:${hash.digest('hex').slice(0, 16)}`, dockerfile, kind: 'browser', files };
}

async function fileAt(name: string, path: string): Promise<ContextFile[]> {
  return [{ name, path, size: (await stat(path)).size }];
}

async function filesBelow(name: string, path: string): Promise<ContextFile[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const nested = await Promise.all(
    entries.map((entry) => {
      if (entry.isDirectory()) {
        return UNUSED.has(entry.name) ? [] : filesBelow(`${name}/${entry.name}`, join(path, entry.name));
      }
      return entry.isFile() ? fileAt(`${name}/${entry.name}`, join(path, entry.name)) : [];
    }),
  );
  return nested.flat();
}

/** The context as the archive that a build takes. Owners, times and modes are always the same: layers are found again. */
export function packContext(context: BuildContext): Pack {
  const archive = pack();
  const write = async () => {
    for (const { name, path, size } of context.files) {
      const entry = archive.entry({ name, size, mode: 0o755, mtime: new Date(0), uid: 0, gid: 0 });
      await pipeline(createReadStream(path), entry as unknown as NodeJS.WritableStream);
    }
    archive.finalize();
  };
  write().catch((error: Error) => archive.destroy(error));
  return archive;
}
