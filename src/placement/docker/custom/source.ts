import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { pack } from 'tar-stream';
import { lastLines } from '../../../base/log-lines.ts';
import { withLimit } from '../../../base/timeout.ts';
import { ControllerError } from '../../../environments/custom/controller.ts';
import type { Withheld } from '../../../environments/withheld.ts';
import { type FolderFile, listContext } from './context.ts';
import { exec } from './exec.ts';

/** Mount point of the build context, as in HUD 0.2.10. */
export const SOURCE = '/controller';
/** Time limit for installing dependencies, in ms. */
const INSTALL_LIMIT = 600_000;

/**
 * Exits with 3 if the dependencies of a controller must be installed: not if the image has installed the controller,
 * and not if it has no dependencies, since `src` is on the Python path.
 */
const NEEDS_INSTALL = `
import sys
from importlib import metadata
try:
    metadata.version('hud_controller')
except metadata.PackageNotFoundError:
    try:
        import tomllib
        with open(sys.argv[1], 'rb') as file:
            sys.exit(3 if tomllib.load(file).get('project', {}).get('dependencies') else 0)
    except (ImportError, OSError, ValueError):
        sys.exit(0)
`;
const REMOVE = `
import os, sys
for path in sys.argv[1:]:
    if os.path.exists(path):
        os.remove(path)
`;

/** Copies the local build context of a controller to a container, and tracks what the container has. */
export class Source {
  readonly #folder: string;
  /** Path in messages, relative to the task. */
  readonly #hostFolder: string;
  readonly #withheld: Withheld;
  #marks = new Map<string, string>();
  #project: string | null = null;

  constructor(folder: string, hostFolder: string, withheld: Withheld) {
    this.#folder = folder;
    this.#hostFolder = hostFolder;
    this.#withheld = withheld;
  }

  /**
   * Copies the changes since the last call to the container; everything the first time. Rejects with `ControllerError` if
   * dependencies cannot be installed, or with the reason of the signal.
   */
  async bring(container: Docker.Container, log: (text: string) => void, signal?: AbortSignal): Promise<void> {
    const files = await listContext(this.#folder, this.#withheld);
    const changedFiles = files.filter((file) => this.#marks.get(file.name) !== markOf(file));
    const names = new Set(files.map(({ name }) => name));
    const removedNames = [...this.#marks.keys()].filter((name) => !names.has(name));
    const first = this.#marks.size === 0;
    if (changedFiles.length > 0) await container.putArchive(await archiveOf(changedFiles), { path: '/' });
    if (removedNames.length > 0) {
      await exec(container, ['python3', '-c', REMOVE, ...removedNames.map((name) => `${SOURCE}/${name}`)]);
    }
    this.#marks = new Map(files.map((file) => [file.name, markOf(file)]));
    if (!first && changedFiles.length + removedNames.length > 0)
      log(`Copied ${changedFiles.length} changed files of the controller`);
    const project = files.some(({ name }) => name === 'pyproject.toml')
      ? await readFile(join(this.#folder, 'pyproject.toml'), 'utf8')
      : null;
    if (project !== null && project !== this.#project) await this.#install(container, first, log, signal);
    this.#project = project;
  }

  /** Maps a path in the container to the local path. */
  ownPath(path: string): string {
    return path.startsWith(`${SOURCE}/`) ? `${this.#hostFolder}${path.slice(SOURCE.length)}` : path;
  }

  /**
   * Installs the dependencies in `pyproject.toml` if they have changed; the first time only if the image has not
   * installed them.
   */
  async #install(
    container: Docker.Container,
    first: boolean,
    log: (text: string) => void,
    signal?: AbortSignal,
  ): Promise<void> {
    if (first) {
      const { exitCode } = await exec(container, ['python3', '-c', NEEDS_INSTALL, `${SOURCE}/pyproject.toml`]);
      if (exitCode !== 3) return;
    }
    log('Installing the dependencies in pyproject.toml');
    const pip = ['python3', '-m', 'pip', 'install', '-e', '.', '--break-system-packages'];
    const { exitCode, output, errors } = await withLimit(
      INSTALL_LIMIT,
      signal,
      (stop) => exec(container, pip, { cwd: SOURCE, signal: stop }),
      () =>
        new ControllerError(
          `the dependencies in its pyproject.toml were not installed within ${INSTALL_LIMIT / 1000} s. Install them in the Dockerfile`,
        ),
    );
    if (exitCode === 0) return;
    const pipOutput = lastLines(`${output}\n${errors}`);
    throw new ControllerError(
      `the dependencies in its pyproject.toml could not be installed: ${pipOutput.split('\n').at(-1)}. Install them in the Dockerfile`,
      pipOutput,
    );
  }
}

function markOf({ size, changeTime }: FolderFile): string {
  return `${size} ${changeTime}`;
}

async function archiveOf(files: readonly FolderFile[]): Promise<NodeJS.ReadableStream> {
  const archive = pack();
  for (const { name, path } of files) {
    // The controller may run as any user and may write its files.
    archive.entry({ name: `${SOURCE.slice(1)}/${name}`, mode: 0o777 }, await readFile(path));
  }
  archive.finalize();
  return archive as unknown as NodeJS.ReadableStream;
}
