import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import { needsLinux } from '../../systems.ts';
import { allOf, nothingLeft, place, processesOf, processOf } from '../server/harness.ts';
import { Coding, folderWith, openInSharedServer } from './coding.ts';

const open = openInSharedServer();

describe('actions of an agent', () => {
  test('commands return output and exit code, and changed files are recorded with their texts', async () => {
    const { coding } = await open({ files: { 'a.txt': 'a\n', 'b.txt': 'b\n' } });
    const step = await coding.step("run('echo A > a.txt; rm b.txt; echo new > c.txt; echo done; exit 2')");
    expect(step).toMatchObject({
      error: null,
      observation: {
        text: '$ echo A > a.txt; rm b.txt; echo new > c.txt; echo done; exit 2\ndone\n[exit code 2]',
      },
      info: {
        outputs: [{ output: 'done\n', exit_code: 2 }],
        changes: [
          { path: 'a.txt', kind: 'changed' },
          { path: 'b.txt', kind: 'removed' },
          { path: 'c.txt', kind: 'added' },
        ],
      },
    });
    const texts = Object.fromEntries(
      Object.entries(step.contents ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    );
    const [a] = step.info.changes ?? [];
    expect([texts[a?.before ?? ''], texts[a?.after ?? '']]).toEqual(['a\n', 'A\n']);
    // What was given is not given again, and what is as it was is no change.
    const next = await coding.step("run('echo a > a.txt; touch c.txt')");
    expect(next.info.changes?.map(({ path }) => path)).toEqual(['b.txt', 'c.txt']);
    expect(next.contents).toEqual({});
  });

  test('a patch changes all of its files or none', async () => {
    const { coding } = await open({ files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b\n' } });
    const hunk = (path: string, from: string, to: string) =>
      `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${from}\n+${to}\n`;
    const misfit = await coding.step({
      type: 'apply_patch',
      diff: `--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n${hunk('b.txt', 'not there', 'x')}`,
    });
    expect(misfit).toMatchObject({
      error: { code: 'action_failed', message: expect.stringContaining('does not fit “b.txt”') },
      info: { acted: [expect.anything()] },
    });
    const done = await coding.step({
      type: 'apply_patch',
      diff: `diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+TWO\n--- /dev/null\n+++ b/new/c.txt\n@@ -0,0 +1 @@\n+c\n--- a/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n`,
    });
    expect(done).toMatchObject({ error: null, observation: { text: 'wrote a.txt\nwrote new/c.txt\nremoved b.txt' } });
    expect((await coding.step("run('cat a.txt new/c.txt; ls')")).observation.text).toContain(
      'one\nTWO\nc\na.txt\nnew\n',
    );
  });

  test.each([
    ["read_file('../../x')", 'leads out'],
    ["write_file('/etc/x', '')", 'leads out'],
    ["read_file('none.txt')", 'the file “none.txt” does not exist'],
    ["click('#a')", '`click` does nothing in an environment of type coding'],
    ["rnu('ls')", "Invalid action type 'rnu'"],
    ["apply_patch('nothing')", 'the diff contains no changes'],
  ])('%s fails with an explanation, and the run continues', async (action, words) => {
    const { coding } = await open({});
    expect((await coding.step(action)).error?.message).toContain(words);
    expect((await coding.step("response('done')")).info.response).toBe('done');
  });

  test('a link that the agent creates does not lead to files elsewhere', async () => {
    const folder = folderWith({ secret: 'secret' });
    const { coding } = await open({}, folder);
    await coding.step(`run('ln -s ${folder}/secret out')`);
    expect((await coding.step("read_file('out')")).error?.message).toContain(
      'leads out of the folder of the task, by a link',
    );
    expect(await coding.evaluate('file_exists', 'out')).toMatchObject({
      value: 0,
      blame: 'agent',
      reason: expect.stringContaining('by a link'),
    });
  });
});

describe('evaluating a coding task', () => {
  const report = (...cases: string[]) => `<testsuites><testsuite name="s">${cases.join('')}</testsuite></testsuites>`;

  test('by its files', async () => {
    const { coding } = await open({ files: { 'a.py': 'def greet():\n    return "Hello"\n' } });
    expect(await coding.evaluate('file_exists', 'a.py')).toMatchObject({ value: 1 });
    expect(await coding.evaluate('file_exists', 'b.py')).toMatchObject({
      value: 0,
      reason: 'the file “b.py” does not exist',
    });
    expect(await coding.evaluate('file_contains', 'a.py', ['def greet', 'return'])).toMatchObject({ value: 1 });
    expect(await coding.evaluate('file_contains', 'a.py', 'def great():')).toMatchObject({
      value: 0,
      reason: 'the nearest line: “def greet():”; “def great():” is not in “a.py”',
    });
    expect(await coding.evaluate('diff_matches', 'greet')).toMatchObject({ value: 0, reason: 'nothing was changed' });
  });

  test('by commands, whose output is recorded', async () => {
    const { coding } = await open({});
    expect(await coding.evaluate('command_succeeds', 'echo fine')).toMatchObject({
      value: 1,
      outputs: [{ command: 'echo fine', output: 'fine\n', exit_code: 0 }],
    });
    expect(await coding.evaluate('command_succeeds', 'echo bad; exit 1')).toMatchObject({
      value: 0,
      reason: '“echo bad; exit 1” exited with code 1; last output: “bad”',
    });
    expect(await coding.evaluate('command_output_matches', 'seq 1 3', '(?m)^2$')).toMatchObject({ value: 1 });
    expect(await coding.evaluate('command_succeeds', 'sleep 1000', 0.2)).toMatchObject({
      value: 0,
      reason: '“sleep 1000” timed out and was terminated; no output',
      outputs: [{ timed_out: true, exit_code: null }],
    });
  });

  test('by a report of tests: the part that passes, with each test by its name', async () => {
    const xml = report(
      '<testcase classname="t" name="one"/>',
      '<testcase classname="t" name="two"><failure message="1 is not 2">long</failure></testcase>',
      '<testcase classname="t" name="three"><skipped/></testcase>',
    );
    const { coding } = await open({ files: { 'given.xml': xml } });
    expect(await coding.evaluate('tests_pass', 'cp given.xml r.xml; exit 1', 'r.xml')).toMatchObject({
      value: 0.5,
      reason: '1 of 2 tests pass, 1 skipped',
      parts: [
        { name: 't › two', value: 0, reason: '1 is not 2' },
        { name: 't › one', value: 1, reason: 'passes' },
      ],
    });
    // A report that was there before is none of these tests.
    expect(await coding.evaluate('tests_pass', 'true', 'given.xml')).toMatchObject({
      value: 0,
      reason: expect.stringContaining('wrote no report “given.xml”'),
    });
    expect(await coding.evaluate('tests_pass', 'exit 0')).toMatchObject({ value: 1 });
    expect(await coding.evaluate('tests_pass', 'echo "<a>" > r.xml', 'r.xml')).toMatchObject({
      value: 0,
      blame: 'agent',
      reason: expect.stringContaining('“r.xml” is cut short'),
    });
    for (const [index, made] of ['mkdir', 'mkfifo', 'ln -s /etc/passwd', 'truncate -s 11M'].entries()) {
      expect(await coding.evaluate('tests_pass', `${made} m${index}.xml`, `m${index}.xml`), made).toMatchObject({
        value: 0,
        blame: 'agent',
      });
    }
  });

  test('by the reports of a folder or a pattern that the command wrote, and by the names of tests', async () => {
    const xml = report('<testcase name="one"/>', '<testcase name="two"><failure/></testcase>');
    const { coding } = await open({ files: { 'given.xml': xml, 'b/TEST-old.xml': xml } });
    const tests = 'mkdir -p b/c; cp given.xml b/TEST-1.xml; cp given.xml b/c/TEST-2.xml; exit 1';
    for (const path of ['b', '**/TEST-*.xml']) {
      expect(await coding.evaluate('tests_pass', tests, path)).toMatchObject({ reason: '2 of 4 tests pass' });
    }
    expect(await coding.evaluate('tests_pass', tests, 'b', { pass_to_pass: ['one'] })).toMatchObject({ value: 1 });
    expect(await coding.evaluate('tests_pass', tests, 'b', { pass_to_pass: ['two'] })).toMatchObject({ value: 0 });
    // To remove an old report is not a change by the agent.
    expect(await coding.evaluate('diff_matches', 'one')).toMatchObject({ value: 0, reason: 'nothing was changed' });
    expect(await coding.evaluate('tests_pass', 'echo "<html/>" > r.xml', 'r.xml')).toMatchObject({
      error: { code: 'call_threw' },
    });
  });

  test.each([
    ['with a report of what has passed until then', 'cp given.xml r.xml; ', /1 of 2 tests pass, but .* timed out/],
    ['without a report', '', /timed out and was terminated and wrote no report “r.xml”/],
  ])('tests that never end are stopped, %s, and their output is recorded', async (_, before, words) => {
    const xml = report('<testcase name="one"/>', '<testcase name="two"><failure/></testcase>');
    const { coding } = await open({ files: { 'given.xml': xml } });
    expect(await coding.evaluate('tests_pass', `${before}echo begun; sleep 1000`, 'r.xml', 1)).toMatchObject({
      value: 0,
      reason: expect.stringMatching(words),
      outputs: [{ output: 'begun\n', timed_out: true, exit_code: null }],
    });
  });

  test('tests that all pass in a run that fails are not passed', async () => {
    const { coding } = await open({ files: { 'given.xml': report('<testcase name="one"/>') } });
    expect(await coding.evaluate('tests_pass', 'cp given.xml r.xml; echo broken; exit 2', 'r.xml')).toMatchObject({
      value: 0,
      reason: expect.stringMatching(/1 of 1 tests pass, but .* exited with code 2; last output: “broken”/),
    });
  });

  test('files of evaluate commands do not count as changes of the agent', async () => {
    const { coding } = await open({ files: { 'a.txt': 'a\n' } });
    await coding.step("write_file('a.txt', 'b\\n')");
    await coding.evaluate('command_succeeds', 'echo report > report.xml');
    expect(await coding.evaluate('diff_matches', 'report')).toMatchObject({ value: 0 });
    expect(await coding.evaluate('diff_matches', '\\+b')).toMatchObject({ value: 1 });
  });
});

describe('a coding task leaves nothing behind', () => {
  const spawning = 'setsid sleep 1000 & sleep 1001 & (sleep 1002 &) ; echo started; sleep 1003';
  const waits = (mark: string, count: number) =>
    vi.waitFor(
      async () => {
        const sleepers = (await processesOf(mark)).filter(({ command }) => command.startsWith('sleep 100'));
        expect(sleepers.length).toBe(count);
      },
      { timeout: 60_000, interval: 20 },
    );

  test('when its session is closed, in the middle of a command', async () => {
    const marked = place();
    const { coding } = await Coding.open(marked, {});
    coding.step({ type: 'run', cmd: spawning }).catch(() => undefined);
    await waits(marked.mark, 4);
    await coding.close();
    await waits(marked.mark, 0);
  });

  test.each(['session', 'server'] as const)('when the process of the %s is killed', async (kind) => {
    const marked = place();
    const { coding } = await Coding.open(marked, {});
    coding.step({ type: 'run', cmd: spawning }).catch(() => undefined);
    await waits(marked.mark, 4);
    const sleeper = (await processesOf(marked.mark)).find(({ command }) => command === 'sleep 1003');
    if (kind === 'server') process.kill((await processOf(marked.mark, 'server')).pid, 'SIGKILL');
    else {
      const environ = execFileSync('tr', ['\\0', '\\n'], { input: readEnviron(sleeper?.pid ?? 0), encoding: 'utf8' });
      expect(environ).toContain('TASKWRIGHT_WORKSPACE=');
      for (const { pid } of await allOf(marked.mark, 'session')) {
        process.kill(pid, 'SIGKILL');
      }
    }
    await waits(marked.mark, 0);
    if (kind === 'server') await nothingLeft(marked.mark);
  });

  test
    .skipIf(needsLinux('processes of a session that has ended'))
    .each(['closed', 'killed with its server', 'ended for a call that loops'])(
    'when its session is %s, though it cleared its environment, left its session, and lost its parents',
    async (how) => {
      const marked = place();
      const loops = 'export const loaded = () => 1;\nexport async function loops() { for (;;); }\n';
      const { coding } = await Coding.open(marked, {}, folderWith({ 'a.functions.ts': loops }));
      // Its command line is all that it can be found by.
      const sleeper = `sleep ${1_000_000 + Math.floor(Math.random() * 1_000_000_000)}`;
      const running = () =>
        execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n').includes(sleeper);
      const daemon = `cd /; env -i setsid sh -c "(env -i setsid ${sleeper}) & exit 0" < /dev/null > /dev/null 2>&1`;
      await coding.step({ type: 'run', cmd: daemon });
      await vi.waitFor(() => expect(running()).toBe(true), { timeout: 60_000 });
      if (how === 'closed') await coding.close();
      else if (how === 'killed with its server') {
        process.kill((await processOf(marked.mark, 'server')).pid, 'SIGKILL');
      } else {
        // A call that is out of time while its file is loaded ends without its session.
        expect(await coding.evaluate('loaded')).toMatchObject({ value: 1 });
        expect(await coding.evaluate('loops')).toMatchObject({ error: { code: 'call_timeout' } });
      }
      await vi.waitFor(() => expect(running()).toBe(false), { timeout: 40_000, interval: 50 });
    },
  );

  test('when a command is killed from outside: the step reports it, and the run continues', async () => {
    const { coding } = await open({});
    expect((await coding.step("run('kill -9 $$')")).observation.text).toBe('$ kill -9 $$\n[terminated by a signal]');
    expect((await coding.step("run('echo on')")).observation.text).toContain('on\n');
  });

  test('of a fork bomb whose time is over', async () => {
    const marked = place();
    const { coding } = await Coding.open(marked, {});
    const name = `bomb${randomUUID().slice(0, 8)}`;
    // Held within limits by itself, so that this machine goes on: 300 processes that start others as fast as they can.
    const bomb = `${name}() { i=0; while [ $i -lt 300 ]; do sleep 0.05 & i=$((i+1)); [ $((i % 50)) -eq 0 ] && wait; done; ${name}; }; ${name}`;
    const step = await coding.step({ type: 'run', cmd: bomb, timeout: 1 });
    expect(step.observation.text).toContain('[timed out after 1 s and was terminated with its child processes]');
    await vi.waitFor(
      async () => {
        const left = (await processesOf(marked.mark)).filter(
          ({ command }) => command.includes(name) || command.startsWith('sleep'),
        );
        expect(left).toEqual([]);
      },
      { timeout: 60_000 },
    );
    expect((await coding.step("run('echo on')")).observation.text).toContain('on\n');
  });
});

function readEnviron(pid: number): string {
  return execFileSync('cat', [`/proc/${pid}/environ`], { encoding: 'utf8' });
}
