import { spawn } from 'node:child_process';
import { childrenOfThisProcess, endOtherChildren } from '../../processes/children.ts';
import { killGroup } from '../../processes/groups.ts';
import { Guard } from '../../processes/guard.ts';
import { checkPipes } from '../../processes/pipes.ts';
import type { Launched, Launcher, LaunchOptions } from './launcher.ts';

/** Starts programs as the user of this process. */
export class SameUser implements Launcher {
  readonly isolated = false;
  /** Processes that do not belong to the task. */
  readonly #before = childrenOfThisProcess();
  readonly #guard = new Guard('TASKWRIGHT_WORKSPACE');
  /** Ends processes that left their group and environment, but were inherited by this process. */
  readonly #endRest = (): void => endOtherChildren(this.#before);

  constructor() {
    process.once('exit', this.#endRest);
  }

  start(program: string, args: readonly string[], { cwd, env }: LaunchOptions): Launched {
    const child = spawn(program, args, {
      cwd,
      env: { ...env, ...this.#guard.mark },
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    checkPipes(child);
    const { pid, stdin, stdout } = child;
    stdin.on('error', () => {
      // The program has ended, or closed its input, without reading all of it.
    });
    if (pid !== undefined) this.#guard.add(pid);
    const exit = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
      child.once('exit', (code, signal) => {
        this.#guard.forgetEnded();
        resolve({ code, signal });
      });
      child.once('error', reject);
    });
    // Whoever waits for the end gets the error; nobody has to.
    exit.catch(() => {});
    return {
      input: stdin,
      output: stdout,
      exit,
      kill: () => {
        if (pid !== undefined) killGroup(pid);
      },
      unref: () => {
        child.unref();
        for (const stream of [stdin, stdout]) (stream as unknown as { unref(): void }).unref();
      },
    };
  }

  async close(): Promise<void> {
    await this.#guard.close();
    process.off('exit', this.#endRest);
    this.#endRest();
  }
}
