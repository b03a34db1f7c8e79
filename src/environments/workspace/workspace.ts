import { existsSync, realpathSync } from 'node:fs';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describeSystemError, isSystemError } from '../../base/system-error.ts';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { Workspace } from '../../functions/declaration.ts';
import { listSome, quote } from '../../functions/words.ts';
import { AgentUser, isSupervised } from './agent-user.ts';
import { Commands } from './commands.ts';
import {
  entryWithin,
  type FolderEntry,
  filesWithin,
  placeWithin,
  readWithin,
  setExecutableWithin,
  writeWithin,
} from './folder.ts';
import type { Launcher } from './launcher.ts';
import { SameUser } from './same-user.ts';

/** A folder with commands. `close` ends their remaining processes. */
export class FolderWorkspace extends Commands implements Workspace {
  /**
   * `folder` must exist, and belong to the launcher's user if the launcher is isolated. `variables`: additional
   * environment variables of commands, such as `DISPLAY`.
   */
  constructor(folder: string, launcher: Launcher, variables: Readonly<Record<string, string>> = {}) {
    super(realpathSync(folder), launcher, variables);
  }

  read(path: string, mostBytes?: number): Promise<Uint8Array | null> {
    return readWithin(this.folder, path, this.folder, mostBytes);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    if (!this.launcher.isolated) return writeWithin(this.folder, path, content, undefined, this.folder);
    try {
      await writeWithin(this.folder, path, content, (directory) => this.#makeFolder(directory, path), this.folder);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new AgentFault(`“${path}” cannot be written: ${describeSystemError(error)}`);
    }
  }

  /** Makes the agent's user the owner of folders too. */
  async #makeFolder(directory: string, path: string): Promise<void> {
    if (!this.launcher.isolated) await mkdir(directory, { recursive: true });
    else if (!existsSync(directory)) {
      await runToEnd(this.launcher, 'mkdir', ['-p', '--', directory], { cwd: this.folder }).catch(() => {
        throw new AgentFault(`“${path}” cannot be written: its folder cannot be made`);
      });
    }
  }

  /** The file or the link at a path, which is not followed; null if there is none. */
  entry(path: string): Promise<FolderEntry | null> {
    return entryWithin(this.folder, path, this.folder);
  }

  /** Writes a file with its mode, or a link, in place of what is there. */
  async put(path: string, { mode, content }: FolderEntry): Promise<void> {
    const old = await this.entry(path);
    const isFile = old !== null && old.mode !== '120000' && mode !== '120000';
    if (old !== null && !isFile) await this.remove(path);
    if (mode === '120000') return this.#link(path, Buffer.from(content).toString('utf8'));
    if (!isFile || !Buffer.from(content).equals(old.content)) await this.write(path, content);
    if (mode !== (isFile ? old.mode : '100644')) await this.#setExecutable(path, mode === '100755');
  }

  async #link(path: string, target: string): Promise<void> {
    const place = await placeWithin(this.folder, path, this.folder);
    await this.#makeFolder(dirname(place), path);
    // As the agent's user, who can replace a folder with a link at any moment.
    const linking = this.launcher.isolated
      ? runToEnd(this.launcher, 'ln', ['-s', '-T', '--', target, place], { cwd: this.folder })
      : symlink(target, place);
    await linking.catch((error: Error) => {
      throw new AgentFault(`the link “${path}” cannot be made: ${describeSystemError(error)}`);
    });
  }

  async #setExecutable(path: string, executable: boolean): Promise<void> {
    try {
      await setExecutableWithin(this.folder, path, executable, this.folder);
    } catch (error) {
      // Only its owner may change a file: the user of this process for one that it has created, or the agent's user.
      if (!this.launcher.isolated || !isSystemError(error)) throw error;
      const place = await placeWithin(this.folder, path, this.folder);
      const args = [executable ? 'a+x' : 'a-x', '--', place];
      await runToEnd(this.launcher, 'chmod', args, { cwd: this.folder }).catch(() => {
        throw new AgentFault(`the mode of “${path}” cannot be changed`);
      });
    }
  }

  files(path: string): Promise<readonly string[]> {
    return filesWithin(this.folder, path, this.folder);
  }

  /** Removes files and links. What a link leads to stays. */
  async remove(...paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const places: string[] = [];
    for (const path of paths) places.push(await placeWithin(this.folder, path, this.folder));
    const removal = this.launcher.isolated
      ? runToEnd(this.launcher, 'rm', ['--', ...places], { cwd: this.folder })
      : Promise.all(places.map((place) => rm(place)));
    await removal.catch(() => {
      throw new AgentFault(`${listSome(paths.map(quote), 3)} cannot be removed`);
    });
  }
}

/** Creates the launcher of an environment: as the agent's user in our containers, otherwise as this user. */
export function createLauncher(): Launcher {
  return isSupervised() ? new AgentUser() : new SameUser();
}

/** Runs a program with an input until it exits. Rejects if it cannot start or fails. */
export async function runToEnd(
  launcher: Launcher,
  program: string,
  args: readonly string[],
  { cwd, input }: { readonly cwd: string; readonly input?: NodeJS.ReadableStream },
): Promise<void> {
  const child = launcher.start(program, args, { cwd, env: process.env });
  if (input === undefined) child.input.end();
  else input.pipe(child.input);
  const [{ code, signal }, output] = await Promise.all([child.exit, buffer(child.output)]);
  if (code !== 0)
    throw new Error(`${program} failed (${signal ?? `exit code ${code}`}): ${output.toString('utf8').trim()}`);
}
