import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Commands } from '../../../../src/environments/workspace/commands.ts';
import { SameUser } from '../../../../src/environments/workspace/same-user.ts';
import { isRunning } from '../../../alive.ts';
import { needsLinux, needsPosix } from '../../../systems.ts';

const notLinux = needsLinux('processes that leave their group');

describe.skipIf(needsPosix('commands of a task'))('commands of a task', () => {
  let folder: string;
  let commands: Commands;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'taskwright-commands-'));
    commands = new Commands(folder, new SameUser());
  });

  afterEach(async () => {
    await commands.close();
    rmSync(folder, { recursive: true });
  });

  /** The number that a command wrote of itself. */
  const written = async (name: string): Promise<number> =>
    vi.waitFor(() => {
      const pid = Number(readFileSync(join(folder, name), 'utf8'));
      expect(pid).toBeGreaterThan(1);
      return pid;
    }, 20_000);
  const untilGone = (pid: number): Promise<void> =>
    vi.waitFor(() => expect(isRunning(pid)).toBe(false), { timeout: 20_000, interval: 20 });

  test('both streams come in the order in which they were written, with the exit code', async () => {
    const result = await commands.run('echo one; echo two >&2; echo three; exit 3', { timeout: 5_000 });
    expect(result).toEqual({ output: 'one\ntwo\nthree\n', truncated: false, exitCode: 3, timedOut: false });
  });

  test('a command is passed as one argument; the shell interprets quotes and dollar signs', async () => {
    const { output } = await commands.run(`x='a "b"'; printf '%s|' "$x" "$0"`, { timeout: 5_000 });
    expect(output).toBe('a "b"|sh|');
  });

  test('the beginning and the end of 200 MB of output are kept', async () => {
    const { output, truncated } = await commands.run('echo begin; head -c 200000000 /dev/zero; echo; echo end', {
      timeout: 60_000,
    });
    expect(truncated).toBe(true);
    expect(output.startsWith('begin\n')).toBe(true);
    expect(output.endsWith('\nend\n')).toBe(true);
    expect(output).toMatch(/\[… 199,\d{3},\d{3} bytes left out …\]/);
    expect(output.length).toBeLessThan(1_000_000);
  });

  test('a command that never ends is ended with all of its group when its time is over', async () => {
    // Its time is over as soon as it has said what it does, and not while it starts.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const timeout = 3_600_000;
    const result = commands.run('echo $$ > shell; echo waiting; sleep 1000 & echo $! > child; wait', { timeout });
    await written('child');
    vi.advanceTimersByTime(timeout);
    vi.useRealTimers();
    expect(await result).toEqual({ output: 'waiting\n', truncated: false, exitCode: null, timedOut: true });
    await untilGone(await written('shell'));
    await untilGone(await written('child'));
  });

  test('background processes continue after the command, and end with the task', async () => {
    const { exitCode, timedOut } = await commands.run('sleep 1000 & echo $! > child', { timeout: 20_000 });
    expect({ exitCode, timedOut }).toEqual({ exitCode: 0, timedOut: false });
    const child = await written('child');
    expect(isRunning(child)).toBe(true);
    await commands.close();
    await untilGone(child);
  });

  test.skipIf(notLinux)('processes in a separate session and group end with the task', async () => {
    await commands.run('setsid sh -c "echo \\$\\$ > child; exec sleep 1000" > /dev/null 2>&1 &', { timeout: 5_000 });
    const child = await written('child');
    expect(isRunning(child)).toBe(true);
    await commands.close();
    await untilGone(child);
  });

  test.skipIf(notLinux)('when the process that ran it is killed, nothing is left', async () => {
    const program = `
      import { Commands } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/environments/workspace/commands.ts'))};
      import { SameUser } from ${JSON.stringify(join(import.meta.dirname, '../../../../src/environments/workspace/same-user.ts'))};
      const commands = new Commands(process.cwd(), new SameUser());
      commands.run('echo $$ > shell; setsid sh -c "echo \\\\$\\\\$ > child; exec sleep 1000" & wait', { timeout: 60_000 });
      setTimeout(() => {}, 60_000);
    `;
    writeFileSync(join(folder, 'owner.ts'), program);
    const { spawn } = await import('node:child_process');
    const owner = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', 'owner.ts'], {
      cwd: folder,
      stdio: 'ignore',
    });
    const [shell, child] = [await written('shell'), await written('child')];
    owner.kill('SIGKILL');
    await untilGone(shell);
    await untilGone(child);
  });

  test('no colours and no codes of a terminal come through', async () => {
    const { output } = await commands.run(String.raw`printf '\033[31mred\033[0m\r\n'`, { timeout: 5_000 });
    expect(output).toBe('red\n');
  });
});
