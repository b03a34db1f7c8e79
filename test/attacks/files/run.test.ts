import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runTask } from '../../../src/runs/run/runner.ts';
import { loadTaskFile } from '../../../src/tasks/discover.ts';
import type { EnvironmentSpec, Task } from '../../../src/tasks/task.ts';
import { openRun } from '../../../src/traces/store.ts';
import { dist } from '../../system/programs.ts';
import { place } from '../../system/server/harness.ts';
import { fileIn } from '../../unit/runs/tasks.ts';
import { ANSWER, workspace } from './workspace.ts';

/** Runs a task of `questions.json` with an agent that gives these answers; records into the folder of the tasks. */
async function run(folder: string, of: Partial<Task>, answers: readonly string[]) {
  const { rows } = await loadTaskFile(join(folder, 'questions.json'));
  const read = rows[0]?.task;
  if (!read) throw new Error('the task cannot be read');
  const agent = `const answers = ${JSON.stringify(answers)};\nexport default () => answers.shift() ?? null;\n`;
  // What this run does not know.
  for (const path of ['steps.js', 'recorded', 'pages/four.js', 'pages/eight.json', 'pages/seven.js', 'robot.js']) {
    rmSync(join(folder, path), { recursive: true });
  }
  await fileIn(folder, 'robot.js', `${agent}// ${ANSWER}\n`);
  const { placement } = place();
  const record = await runTask(
    {
      task: { ...read, evaluate: [], ...of },
      agent: 'module:robot.js',
      seed: 0,
      jobId: 'job-1',
      groupId: 'g',
      runId: 'run-1',
      out: join(folder, 'results'),
      cwd: folder,
      agentProgram: join(dist, 'agent.js'),
      taskFiles: [join(folder, 'questions.json'), join(folder, 'others.json')],
    },
    placement,
    () => {},
    new AbortController().signal,
  );
  const steps = await (await openRun(record.trace_dir ?? '')).steps();
  return { record, steps: steps.filter(({ source }) => source === 'agent') };
}

const KNOWN = [
  'questions.json',
  'others.json',
  'hudtasks.py',
  'a.actions',
  'robot.js',
  'results/job-1/run-1/trace.jsonl',
];

it('an agent in a browser can neither upload nor open what its run knows', async () => {
  const folder = workspace();
  const env: EnvironmentSpec = { type: 'hud-browser' };
  const html = '<input type=file id=file><pre id=text></pre>';
  const uploads = KNOWN.map((path) => `upload_file('#file', '${path}')`);
  const { steps } = await run(folder, { env, initial_state: { html }, max_steps: 99 }, [
    ...uploads,
    ...KNOWN.map((path) => `goto('${path}?x=1')`),
  ]);
  expect(steps.slice(0, KNOWN.length).map(({ error }) => error?.code)).toEqual(KNOWN.map(() => 'upload_refused'));
  expect(steps).toHaveLength(2 * KNOWN.length);
  for (const { observation } of steps) expect(observation?.text).not.toContain(ANSWER);
});

it('an agent in a copy of the folder of the tasks finds nothing that its run knows', async () => {
  const folder = workspace();
  const env: EnvironmentSpec = { type: 'coding', folder: '.' };
  const { steps } = await run(folder, { env }, [`run("grep -rl ${ANSWER} . | wc -l; ls")`]);
  const text = steps[0]?.observation?.text ?? '';
  expect(text).toContain('\n0\n');
  expect(text).not.toContain('results');
  expect(text).toContain('index.html');
  expect(readdirSync(folder)).toContain('results');
});
