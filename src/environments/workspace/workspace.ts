import { existsSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { describeSystemError, isSystemError } from '../../base/system-error.ts';
import { AgentFault } from '../../functions/agent-fault.ts';
import type { Workspace } from '../../functions/declaration.ts';
import { listSome, quote } from '../../functions/words.ts';
import { AgentUser, isSupervised } from './agent-user.ts';
import { Commands } from './commands.ts';
import { filesWithin, pathWithin, readWithin, writeWithin } from './folder.ts';
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

  read(path: string): Promise<Uint8Array | null> {
    return readWithin(this.folder, path, this.folder);
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    if (!this.launcher.isolated) return writeWithin(this.folder, path, content, undefined, this.folder);
    // Makes the agent's user the owner of folders too.
    const makeFolder = async (directory: string): Promise<void> => {
      if (existsSync(directory)) return;
      await runToEnd(this.launcher, 'mkdir', ['-p', '--', directory], { cwd: this.folder }).catch(() => {
        throw new AgentFault(`“${path}” cannot be written: its folder cannot be made`);
      });
    };
    try {
      await writeWithin(this.folder, path, content, makeFolder, this.folder);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new AgentFault(`“${path}” cannot be written: ${describeSystemError(error)}`);
    }
  }

  files(path: string): Promise<readonly string[]> {
    return filesWithin(this.folder, path, this.folder);
  }

  async remove(...paths: readonly string[]): Promise<void> {
    if (paths.length === 0) return;
    const realPaths: string[] = [];
    for (const path of paths) realPaths.push(await pathWithin(this.folder, path, this.folder));
    const removal = this.launcher.isolated
      ? runToEnd(this.launcher, 'rm', ['--', ...realPaths], { cwd: this.folder })
      : Promise.all(realPaths.map((path) => rm(path)));
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
