import { execFileSync } from 'node:child_process';
import { linkSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { openRun } from '../../../src/traces/store.ts';
import type { Run } from '../../../src/traces/trace.ts';
import { start } from '../../system/cli/program.ts';
import { temporaryFolder } from '../../unit/runs/tasks.ts';

/** What an agent that finds it has learned. */
const ANSWER = 'mellow-plum-4711';

let folder: string;
beforeEach(async () => {
  folder = await temporaryFolder();
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** Runs a task file with an agent of TypeScript. Returns all that was recorded of what the agent got. */
async function learned(file: string, agent: string): Promise<string> {
  write('spy.mjs', `const actions = ${agent}; let step = 0; export default () => actions[step++] ?? null;`);
  const { out, err } = await start(['run', file, '--agent', 'module:spy.mjs', '--out', 'traces', '--json'], folder)
    .ended;
  const { runs } = JSON.parse(out) as { runs: Run[] };
  expect(runs[0]?.status, err).toBe('completed');
  const steps = await (await openRun(runs[0]?.trace_dir ?? '')).steps();
  return JSON.stringify(
    steps
      .filter(({ source }) => source !== 'evaluate')
      .map(({ observation, info, error }) => [observation, info, error]),
  );
}

const evaluate = { function: 'response_is', args: [ANSWER] };
const CODING = { id: 'find', prompt: 'Find it.', evaluate };
/** Reads all that a folder holds, its history and everything that git still keeps. */
const SEARCH = `[
  "run('cat * .* */* 2>/dev/null; env')",
  "run('git log --all -p --no-color; for o in $(git cat-file --batch-all-objects --batch-check 2>/dev/null | cut -d\\\\  -f1); do git cat-file -p $o; done')",
  "run('git fsck --lost-found; git cat-file -p FETCH_HEAD; cat .git/FETCH_HEAD')",
]`;

describe.each([
  ['JSON', 'questions.json', (gym: object) => JSON.stringify([{ ...CODING, gym }])],
  [
    'Python',
    'hudtasks.py',
    (gym: object) =>
      `from hud.task import Task\ntasks = [Task(id="find", prompt="Find it.", gym=${JSON.stringify(gym)}, evaluate=("response_is", "${ANSWER}"))]\n`,
  ],
])('a coding task in the folder of its own task file (%s)', (_, file, text) => {
  const lay = (gym: object): void => {
    write(file, text(gym));
    write('find.actions', `response('${ANSWER}')\n`);
    write('known.functions.ts', `export const known = '${ANSWER}';\n`);
    write('readme.md', 'hello\n');
    linkSync(join(folder, file), join(folder, 'hard-link.txt'));
    symlinkSync(file, join(folder, 'link.txt'));
  };

  it('gets a copy without the task file, its solution, and functions', async () => {
    lay({ type: 'coding', folder: '.' });
    const seen = await learned(file, SEARCH);
    expect(seen).toContain('hello');
    expect(seen).not.toContain(ANSWER);
  });

  it('gets a commit without them, also from under other names and from what git keeps', async () => {
    lay({ type: 'coding', git: '.' });
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: folder });
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'All');
    renameSync(join(folder, file), join(folder, 'renamed.txt'));
    git('add', '.');
    git('commit', '-q', '-m', 'Renamed');
    renameSync(join(folder, 'renamed.txt'), join(folder, file));
    const seen = await learned(file, SEARCH);
    expect(seen).toContain('hello');
    expect(seen).not.toContain(ANSWER);
  });
});

it('a page and an upload do not get a task file by any name', async () => {
  const gym = { type: 'hud-browser' };
  const start =
    '<input type=file id=f><pre id=out></pre><script>f.onchange = async () => { out.textContent += await f.files[0].text() }</script>';
  write('page.html', start);
  write('questions.json', JSON.stringify([{ id: 'find', prompt: 'Find it.', gym, start_url: '/page.html', evaluate }]));
  linkSync(join(folder, 'questions.json'), join(folder, 'hard-link.json'));
  symlinkSync('questions.json', join(folder, 'link.json'));
  write('page-data.json', '"served"');
  const names = [
    'questions.json',
    'QUESTIONS.JSON',
    'hard-link.json',
    'link.json',
    './questions.json',
    'spy.mjs',
    'find.actions',
  ];
  const actions = [
    ...names.map((name) => `upload_file('#f', '${name}')`),
    ...[...names, 'page-data.json', '%71uestions.json', 'questions%2ejson'].map(
      (name) => `goto('http://task.localhost/${name}')`,
    ),
  ];
  const seen = await learned('questions.json', JSON.stringify(actions));
  expect(seen).toContain('served');
  expect(seen).not.toContain(ANSWER);
});
