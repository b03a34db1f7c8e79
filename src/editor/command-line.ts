import { join } from 'node:path';
import { programEnvironment } from '../runs/agents/processes/program.ts';
import { settings } from './settings.ts';

/** A program to start, with the arguments that come before its own. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/** The command line `taskwright`, with the browser and the pages of MiniWoB++ of the settings. */
export function commandLine(extensionFolder: string): Program {
  const [browser, miniwob] = [settings.browserPath(), settings.miniwobFolder()];
  return {
    file: process.execPath,
    args: [join(extensionFolder, 'dist', 'cli.js')],
    env: {
      ...programEnvironment(),
      ...(browser === undefined ? {} : { TASKWRIGHT_BROWSER: browser }),
      ...(miniwob === undefined ? {} : { TASKWRIGHT_MINIWOB: miniwob }),
    },
  };
}
