import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { itLong } from '../../sample.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { start } from './program.ts';

/** What Node prints: `(node:12) ExperimentalWarning: …`. */
const WARNING = /\(node:\d+\)|Warning:/;

/** A folder with a task that a function of its own judges, and how to run commands in it with a compile cache of its own. */
async function prepared() {
  const cwd = await temporaryFolder();
  await fileIn(
    cwd,
    'mine.functions.ts',
    'export const mine = ({ response }: { response: string }) => response === "yes";\n',
  );
  const task = { id: 'a', prompt: 'p', gym: 'qa', evaluate: [['response_is', 'yes'], ['mine']] };
  await fileIn(cwd, 'a.task.json', JSON.stringify(task));
  await fileIn(cwd, 'a.actions', "response('yes')\n");
  const cache = { XDG_CACHE_HOME: join(cwd, 'cache') };
  const said = async (...args: readonly string[]) => {
    const { out, err, code } = await start(args, cwd, cache).ended;
    return { code, warnings: `${out}${err}`.split('\n').filter((line) => WARNING.test(line)) };
  };
  return { cwd, said };
}

const FINE = { code: 0, warnings: [] };

/** The first run writes the cache, and the second reads it. */
const JOBS = ['first', 'second'];

it('A run prints no warning of Node, with or without its compile cache', async () => {
  const { said } = await prepared();
  for (const jobs of JOBS) expect(await said('run', 'a.task.json', '--out', jobs)).toEqual(FINE);
});

itLong('No other command prints a warning of Node, with or without its compile cache', async () => {
  const { cwd, said } = await prepared();
  for (const jobs of JOBS) {
    expect(await said('run', 'a.task.json', '--out', jobs), 'run').toEqual(FINE);
    const [job = ''] = await readdir(join(cwd, jobs));
    const [run = ''] = (await readdir(join(cwd, jobs, job))).filter((name) => name.startsWith('a-'));
    const trace = join(jobs, job, run);
    for (const args of [
      ['--version'],
      ['--help'],
      ['list', '.'],
      ['validate', '.'],
      ['show', trace],
      ['rescore', trace, '--every-step'],
      ['image', '--help'],
      ['dap'],
    ]) {
      expect(await said(...args), args.join(' ')).toEqual(FINE);
    }
    expect((await said('doctor')).warnings).toEqual([]);
  }
});
