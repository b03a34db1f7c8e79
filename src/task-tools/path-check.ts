import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { splitAgent } from '../agents/registry.ts';
import { parseAddress } from '../tasks/address.ts';
import { TaskToolError, type ToolHost } from './tool.ts';

/**
 * Rejects with `TaskToolError` unless a path, an address, or a registered id is in the folder of the host, also where links
 * are followed. Resolves with it relative to the folder.
 */
export async function checkPath(path: string, { folder }: Pick<ToolHost, 'folder'>): Promise<string> {
  // Commands use it as an address, as a path, or as both.
  for (const candidate of new Set([resolve(folder, path), (await parseAddress(path, folder)).file])) {
    if (await leadsOut(candidate, folder)) throw new TaskToolError(`${path} is outside of ${folder}.`);
  }
  return isAbsolute(path) ? relative(folder, path) || '.' : path;
}

/** Rejects with `TaskToolError` for an agent whose file is outside of the folder of the host. */
export async function checkAgent(agent: string, host: Pick<ToolHost, 'folder'>): Promise<void> {
  const parts = splitAgent(agent);
  if (parts?.kind.argument?.type === 'file') await checkPath(parts.argument, host);
}

/** Whether a path is outside of a folder, also where links are followed. */
export async function leadsOut(path: string, folder: string): Promise<boolean> {
  return isOutside(path, folder) || isOutside(await realPathOf(path), await realPathOf(folder));
}

function isOutside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below);
}

/** The real path of the part of a path that exists, followed by the rest. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    // The command reports what is missing or cannot be read.
    const parent = dirname(path);
    return parent === path ? path : join(await realPathOf(parent), basename(path));
  }
}
