import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { itLong } from '../../sample.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';
import { editor } from '../cli/debugging-editor.ts';
import { start } from '../cli/program.ts';
import { root } from '../programs.ts';
import { hasOpenEnv } from './openenv-server.ts';

/** A task in each environment, with its solution. Each environment is a folder of its name. */
const PEERS: readonly {
  readonly id: string;
  readonly gym?: Readonly<Record<string, Json>>;
  readonly evaluate: readonly Json[];
  readonly solution: readonly Json[];
}[] = [
  {
    // Takes one session at once.
    id: 'generated',
    evaluate: [
      { function: 'observation_matches', args: ['echoed_message', 'Hello there'] },
      { function: 'state_matches', args: ['step_count', 1] },
      { function: 'total_reward_at_least', args: [1] },
    ],
    solution: [{ message: 'Hello there' }],
  },
  {
    id: 'typed',
    gym: { reset: { episode_id: 'mine' } },
    evaluate: [
      { function: 'observation_matches', args: ['x', 3] },
      // The second action has a key too many, so the environment never got it.
      { function: 'state_matches', args: ['step_count', 2] },
    ],
    solution: [{ direction: 'RIGHT' }, { direction: 'RIGHT', stepps: 2 }, { direction: 'RIGHT', steps: 2 }],
  },
  {
    id: 'pictures',
    evaluate: [{ function: 'total_reward_at_least', args: [1] }],
    solution: [{ form: 'pixels' }, { form: 'data URL' }],
  },
  {
    id: 'tools',
    evaluate: [{ function: 'observation_matches', args: ['result.data', 42] }],
    solution: [{ type: 'list_tools' }, { type: 'call_tool', tool_name: 'add', arguments: { a: 41 } }],
  },
  {
    id: 'dataset',
    gym: { reset: { split: 'train', index: 4321 } },
    evaluate: [],
    solution: [{ number: 4322 }],
  },
  {
    id: 'maze',
    gym: { task: 'first-steps' },
    evaluate: [{ function: 'observation_matches', args: ['message', 'You are out.'] }],
    solution: ['DOWN', 'DOWN', 'RIGHT', 'RIGHT', 'RIGHT'].map((move) => ({ move })),
  },
  {
    id: 'chat',
    evaluate: [{ function: 'observation_matches', args: ['messages[-1].content', 'The lamp is broken.'] }],
    solution: [{ message: 'What is the number?' }, { message: 'What is wrong?' }],
  },
];

/** Runs of each task. */
const GROUP = 8;

/** A folder with all environments, their tasks, and their solutions. */
async function peers(): Promise<string> {
  const folder = await temporaryFolder();
  const init = ['-m', 'openenv.cli', 'init', 'generated', '-o', folder];
  await promisify(execFile)('python3', init, { env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' } });
  for (const name of ['typed', 'pictures', 'tools', 'dataset']) {
    await cp(join(root, 'test', 'fixtures', 'openenv', name), join(folder, name), { recursive: true });
  }
  for (const name of ['maze', 'chat']) {
    await cp(join(root, 'examples', 'openenv', name), join(folder, name), { recursive: true });
  }
  const rows = PEERS.map(({ id, gym, evaluate }) => ({
    id,
    prompt: 'Do it.',
    gym: { type: 'openenv', folder: `./${id}`, ...gym },
    evaluate,
  }));
  await writeFile(join(folder, 'peers.tasks.json'), JSON.stringify(rows, null, 2));
  for (const { id, solution } of PEERS) {
    await writeFile(join(folder, `${id}.actions`), solution.map((action) => JSON.stringify(action)).join('\n'));
  }
  await mkdir(join(folder, 'out'));
  return folder;
}

interface Run {
  readonly task_id: string;
  readonly reward: number | null;
  readonly status: string;
  readonly trace_dir: string;
}

describe.skipIf(!hasOpenEnv)('environments on the base classes of OpenEnv, and the one that it generates', () => {
  itLong(
    'are run four at once from one server each, judged, re-scored, and debugged',
    async () => {
      const folder = await peers();
      const args = [
        'run',
        'peers.tasks.json',
        '--group',
        String(GROUP),
        '--concurrency',
        '4',
        '--out',
        'out',
        '--json',
        '--verbose',
      ];
      const { code, out, err } = await start(args, folder).ended;
      const { runs } = JSON.parse(out) as { runs: readonly Run[] };
      const failed = runs.filter(({ reward }) => reward !== 1);

      expect(failed, err).toEqual([]);
      expect(code).toBe(0);
      expect(runs).toHaveLength(PEERS.length * GROUP);
      expect(err.match(/Started server process/g)).toHaveLength(PEERS.length);
      expect(err).not.toContain('ignored');

      const pictured = runs.find(({ task_id }) => task_id === 'pictures');
      const trace = await readFile(join(pictured?.trace_dir ?? '', 'trace.jsonl'), 'utf8');
      expect(trace.match(/"screenshot":"screens\//g)?.length).toBe(2);

      const again = await start(['rescore', dirname(runs[0]?.trace_dir ?? ''), '--json'], folder).ended;
      const rescored = JSON.parse(again.out) as readonly { task_id: string; old: number; new: number | null }[];
      expect(rescored.filter((one) => one.new !== one.old)).toEqual([]);
      expect(rescored.length).toBeGreaterThanOrEqual((PEERS.length - 1) * GROUP);

      const debugged = editor(folder);
      const file = join(folder, 'peers.tasks.json');
      const line =
        (await readFile(file, 'utf8')).split('\n').findIndex((text) => text.includes('"observation_matches"')) + 1;
      const stopped = await debugged.launch(
        { task: `${file}#generated` },
        { source: { path: file }, breakpoints: [{ line }] },
      );
      expect(stopped).toBe('observation_matches("echoed_message", "Hello there")');
      expect(await debugged.ask('observation_matches("message_length", 11)')).toMatch(/^1 /);
      expect(await debugged.ask('state_matches("step_count", 2)')).toMatch(/^0 /);
      const over = debugged.client.waitForEvent('terminated', 30_000);
      await debugged.client.continueRequest({ threadId: 1 });
      await over;
      await debugged.client.disconnectRequest();
      debugged.child.stdin.end();
      expect(await debugged.ended).toMatchObject({ code: 0 });
    },
    300_000,
  );
});
