import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { KnownFile } from '../../../src/environments/known-file.ts';

/** Stands in every file that must not reach an agent. */
export const ANSWER = 'the-answer-42';

const TASK = (id: string) =>
  JSON.stringify([{ id, prompt: 'Answer.', gym: 'qa', evaluate: ['response_is', ANSWER] }], null, 1);
const PYTHON_TASK = `from hud import Task\n\ntask = Task(prompt="Answer.", gym="qa", evaluate=("response_is", "${ANSWER}"))\n`;

/** Files that a run knows, none of them with a telling name, and files that an agent may have. */
const FILES = {
  'questions.json': TASK('a'),
  'others.json': TASK('b'),
  'hudtasks.py': PYTHON_TASK,
  '__pycache__/hudtasks.cpython-313.pyc': PYTHON_TASK,
  'shop.task.json': TASK('c'),
  'a.actions': `respond('${ANSWER}')\n`,
  'steps.js': `// respond('${ANSWER}')\n`,
  'shop.functions.ts': `// ${ANSWER}\n`,
  'lib/check.js': `// ${ANSWER}\n`,
  'robot.js': `// ${ANSWER}\n`,
  'shop.agent.mjs': `// ${ANSWER}\n`,
  'recorded/job/run/trace.jsonl': JSON.stringify({ task: ANSWER }),
  '.taskwright/jobs/job/run/trace.jsonl': ANSWER,
  'index.html': '<p>Hello</p>',
  'data.json': '{"items": []}',
  'src/main.py': 'print("hello")\n',
  'src/user.agent.js': 'export const name = "a class of the project";\n',
  'src/deploy.tasks.yml': '- name: Deploy\n  hosts: all\n',
} as const;

/** What an agent may have of these files. */
export const ALLOWED = ['data.json', 'index.html', 'src/deploy.tasks.yml', 'src/main.py', 'src/user.agent.js'];

/** A folder with these files, and with other names of those that are withheld. */
export function workspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'taskwright-withheld-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(FILES)) write(folder, path, text);
  symlinkSync(join(folder, 'lib/check.js'), join(folder, 'linked.functions.js'));
  for (const [from, to] of Object.entries(LINKS)) {
    mkdirSync(dirname(join(folder, to)), { recursive: true });
    linkSync(join(folder, from), join(folder, to));
    const symbolic = to.replace(/(\.\w+)$/, '-symbolic$1');
    symlinkSync(join(folder, from), join(folder, symbolic));
  }
  return folder;
}

/** Another name for each file that the run knows. */
const LINKS = {
  'questions.json': 'pages/one.json',
  'hudtasks.py': 'pages/two.html',
  'a.actions': 'pages/three.html',
  'steps.js': 'pages/four.js',
  'shop.functions.ts': 'pages/five.js',
  'lib/check.js': 'pages/six.js',
  'robot.js': 'pages/seven.js',
  'recorded/job/run/trace.jsonl': 'pages/eight.json',
  'shop.task.json': 'pages/nine.json',
  'shop.agent.mjs': 'pages/ten.mjs',
} as const;

/** What a run knows of the folder: the files of its job, its solution, a file that its agent replays, its agent, runs. */
export function known(folder: string): KnownFile[] {
  return [
    { path: join(folder, 'questions.json'), role: 'task' },
    { path: join(folder, 'others.json'), role: 'task' },
    { path: join(folder, 'hudtasks.py'), role: 'task' },
    { path: join(folder, 'a.actions'), role: 'solution' },
    { path: join(folder, 'steps.js'), role: 'solution' },
    { path: join(folder, 'robot.js'), role: 'agent' },
    { path: join(folder, 'recorded'), role: 'trace' },
  ];
}

/** Every path of the folder that must not reach an agent, as an agent could write it. */
export function attempts(): string[] {
  const names = [...Object.keys(FILES).filter((path) => !ALLOWED.includes(path)), 'linked.functions.js'];
  const links = Object.values(LINKS).flatMap((path) => [path, path.replace(/(\.\w+)$/, '-symbolic$1')]);
  return [...names, ...links].flatMap((path) => [path, `./${path}`, `lib/../${path}`, path.toUpperCase()]);
}

/** Makes the folder a repository with everything in it committed. */
export function commitAll(folder: string): void {
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  git('init', '-q', '-b', 'main');
  git('add', '-A', '-f', '.');
  git('commit', '-q', '-m', 'All');
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
