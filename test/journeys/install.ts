import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { packageVsix } from '../../scripts/package-vsix.ts';
import { outFolder, root } from '../../scripts/places.ts';
import { installExtension } from '../../scripts/vscode-server.ts';
import { installServer } from '../../scripts/vscode-server-install.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A folder for everything that journeys write; it is removed at the end. */
    readonly journeysFolder: string;
    /** The extensions of every window: the packaged extension, installed as a person's VS Code installs it. */
    readonly extensionsFolder: string;
  }
}

/** The packaged extension as `npm test` has just packed it, or else packed now from the build. */
async function vsix(): Promise<string> {
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const path = join(outFolder, `${name}-${version}.vsix`);
  return existsSync(path) ? path : packageVsix();
}

/** Installs the packaged extension once for all windows. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'taskwright-journeys-'));
  const dataFolder = join(folder, 'installed');
  installExtension(await installServer(() => {}), dataFolder, await vsix());
  project.provide('journeysFolder', folder);
  project.provide('extensionsFolder', join(dataFolder, 'extensions'));
  return () => rm(folder, { recursive: true, force: true, maxRetries: 5 });
}
