import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../src/base/json.ts';
import { EMPTY_RANGE } from '../../src/base/range.ts';
import { Images } from '../../src/placement/docker/build.ts';
import type { Task } from '../../src/tasks/task.ts';
import { root } from '../system/programs.ts';
import { task } from '../system/server/harness.ts';
import { containersOf, daemon, place, temporaryFolder } from './harness.ts';

const ANSWER = 'zebra-crossing-4711';

beforeAll(async () => {
  for (const kind of ['coding', 'desktop'] as const) await new Images(root).ensure(await daemon(), kind, () => {});
});

/** Runs a program in the only container that there is; what it printed. */
async function inside(user: string, line: string): Promise<string> {
  const [id = ''] = await containersOf(process.pid);
  const docker = await daemon();
  const exec = await docker
    .getContainer(id)
    .exec({ Cmd: ['sh', '-c', line], User: user, AttachStdout: true, AttachStderr: true });
  const stream = await exec.start({});
  let said = '';
  const hear = { write: (chunk: Buffer) => (said += chunk.toString('utf8')) };
  docker.modem.demuxStream(stream, hear as never, hear as never);
  await new Promise((resolve) => stream.once('end', resolve));
  return said;
}

/** A task in a container, with its answer in the task file, in its solution, and in an evaluate call. */
async function open(env: Task['env']) {
  const folder = await temporaryFolder();
  const file = join(folder, 'some.task.json');
  await writeFile(
    file,
    JSON.stringify({ prompt: 'Guess', evaluate: { function: 'file_contains', args: ['a', ANSWER] } }),
  );
  await writeFile(join(folder, 'some.actions'), `write_file("a", "${ANSWER}")`);
  await chmod(folder, 0o755);
  const asked = {
    ...task('', { file, env, initial_state: {} }),
    evaluate: [{ function: 'file_contains', args: ['a', ANSWER], range: EMPTY_RANGE }],
  };
  const { server, files } = await place().open(asked);
  const { session } = await server.request('session.open', {});
  await server.request('session.reset', { session, task: asked, files, seed: 0 });
  const step = async (action: string) =>
    (await server.request('session.step', { session, actions: [action] })).observation.text ?? '';
  return {
    server,
    session,
    step,
    /** What a command of the agent prints. */
    run: (command: string) => step(`run(${JSON.stringify(command)}, 20)`),
    evaluate: (name: string, ...args: Json[]) =>
      server.request('session.evaluate', {
        session,
        call: { function: name, args, range: EMPTY_RANGE },
        limit_ms: 120_000,
      }),
  };
}

const CODING = { type: 'coding', files: { 'a.txt': 'one\n' } } as const;

describe('The commands of a coding agent', () => {
  test.each([
    ['read the mounted folder of the task', 'cat /opt/taskwright/private/mounted/*; ls -R /opt/taskwright/private'],
    [
      'search every place where the answer could be',
      `grep -rs '[z]ebra-crossing' /opt/taskwright /etc /home /root /run /srv /tmp /var`,
    ],
    [
      'read the environment of other processes',
      'cat /proc/[0-9]*/environ | tr "\\0" "\\n" | grep -e zebra -e TASKWRIGHT_SUPERVISED',
    ],
    [
      'read what other processes have open',
      'for f in /proc/[0-9]*/fd/*; do case $f in /proc/self/*|/proc/$$/*) ;; *) timeout 1 head -c 200000 "$f" | grep -a "[z]ebra";; esac; done',
    ],
    ['read the root of the server', 'cat /proc/[0-9]*/root/opt/taskwright/private/mounted/some.task.json'],
    [
      'read the memory of the server',
      'for p in $(pgrep -f server.js); do head -c 10 /proc/$p/mem && echo zebra; cat /proc/$p/maps && echo zebra; done',
    ],
    ['read the temporary files of the server', 'cat /tmp/*/* /home/taskwright/* /home/taskwright/.*'],
  ])('cannot %s', async (_what, command) => {
    const { run } = await open(CODING);

    expect(await run(`(${command}) 2>&1`)).not.toMatch(/\n[^$][^\n]*(zebra|TASKWRIGHT)/);
  });

  test('have no capability, and no way to another user', async () => {
    const { run } = await open(CODING);

    const status = await run('cat /proc/self/status');
    expect(status).toMatch(/\nUid:\s+10002\s+10002\s+10002\s+10002\n/);
    expect(status).toMatch(/\nGid:\s+10002\s+10002\s+10002\s+10002\n/);
    expect(status).toMatch(/\nGroups:\s*\n/);
    for (const kind of ['Inh', 'Prm', 'Eff', 'Amb']) expect(status).toMatch(new RegExp(`\\nCap${kind}:\\s+0+\\n`));
    expect(status).toMatch(/\nNoNewPrivs:\s+1\n/);
    expect(await run('python3 -c "import os; os.setuid(10001)"')).toContain('Operation not permitted');
    expect(await run('python3 -c "import os; os.setuid(0)"')).toContain('Operation not permitted');
    expect(await run('su -c id root < /dev/null; su -c id taskwright < /dev/null')).not.toContain('uid=');
  });

  test('cannot ask the supervisor for anything', async () => {
    const { run } = await open(CODING);

    const connect = `import socket; s = socket.socket(socket.AF_UNIX); s.connect('/run/taskwright-supervisor.sock')`;
    expect(await run(`python3 -c "${connect}"`)).toContain('Permission denied');
    expect(await run('rm /run/taskwright-supervisor.sock')).toMatch(/Permission denied|not permitted|Read-only/);
  });

  test('cannot end, stop, or trace the server, and the run goes on', async () => {
    const { run, step, evaluate } = await open(CODING);

    const trace = 'import ctypes; print([ctypes.CDLL(None).ptrace(16, p, 0, 0) for p in';
    expect(await run(`python3 -c "${trace} $(pgrep -u 10001 -f server.js | paste -sd, | sed 's/.*/[&]/')])"`)).toMatch(
      /\[(?:-1(?:, )?)+\]/,
    );
    // Not itself, or it would go no further.
    const attack = 'for p in /proc/[0-9]*; do p=${p#/proc/}; [ $p = $$ ] || { kill -STOP $p; kill -KILL $p; }; done';
    expect(await run(`${attack}; echo all`)).toContain('\nall\n');
    await run('kill -KILL -1');
    expect(await run('echo on')).toContain('\non\n');
    await step(`write_file('a', '${ANSWER}')`);
    expect(await evaluate('file_contains', 'a', ANSWER)).toMatchObject({ value: 1 });
  });

  test('cannot write to the control channel', async () => {
    const { run, evaluate } = await open(CODING);

    const forged = await run(
      'for f in /proc/[0-9]*/fd/1 /proc/[0-9]*/fd/3; do echo forged > $f && echo WROTE $f; done 2>&1',
    );
    // What it may write to is its own.
    expect(forged.match(/WROTE/g)?.length ?? 0).toBeLessThanOrEqual(2);
    expect(await evaluate('file_contains', 'a', ANSWER)).toMatchObject({ value: 0 });
  });

  test('get no file of the server from an action, however fast a link takes the place of a folder', async () => {
    const { run, step } = await open(CODING);
    await run('mkdir d e; echo mine > d/some.task.json; echo mine > e/some.task.json');
    const swap =
      'ln -s /opt/taskwright/private/mounted l; while :; do mv -T d f; mv -T l d; mv -T d l; mv -T f d; done';
    await run(`(${swap}) > /dev/null 2>&1 &`);

    const seen = new Set<string>();
    for (let count = 0; count < 200; count += 1) seen.add(await step("read_file('d/some.task.json')"));

    expect([...seen].join('\n')).not.toContain('zebra');
    expect([...seen].join('\n')).toContain('mine');
  });

  test('own the files that actions write, and read files that only they may read back as said', async () => {
    const { run, step } = await open(CODING);

    await step("write_file('new/deep/b.txt', 'two')");
    expect(await run('echo more >> new/deep/b.txt && touch new/deep/c && echo >> a.txt && echo fine')).toContain(
      '\nfine\n',
    );
    await run('chmod 000 a.txt');
    expect(await step("read_file('a.txt')")).not.toContain('one');
    expect(
      await run('git init -q . && git add new && git -c user.name=a -c user.email=b commit -qm c && git log --oneline'),
    ).toMatch(/\n[0-9a-f]{7,} c\n/);
  });

  test('are all ended with the session, whatever they do to leave it', async () => {
    const { run, server, session } = await open(CODING);
    await run('env -i setsid sh -c "while :; do sleep 1; done" > /dev/null 2>&1 &');
    await run('setsid nohup python3 -c "import os, time; os.fork(); os.fork(); time.sleep(1000)" > /dev/null 2>&1 &');
    const processes = async () => Number(await inside('10002', 'ps -o pid= -u 10002 | wc -l'));
    // Two loops with a sleep, four that were forked, and those of the question itself.
    await expect.poll(processes).toBeGreaterThan(8);

    await server.request('session.close', { session });

    // Of what is asked itself: a shell, ps, and wc.
    expect(Number(await inside('0', 'ps -o pid= -u 10002 | wc -l'))).toBe(0);
  });
});

describe('The programs for desktop tasks', () => {
  test('run as the agent’s user, who can reach neither the server nor the task', async () => {
    const { server, session, evaluate } = await open({ type: 'hud-ubuntu' });
    const probe =
      'id -u; cat /opt/taskwright/private/mounted/* /proc/[0-9]*/environ 2>/dev/null | grep -a zebra; echo done';
    const call = {
      function: 'launch',
      args: [`sh -c '(${probe.replaceAll("'", '')}) > out.txt 2>&1'`],
      range: EMPTY_RANGE,
    };
    await server.request('session.setup', { session, call, limit_ms: 120_000 });

    await expect.poll(() => evaluate('file_contains', 'out.txt', 'done')).toMatchObject({ value: 1 });
    expect(await inside('0', 'cat /proc/$(pgrep -x jwm)/status | grep ^Uid')).toMatch(/Uid:\s+10002/);
    expect(await inside('0', 'cat /proc/$(pgrep -x Xtigervnc)/status | grep ^Uid')).toMatch(/Uid:\s+10001/);
    expect(await evaluate('file_contains', 'out.txt', '10002')).toMatchObject({ value: 1 });
    expect(await evaluate('file_contains', 'out.txt', 'zebra')).toMatchObject({ value: 0 });
  });

  test('can end one another and the window manager, and the desktop goes on', async () => {
    const { server, session, step } = await open({ type: 'hud-ubuntu' });
    const setup = (...args: Json[]) =>
      server.request('session.setup', {
        session,
        call: { function: 'launch', args, range: EMPTY_RANGE },
        limit_ms: 20_000,
      });
    const seen = () => step('noop(200)');
    // The pointer's image is the terminal's.
    await setup('xterm -geometry 200x50+0+0');
    await step('mouse_move(300, 300)');
    await expect.poll(seen).toContain('xterm');
    await setup(['sh', '-c', 'kill -KILL -1']).catch(() => {});

    await expect.poll(seen).not.toContain('xterm');
    await setup('xterm');
    await expect.poll(seen).toContain('xterm');
    expect(Number(await inside('0', 'pgrep -cx jwm'))).toBe(1);
  });
});

test('A frame that another process writes to the control channel ends the run as tampering', async () => {
  const { server, session } = await open(CODING);
  const waiting = server.request('session.step', { session, actions: ["run('sleep 60')"] });
  const outcome = waiting.then(
    () => null,
    (error: unknown) => error,
  );

  // The agent's user cannot; the supervisor, whose channel it is, can.
  const frame = String.raw`\0\0\0\057\0\0\0\053{"value":{"id":3,"result":{}},"parts":[]}......`;
  expect(await inside('0', `printf '${frame}' > /proc/1/fd/1`)).toBe('');

  expect(await outcome).toMatchObject({ code: 'tampering' });
  expect(await server.whenEnded).toMatchObject({ code: 'tampering' });
});
