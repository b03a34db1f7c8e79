import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';
import { start } from './program.ts';

/** What Node prints: `(node:12) ExperimentalWarning: …`. */
const WARNING = /\(node:\d+\)|Warning:/;

it('No command prints a warning of Node, with or without its compile cache', async () => {
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
  const said = async (...args: string[]) => {
    const { out, err, code } = await start(args, cwd, cache).ended;
    return { code, warnings: `${out}${err}`.split('\n').filter((line) => WARNING.test(line)) };
  };
  const fine = { code: 0, warnings: [] };
  for (const makesCache of [true, false]) {
    const jobs = makesCache ? 'first' : 'second';
    expect(await said('run', 'a.task.json', '--out', jobs), 'run').toEqual(fine);
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
      expect(await said(...args), args.join(' ')).toEqual(fine);
    }
    expect((await said('doctor')).warnings).toEqual([]);
  }
});
