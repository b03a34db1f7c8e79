import { join } from 'node:path';
import type * as vscode from 'vscode';
import { programEnvironment } from '../runs/agents/processes/program.ts';
import { settings } from './settings.ts';

/** A program to start, with the arguments that come before its own. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The command line `taskwright`, with settings that it reads from its environment: the browser, the pages of MiniWoB++, and how
 * many runs to keep for `resource`.
 */
export function commandLine(extensionFolder: string, resource: vscode.Uri): Program {
  const [browser, miniwob] = [settings.browserPath(), settings.miniwobFolder()];
  return {
    file: process.execPath,
    args: [join(extensionFolder, 'dist', 'cli.js')],
    env: {
      ...programEnvironment(),
      ...(browser === undefined ? {} : { TASKWRIGHT_BROWSER: browser }),
      TASKWRIGHT_KEEP_RUNS: String(settings.keepRuns(resource)),
      ...(miniwob === undefined ? {} : { TASKWRIGHT_MINIWOB: miniwob }),
    },
  };
}

/** The options of `run` and `serve` that the settings for a file or folder decide. */
export function limitsOf(resource: vscode.Uri): readonly string[] {
  const [placement, steps, evaluateMs] = [
    settings.placement(resource),
    settings.maxSteps(resource),
    settings.evaluateTimeoutMs(resource),
  ];
  return [
    ...(placement === null ? [] : ['--placement', placement]),
    ...(steps === undefined ? [] : ['--max-steps', String(steps)]),
    ...(settings.maskSensitive(resource) ? ['--mask'] : []),
    ...(evaluateMs === undefined ? [] : ['--evaluate-timeout', String(evaluateMs / 1000)]),
  ];
}
