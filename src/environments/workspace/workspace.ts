import { realpathSync } from 'node:fs';
import type { CommandResult, Workspace } from '../../functions/declaration.ts';
import { type CommandOptions, Commands } from './commands.ts';
import { readWithin, writeWithin } from './folder.ts';

/** A folder with what runs in it. `close` ends all that its commands have left running. */
export class FolderWorkspace implements Workspace {
  readonly folder: string;
  readonly #commands: Commands;

  /** `folder` is there. `variables`: what commands find in their environment beside ours, such as `DISPLAY`. */
  constructor(folder: string, variables: Readonly<Record<string, string>> = {}) {
    this.folder = realpathSync(folder);
    this.#commands = new Commands(this.folder, variables);
  }

  read(path: string): Promise<Uint8Array | null> {
    return readWithin(this.folder, path);
  }

  write(path: string, content: string | Uint8Array): Promise<void> {
    return writeWithin(this.folder, path, content);
  }

  run(command: string, options: CommandOptions): Promise<CommandResult> {
    return this.#commands.run(command, options);
  }

  close(): Promise<void> {
    return this.#commands.close();
  }
}
