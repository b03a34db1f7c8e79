import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Pack, pack } from 'tar-stream';
import { BROWSER_IMAGE, type KindImage } from '../../environments/kind.ts';
import { environmentKind, KINDS, kindOfType } from '../../environments/kinds.ts';
import type { Task } from '../../tasks/task.ts';

/** The images that Taskwright builds, each from `docker/<kind>.Dockerfile`. */
export const IMAGES: ReadonlyMap<string, KindImage> = new Map(
  KINDS.flatMap(({ image }) => (image === null ? [] : [[image.name, image] as const])),
);
/** The name of one of them. */
export type ImageKind = string;

/** Whether agents run commands in containers of this image, so that each run needs a container of its own. */
export function runsCommands(kind: ImageKind): boolean {
  return IMAGES.get(kind)?.agentCommands === true;
}

/** Whether the environment of a task brings its own image. */
export function hasOwnImage(task: Task): boolean {
  const answer = environmentKind(task.env);
  return 'kind' in answer && answer.kind.image === null;
}

/** The image of a task. For a task that is not supported it is any: the server in it reports that. */
export function imageKindFor(task: Task): ImageKind {
  return (kindOfType(task.env)?.image ?? BROWSER_IMAGE).name;
}

/** Also set in the Dockerfile, to identify what a cancelled build leaves behind. */
export const IMAGE_LABEL = 'taskwright.image';

/**
 * The programs that run in a container. Programs of the editor are left out, so that changing them needs no new image.
 */
const PROGRAMS = [
  'supervisor.js',
  'lane.js',
  'server.js',
  'sessions.js',
  'shared.js',
  'agent.js',
  'taskwright.mjs',
  'babel.js',
  'cli.js',
  'compile-cache.js',
  'commands.js',
  'serve.js',
  'mcp.js',
  'web-tree-sitter.wasm',
  'tree-sitter-python.wasm',
  'tree-sitter-typescript.wasm',
  'functions-host.py',
  'functions-tasks.py',
];
/** Parts of playwright-core that are not used in a container: user interfaces and installers. */
const UNUSED = new Set(['bin', 'types', 'vite']);

/** The build context of an image. */
export interface BuildContext {
  /** `taskwright-<kind>:<hash of all that is in it>`. */
  readonly tag: string;
  readonly dockerfile: string;
  /** Value of the label that identifies our images. */
  readonly kind: ImageKind;
  /** Values of `ARG` in the Dockerfile. */
  readonly args?: Readonly<Record<string, string>>;
  readonly files: readonly ContextFile[];
}

export interface ContextFile {
  /** Path in the context, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** Collects the build context for a kind of image from the installation folder. */
export async function readContext(installation: string, kind: ImageKind): Promise<BuildContext> {
  const dockerfile = join(installation, 'docker', `${kind}.Dockerfile`);
  const playwright = dirname(createRequire(join(installation, 'package.json')).resolve('playwright-core/package.json'));
  const files = (
    await Promise.all([
      fileAt('Dockerfile', dockerfile),
      ...PROGRAMS.map((name) => fileAt(`taskwright/dist/${name}`, join(installation, 'dist', name))),
      filesBelow('taskwright/node_modules/playwright-core', playwright),
    ])
  ).flat();
  files.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { tag: `taskwright-${kind}:${await hashOf(files)}`, dockerfile, kind, files };
}

/** Identifies the content of files. */
export async function hashOf(files: readonly ContextFile[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { name, path, size } of files) hash.update(`${name}\0${size}\0`).update(await readFile(path));
  return hash.digest('hex').slice(0, 16);
}

/** @param name in the context */
export async function fileAt(name: string, path: string): Promise<ContextFile> {
  return { name, path, size: (await stat(path)).size };
}

async function filesBelow(name: string, path: string): Promise<ContextFile[]> {
  const entries = await readdir(path, { withFileTypes: true });
  const files = await Promise.all(
    entries.map((entry) => {
      if (entry.isDirectory()) {
        return UNUSED.has(entry.name) ? [] : filesBelow(`${name}/${entry.name}`, join(path, entry.name));
      }
      return entry.isFile() ? fileAt(`${name}/${entry.name}`, join(path, entry.name)) : [];
    }),
  );
  return files.flat();
}

/** The build context as a tar archive. Owners, times, and modes are constant, so that Docker can reuse layers. */
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
