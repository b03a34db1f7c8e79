import { readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { runCommands } from '../../../src/editor/commands/runs.ts';
import { runTask } from '../../../src/runs/run/runner.ts';
import { listJobs } from '../../../src/traces/store.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { task, temporaryFolder } from '../runs/tasks.ts';

// Other test files of the worker load the same modules with a `vscode` of their own.
vi.hoisted(() => vi.resetModules());
afterAll(() => void vi.resetModules());

const { questions, answers } = vi.hoisted(() => ({ questions: [] as string[], answers: [] as string[] }));

vi.mock('vscode', () => ({
  Uri: { file: (path: string) => ({ path }) },
  window: {
    showWarningMessage: async (question: string) => {
      questions.push(question);
      return answers.shift();
    },
  },
  workspace: { fs: { delete: async ({ path }: { path: string }) => rm(path, { recursive: true }) } },
}));

let root = '';
beforeEach(async () => {
  root = await temporaryFolder();
  questions.length = 0;
  answers.length = 0;
});

/** Records a run of the task `shop`; returns its folder. */
async function recorded(runId: string): Promise<string> {
  const plan = { task: task(), agent: 'noop', seed: 0, jobId: 'job', groupId: 'g', runId, out: root, cwd: root };
  await runTask(plan, new FakePlacement(), () => {}, new AbortController().signal);
  return join(root, 'job', runId);
}

async function deleteRun(traceDir: string): Promise<void> {
  const jobs = await listJobs(root);
  const history = { jobs, entries: jobs.flatMap(({ runs }) => runs), refresh: () => {} };
  await runCommands({ history } as never)['taskwright.deleteRun']({ traceDir });
}

it('deletes a run that cannot be read, if the user confirms it', async () => {
  const [broken, whole] = [await recorded('shop-1'), await recorded('shop-2')];
  await writeFile(join(broken, 'trace.jsonl'), '');
  await deleteRun(broken);
  expect(await readdir(dirname(broken))).toEqual(['shop-1', 'shop-2']);
  answers.push('Move to Trash');
  await deleteRun(broken);
  expect(await readdir(dirname(broken))).toEqual(['shop-2']);
  answers.push('Move to Trash');
  await deleteRun(whole);
  expect(await readdir(root)).toEqual([]);
  const question = 'Delete the run “shop-1”, which cannot be read?';
  expect(questions).toEqual([question, question, expect.stringMatching(/^Delete this run of “/)]);
});

it('deletes nothing that is not in the list of runs', async () => {
  await recorded('shop-1');
  await deleteRun(join(root, 'job'));
  expect(questions).toEqual([]);
});

it('is in the menu of runs that ended or cannot be read', () => {
  const entries = manifest.contributes.menus['view/item/context'].filter(
    ({ command }) => command === 'taskwright.deleteRun',
  );
  expect(entries.map(({ group }) => group)).toEqual(['inline@1', '9_delete@1']);
  for (const { when } of entries) {
    const patterns = [...when.matchAll(/viewItem =~ \/(.*?)\/(?= |$)/g)].map(([, pattern = '']) => new RegExp(pattern));
    const isShown = (context: string) => patterns.every((pattern) => pattern.test(context));
    expect(['run ended', 'run unreadable', 'run running', 'job ended'].filter(isShown)).toEqual([
      'run ended',
      'run unreadable',
    ]);
  }
});
