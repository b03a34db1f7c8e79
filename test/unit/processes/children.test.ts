import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { endChildrenIn } from '../../../src/processes/children.ts';
import { endMarked } from '../../../src/processes/marks.ts';
import { asSubreaper } from '../../../src/processes/subreaper.ts';
import { needsLinux } from '../../systems.ts';

const notLinux = needsLinux('processes found by their mark');

describe('ends processes by their mark', () => {
  it.skipIf(notLinux)('and no others', async () => {
    const mark = `TASKWRIGHT_TEST_MARK=${randomUUID()}`;
    const [name = '', value = ''] = mark.split('=');
    const marked = spawn('sleep', ['1000'], { env: { ...process.env, [name]: value }, detached: true });
    const other = spawn('sleep', ['1000'], { env: { ...process.env, [name]: `${value}0` } });
    const ended = once(marked, 'exit');
    await Promise.all([once(marked, 'spawn'), once(other, 'spawn')]);

    endMarked(mark);

    expect(await ended).toEqual([null, 'SIGKILL']);
    expect([other.exitCode, other.signalCode]).toEqual([null, null]);
    other.kill('SIGKILL');
  });

  // Each environment ends with an empty line, so an empty mark would be found in every process of this machine.
  it.each(['', '=', 'HOME=', 'PATH=/usr/bin', 'X=1'])('and refuses %j, which others can have, too', (mark) => {
    expect(() => endMarked(mark)).toThrow('marks no processes');
  });
});

it('ends the children of a child that takes a while to end', () => {
  const begun = Date.now();
  const killed: number[] = [];
  const self = {
    pid: 1000,
    kill: (pid: number): true => {
      killed.push(pid);
      return true;
    },
  };
  const find = () => (Date.now() - begun < 100 ? [1001] : killed.includes(1002) ? [] : [1002]);

  endChildrenIn(fs, self, new Set(), find, 60_000);

  expect(killed).toContain(1002);
});

it.skipIf(notLinux)('starts a program as itself, with its arguments as they are', async () => {
  const { program, args } = asSubreaper(process.execPath, [
    '-e',
    'console.log(process.argv.slice(1).join("|"))',
    'a b',
    '$x',
  ]);
  const child = spawn(program, [...args]);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk;
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(said).toBe('a b|$x\n');
});
