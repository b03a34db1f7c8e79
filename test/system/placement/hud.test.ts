import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { partsOf } from '../../../src/environments/hud/address.ts';
import { ControlChannel, RefusalError } from '../../../src/environments/hud/channel.ts';
import { HudSession } from '../../../src/environments/hud/session.ts';
import { startEnvServer } from '../../../src/placement/hud/env-server.ts';
import { localPlacement } from '../../../src/placement/local.ts';
import type { StartedServer } from '../../../src/placement/shared-servers.ts';
import { isAlive } from '../../alive.ts';
import { call, task, temporaryFolder } from '../../unit/runs/tasks.ts';
import { shareCommandLine } from '../cli/in-process.ts';
import { start } from '../cli/program.ts';
import { dist, root } from '../programs.ts';
import { hudEnvironment } from '../python.ts';
import { allOf, place } from '../server/harness.ts';
import { orphan } from './owner.ts';

const LIMIT = 120_000;
const venv = await hudEnvironment();
const cli = shareCommandLine();

let folder = '';
beforeEach(async () => {
  folder = await temporaryFolder();
});

/** A folder with the environment `lab`, in which HUD is installed. */
async function lab(): Promise<string> {
  await cp(join(root, 'test', 'fixtures', 'hud', 'lab'), folder, { recursive: true });
  await symlink(venv ?? '', join(folder, '.venv'));
  return join(folder, 'env.py');
}

interface Run {
  readonly status: string;
  readonly reward: number | null;
  readonly steps: number;
  readonly error: { readonly message: string; readonly code: string } | null;
  readonly trace_dir: string;
}

it(
  'an environment whose interpreter has no HUD says how to install it',
  async () => {
    const path = join(folder, 'env.py');
    await writeFile(path, 'from hud import Environment\n');
    execFileSync('python3', ['-m', 'venv', '--without-pip', join(folder, '.venv')]);
    await expect(startEnvServer({ hud: path, name: 'lab', startMs: LIMIT, log: () => {} })).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(/\nInstall HUD 0\.6 for this interpreter, .*pip install hud\nLast output:\n/),
    });
  },
  LIMIT,
);

describe.skipIf(venv === null)('tasks of HUD 0.6', () => {
  it(
    'run in one environment from its code, and each ends as its template says',
    async () => {
      await lab();
      const graded = (how: string) => ({ id: 'graded', args: { how } });
      const rows: readonly [object, Partial<Run> | RegExp][] = [
        [
          { id: 'count', args: { word: 'abc', letter: 'a' } },
          { reward: 1, steps: 1 },
        ],
        [{ id: 'count' }, { reward: 0 }],
        [graded('float'), { reward: 0.25 }],
        [graded('true'), { reward: 1 }],
        [graded('int'), { reward: 1 }],
        [graded('result'), { reward: 0.5 }],
        [graded('dict'), { reward: 0.75 }],
        [graded('above'), { reward: 7.5 }],
        [graded('answer'), { reward: 1 }],
        [graded('failed'), /grade\(\) \(lab\.tasks\.jsonl:10:\d+\): the grade says that it failed: no disk/],
        [graded('bool in a dict'), /must be a finite number, and it is true/],
        [graded('no score'), /a dict missing a numeric 'score'/],
        [graded('text'), /task graded with str/],
        [graded('none'), /task graded with NoneType/],
        [graded('nan'), /non-finite score \(nan\)/],
        [graded('other'), /'other'/],
        [{ id: 'no_grade' }, { reward: 0 }],
        [{ id: 'no_prompt' }, /could not be started: its code raised an exception without a message/],
        [{ id: 'raises_setup' }, /could not be started: no such level\n(?:.*\n)*.*env\.py", line \d+, in raises_setup/],
        [{ id: 'raises_grade' }, /its code raised an exception without a message/],
        [{ id: 'count', args: { wrd: 'abc' } }, /bad args \['wrd'\]: got an unexpected keyword argument 'wrd'$/],
        [{ id: 'coun' }, /has no template “coun”\. Did you mean “count”\?/],
        [{ id: 'chatty' }, { reward: 1 }],
        [{ id: 'large' }, { reward: 1 }],
        [{ id: 'chat' }, { reward: 1 }],
        [{ ...graded('float'), verifier: { env: 'lab', id: 'verify' } }, { reward: 1.25 }],
        [{ ...graded('failed'), verifier: { env: 'lab', id: 'verify' } }, { reward: 2 }],
        [{ id: 'raises_grade', verifier: { env: 'lab', id: 'verify' } }, { reward: 2 }],
        [
          { id: 'count', verifier: { env: 'lab', id: 'raises_setup' } },
          /the verifier “raises_setup” could not be started: no such level$/,
        ],
        [{ id: 'count', verifier: { env: 'lab', id: 'verifi' } }, /has no template “verifi”\. Did you mean “verify”/],
        [{ id: 'count', verifier: { env: 'shop', id: 'audit', args: { least: 0 } } }, { reward: 1 }],
        [{ id: 'count', verifier: { env: 'shop', id: 'audit' } }, { reward: 0.125 }],
      ];
      const lines = rows.map(([row]) => JSON.stringify({ env: 'lab', ...row }));
      await writeFile(join(folder, 'lab.tasks.jsonl'), `${lines.join('\n')}\n`);
      await writeFile(join(folder, 'a.actions'), 'response("1")\n');
      const args = [
        'run',
        'lab.tasks.jsonl',
        '--agent',
        'replay:a.actions',
        '--concurrency',
        '4',
        '--json',
        '--verbose',
      ];
      const { out, err } = await start(args, folder).ended;
      const { runs } = JSON.parse(out) as { runs: readonly Run[] };

      expect(runs).toHaveLength(rows.length);
      for (const [index, [row, expected]] of rows.entries()) {
        const { status, reward, error, steps } = runs[index] as Run;
        const what = JSON.stringify(row);
        if (expected instanceof RegExp)
          expect([what, status, error?.message]).toEqual([what, 'error', expect.stringMatching(expected)]);
        else
          expect([what, { status, reward, steps, error }]).toEqual([
            what,
            { status: 'completed', steps: 1, error: null, ...expected },
          ]);
      }
      expect(err.match(/\[lab\] HUD_SERVE_PORT=/g)).toHaveLength(1);
      expect(err.match(/\[shop\] HUD_SERVE_PORT=/g)).toHaveLength(1);
      expect(err).toContain('[lab] to the log');

      const { out: shown } = await cli(['show', runs[5]?.trace_dir ?? ''], folder);
      expect(shown).toContain('half of it');
      expect(shown).toContain('a mess');
      const { out: failed } = await cli(['show', '--json', runs[19]?.trace_dir ?? ''], folder);
      expect(failed).toMatch(/env\.py\\", line \d+, in raises_grade/);
    },
    LIMIT,
  );

  it(
    'are run again if their environment is killed, and none is lost or run twice',
    async () => {
      await lab();
      const rows = Array.from({ length: 40 }, (_, number) => ({ number, ...(number === 20 ? { dies: 'once' } : {}) }));
      const lines = rows.map((args) => JSON.stringify({ env: 'lab', id: 'counted', args }));
      await writeFile(join(folder, 'lab.tasks.jsonl'), lines.join('\n'));
      await writeFile(join(folder, 'a.actions'), 'response("1")\n');
      const args = ['run', 'lab.tasks.jsonl', '--agent', 'replay:a.actions', '--concurrency', '4', '--json'];
      const { out, err } = await start(args, folder).ended;
      const { runs } = JSON.parse(out) as { runs: readonly Run[] };

      expect(runs.map(({ reward, error }) => error?.message ?? reward)).toEqual(rows.map(({ number }) => number));
      expect(new Set(runs.map(({ trace_dir }) => trace_dir)).size).toBe(40);
      expect(err).toMatch(/retrying: grade\(\) \(lab\.tasks\.jsonl:21:\d+\): .* closed the connection/);
    },
    LIMIT,
  );

  it(
    'tell how their environment ended, with its last output',
    async () => {
      await lab();
      const row = { env: 'lab', id: 'counted', args: { number: 1, dies: 'always' } };
      await writeFile(join(folder, 'a.task.json'), JSON.stringify(row));
      await writeFile(join(folder, 'a.actions'), 'response("1")\n');
      const { out } = await start(
        ['run', 'a.task.json', '--agent', 'replay:a.actions', '--retries', '0', '--json'],
        folder,
      ).ended;
      const { runs } = JSON.parse(out) as { runs: readonly Run[] };
      expect(runs).toMatchObject([{ status: 'error', reward: null, error: { code: 'environment_lost' } }]);
      expect(runs[0]?.error?.message).toMatch(
        /closed the connection\.\nThe HUD environment “lab” ended \(exit code 3\)\.\nLast output:\n[\s\S]*no more memory/,
      );
    },
    LIMIT,
  );

  it(
    'call the tools of their environment through its port',
    async () => {
      await lab();
      const validation = [{ name: 'add', arguments: { item: 'apple', count: 2 } }];
      await writeFile(join(folder, 'shop.task.json'), JSON.stringify({ env: 'shop', id: 'buy', validation }));
      const actions = [
        { name: 'add', arguments: { item: 'gold' } },
        { name: 'add', arguments: { count: 2 } },
        { name: 'add', arguments: { item: 'apple', count: 2 } },
        { name: 'look' },
      ];
      const lines = [...actions.map((action) => JSON.stringify(action)), 'response("done")'];
      await writeFile(join(folder, 'shop.actions'), `${lines.join('\n')}\n`);
      const args = ['run', 'shop.task.json', '--agent', 'replay:shop.actions', '--json'];
      const { out, err } = await cli(args, folder);
      const { runs } = JSON.parse(out) as { runs: readonly Run[] };

      expect(runs).toMatchObject([{ status: 'completed', reward: 1, steps: 5 }]);
      expect(err).toContain('Agents cannot use what the environment also offers: “robot” (openpi/0).');
      const steps = (await readFile(join(runs[0]?.trace_dir ?? '', 'trace.jsonl'), 'utf8')).split('\n').slice(2, 6);
      expect(steps.map((line) => JSON.parse(line))).toMatchObject([
        { error: { code: 'tool_error', message: expect.stringContaining('no gold left') } },
        { error: { code: 'invalid_action', message: expect.stringContaining('“item” is missing') } },
        { error: null, observation: { text: '2 in the cart' } },
        { error: null, observation: { screenshot: expect.stringMatching(/\.png$/) } },
      ]);
      const solved = await cli(['run', 'shop.task.json', '--json'], folder);
      expect(JSON.parse(solved.out)).toMatchObject({ runs: [{ status: 'completed', reward: 1, steps: 1 }] });
    },
    LIMIT,
  );

  it(
    'tell why the environment does not start, with its last output',
    async () => {
      const path = await lab();
      await writeFile(join(folder, 'a.task.json'), JSON.stringify({ env: 'lab', id: 'count' }));
      await writeFile(path, 'import nowhere_to_be_found\n');
      const { out } = await cli(['run', 'a.task.json', '--agent', 'noop', '--json'], folder);
      const { runs } = JSON.parse(out) as { runs: readonly Run[] };
      expect(runs).toMatchObject([{ status: 'error', reward: null, error: { code: 'start_failed' } }]);
      expect(runs[0]?.error?.message).toMatch(
        /The HUD environment “lab” ended \(exit code 1\)[\s\S]*No module named 'nowhere_to_be_found'/,
      );
    },
    LIMIT,
  );

  it(
    'get a new environment after a change of its code',
    async () => {
      const path = await lab();
      const placement = localPlacement({ serverProgram: join(dist, 'server.js'), log: () => {} });
      const given = task({ file: join(folder, 'a.task.json'), env: { type: 'hud', name: 'lab', template: 'count' } });
      const leases = [
        await placement.open(given, { progress: () => {} }),
        await placement.open(given, { progress: () => {} }),
      ];
      await writeFile(path, 'from hud import Environment\nenv = Environment(name="lab")\n');
      leases.push(await placement.open(given, { progress: () => {} }));
      const [one, again, changed] = leases.map(({ address }) => address);

      expect(again).toBe(one);
      expect(changed).not.toBe(one);
      await Promise.all(leases.map((lease) => lease.release()));
      await placement.dispose();
    },
    LIMIT,
  );
});

describe.skipIf(venv === null)('the control channel of HUD 0.6.21', () => {
  let server: StartedServer;
  /** Is there as long as the server. */
  let served = '';
  beforeAll(async () => {
    served = await mkdtemp(join(tmpdir(), 'taskwright-hud-'));
    folder = served;
    server = await startEnvServer({ hud: await lab(), name: 'lab', startMs: LIMIT, log: () => {} });
  }, LIMIT);
  afterAll(async () => {
    await server?.stop();
    await rm(served, { recursive: true, force: true });
  });

  it(
    'answers nobody without its secret, which no other program can look up',
    async () => {
      const { hostname, port, secret } = partsOf(server.address);
      const hello = '{"jsonrpc":"2.0","id":1,"method":"hello","params":{}}\n';
      const answer = async (text: string): Promise<string> => {
        const socket = connect({ host: hostname, port });
        socket.end(text);
        return (await socket.toArray()).join('');
      };
      expect(await answer(`${secret}\n${hello}`)).toContain('"session_id"');
      const others = ['', '\n', `${secret?.slice(1)}\n`, `${secret} \n\n`.toUpperCase(), 'a'.repeat(100_000)];
      for (const first of others) expect(await answer(`${first}${hello}${hello}`)).toBe('');
      const told = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${server.id}/${name}`, 'utf8'));
      expect(`${told.join('')}${server.logLines.lines.join('')}`).not.toContain(secret);
    },
    LIMIT,
  );

  it(
    'keeps the tasks of two sessions apart, and gives a task back to a session that connects again',
    async () => {
      const [one, two] = [await HudSession.open(server.address), await HudSession.open(server.address)];
      await one.start('count', { word: 'aa', letter: 'a' });
      await two.start('count', { word: 'a', letter: 'a' });
      one.drop();
      two.drop();
      expect(await one.grade('2')).toEqual({ score: 1 });
      expect(await two.grade('2')).toEqual({ score: 0 });
      await expect(one.grade('2')).rejects.toThrow(new RefusalError(-32_600, 'no task in progress'));
      await Promise.all([one.close(), two.close()]);
    },
    LIMIT,
  );

  it(
    'ends what a task does when it is cancelled',
    async () => {
      const session = await HudSession.open(server.address);
      await session.start('slow', {});
      const interrupted = new RefusalError(-32_000, 'tasks.cancel interrupted the task');
      await Promise.all([expect(session.grade(null)).rejects.toThrow(interrupted), session.cancel()]);
      await session.close();
    },
    LIMIT,
  );

  it(
    'has a client in a process that the next session gets',
    async () => {
      const { placement, mark } = place({ browserAhead: false });
      const environment = await placement.server();
      const given = task({ env: { type: 'hud', name: server.address, template: 'count' }, evaluate: [call('grade')] });
      const { session } = await environment.request('session.open', {});
      await environment.request('session.reset', { session, task: given, files: { folder: served }, seed: 0 });
      const graded = { session, call: call('grade'), limit_ms: LIMIT, response: '3' };
      expect(await environment.request('session.evaluate', graded)).toMatchObject({ value: 1 });
      const used = await allOf(mark, 'session');
      await environment.request('session.close', { session });
      expect(await allOf(mark, 'session')).toEqual(expect.arrayContaining(used));
    },
    LIMIT,
  );

  it(
    'takes requests and answers of up to 16 MiB',
    async () => {
      const channel = await ControlChannel.open(server.address);
      const word = 'a'.repeat(2 * 1024 * 1024);
      expect(await channel.request('tasks.start', { id: 'count', args: { word } })).toEqual({
        prompt: `How many r in ${word}?`,
      });
      await expect(channel.request('tasks.start', { id: 'large', args: { size: 16 * 1024 * 1024 } })).rejects.toThrow(
        /Control-channel response is 167\d+ bytes/,
      );
      await channel.close();
    },
    LIMIT,
  );

  it(
    'ends with its owner, even if that is killed',
    async () => {
      const options = { hud: join(folder, 'env.py'), name: 'lab', startMs: LIMIT };
      await lab();
      const id = await orphan(join(root, 'src', 'placement', 'hud', 'env-server.ts'), 'startEnvServer', options);
      await expect.poll(() => isAlive(id), { timeout: 60_000 }).toBe(false);
    },
    LIMIT,
  );
});
