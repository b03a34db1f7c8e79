import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Count, countFailure } from './count.ts';
import { beforeEnding } from './ending.ts';
import { outFolder, root } from './places.ts';
import type { SuiteName, SuiteOptions } from './suite-options.ts';

export interface SuiteResult {
  readonly count: Count;
  /** Seconds of processor time of the suite and all that it started and waited for. */
  readonly seconds: number;
}

/** The file with the output of a suite. `again`: the file that ran again. */
export function logOf(suite: SuiteName, again?: string): string {
  const name = again === undefined ? suite : `${suite}-again-${again.replaceAll(/[^\w.-]+/g, '_')}`;
  return join(outFolder, 'tests', `${name}.log`);
}

/**
 * Runs a suite in a separate process. Its output goes to `say` and into a file. Never rejects: a suite that ends without
 * a result is one failure.
 */
export async function runSuiteProcess(
  suite: SuiteName,
  options: SuiteOptions,
  say: (text: string) => void,
  log = logOf(suite),
): Promise<SuiteResult> {
  await mkdir(dirname(log), { recursive: true });
  const file = createWriteStream(log);
  const args = ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', '--disable-warning=ExperimentalWarning'];
  const program = join(root, 'scripts', 'run-suite.ts');
  const child = spawn(process.execPath, [...args, program, suite, JSON.stringify(options)], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: '1' }) },
  });
  let isRunning = true;
  let result: SuiteResult | undefined;
  const end = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code, signal) => resolve(`it ended with ${code ?? signal}`));
  });
  beforeEnding(async () => {
    if (!isRunning) return;
    child.kill();
    await end;
  });
  child.on('message', (message) => {
    result = message as SuiteResult;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      file.write(text);
      say(text);
    });
  }
  const how = await end;
  isRunning = false;
  await new Promise((resolve) => file.end(resolve));
  return result ?? { count: countFailure(suite, new Error(`The suite has no result: ${how}.`)), seconds: 0 };
}
