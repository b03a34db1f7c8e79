import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActionInput } from '../../../src/actions/action.ts';
import { CodingEnvironment } from '../../../src/environments/coding/environment.ts';
import { task } from '../../unit/runs/tasks.ts';
import { ALLOWED, ANSWER, commitAll, known, workspace } from './workspace.ts';

/** A coding task in `questions.json` that begins with this. */
async function start(folder: string, gym: Readonly<Record<string, string>>) {
  const log: string[] = [];
  const environment = new CodingEnvironment((text) => log.push(text));
  onTestFinished(() => environment.close());
  const files = { folder, withheld: known(folder) };
  const asked = task({ file: join(folder, 'questions.json'), env: { type: 'coding', ...gym } });
  const { observation } = await environment.reset({ task: asked, files, seed: 0 });
  const step = async (action: ActionInput) => (await environment.step([action])).observation.text ?? '';
  const { workspace: work } = environment.functionContext();
  return { listed: observation.text ?? '', step, log, folder: work?.folder ?? '' };
}

const LISTING = `Files:\n${ALLOWED.join('\n')}`;

describe('a coding task whose folder is the folder of the tasks', () => {
  it('begins without files that the run knows, and says so in the log', async () => {
    const { listed, step, log } = await start(workspace(), { folder: '.' });
    expect(listed).toBe(LISTING);
    expect(await step(`run("grep -rl ${ANSWER} .; true")`)).not.toContain('./');
    expect(log).toEqual([expect.stringMatching(/^Withheld from the agent: .*others\.json \(a task file\)/)]);
  });

  it('begins without a history that holds them', async () => {
    const folder = workspace();
    commitAll(folder);
    const { listed, folder: work } = await start(folder, { folder: '.' });
    expect(listed).toBe(LISTING);
    expect(readdirSync(work)).not.toContain('.git');
  });

  it('keeps the history of a project that has nothing to do with them', async () => {
    const folder = workspace();
    commitAll(join(folder, 'src'));
    const { folder: work } = await start(folder, { folder: 'src' });
    expect(readdirSync(work)).toContain('.git');
  });
});

describe('a coding task that begins with the repository of the tasks', () => {
  it.each(['path', 'address', 'copy elsewhere'])(
    'gets neither files nor objects that hold them: by %s',
    async (way) => {
      const folder = workspace();
      commitAll(folder);
      const copy = workspace();
      commitAll(copy);
      const git = { path: '.', address: `file://${folder}`, 'copy elsewhere': `file://${copy}` }[way] ?? '';
      const { listed, step } = await start(folder, { git });
      expect(listed).toBe(LISTING);
      const all = await step(
        `run("git cat-file --batch-all-objects --batch --unordered | grep -a -c ${ANSWER}; git log --format=%s; git status --short")`,
      );
      expect(all).toContain('\n0\nAll\n[exit code 0]');
      expect(await step(`run("grep -rl ${ANSWER} . | wc -l")`)).toContain('\n0\n');
    },
  );
});
