import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { killWithGroup } from './groups.ts';

const run = promisify(execFile);

/** Maximum size of the process list, in bytes. */
const MAX_PROCESS_LIST = 64 * 1024 * 1024;

/**
 * Kills the process groups with an option whose value is in a folder (`--database=FOLDER/…`). Does nothing on Windows,
 * nor without `ps` elsewhere than on Linux.
 */
export async function killWithFolder(folder: string): Promise<void> {
  for await (const { pid, command } of commandLines()) {
    if (command.includes(`=${folder}`)) killWithGroup(pid);
  }
}

interface CommandLine {
  readonly pid: number;
  /** With a NUL character (Linux) or a space after each argument. */
  readonly command: string;
}

async function* commandLines(): AsyncGenerator<CommandLine> {
  if (process.platform === 'win32') return;
  if (process.platform === 'linux') {
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      // The process has ended.
      yield { pid: Number(name), command: await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '') };
    }
    return;
  }
  // `ps` is missing.
  const list = await run('ps', ['-A', '-ww', '-o', 'pid=,args='], { maxBuffer: MAX_PROCESS_LIST }).catch(() => null);
  for (const line of list?.stdout.split('\n') ?? []) yield { pid: Number.parseInt(line, 10), command: line };
}
