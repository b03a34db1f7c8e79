import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ToolHost, useTool } from '../../../src/task-tools/tool.ts';
import { TASK_TOOLS } from '../../../src/task-tools/tools.ts';
import { taskwright } from '../../unit/cli/command-line.ts';
import { fileIn, temporaryFolder } from '../../unit/runs/tasks.ts';

/** What is in each file outside of the folder of the tools. */
const SECRET = 'mellow_plum_4711';

const TASK = { id: 'open', prompt: 'Which color is it?', gym: 'qa', evaluate: ['response_is', 'green'] };

let root: string;
let folder: string;
/** The command lines that were carried out. */
let lines: (readonly string[])[];
beforeEach(async () => {
  root = await temporaryFolder();
  folder = join(root, 'work');
  lines = [];
  await write('work/open.task.json', JSON.stringify(TASK));
});

/** Writes a file below the root. */
async function write(path: string, text: string): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  return await fileIn(root, path, text);
}

/** Puts a link to a file or folder outside into the folder. */
async function link(target: string, name: string): Promise<void> {
  await mkdir(dirname(join(folder, name)), { recursive: true });
  await symlink(join(root, target), join(folder, name));
}

/** What a tool answers with the real commands. */
async function answer(name: string, input: object): Promise<{ text: string; isError: boolean }> {
  const host: ToolHost = {
    folder,
    runOptions: [],
    run: async (args) => {
      lines.push(args);
      const { exit, out, err } = await taskwright(args, { cwd: folder });
      return { exit, out, notes: err };
    },
  };
  const tool = TASK_TOOLS.find((one) => one.name === name);
  if (tool === undefined) throw new Error(name);
  const { content, isError } = await useTool(tool, input, host, new AbortController().signal);
  return { text: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'), isError: isError === true };
}

function fail(message: string): never {
  throw new Error(message);
}

/** Each tool of tasks leaves a file out with this note, and works with the others. */
async function expectLeftOut(file: string, why: string, others = ['open.task.json']): Promise<void> {
  const note = `${file} is left out: ${why}`;
  for (const [name, input] of [
    ['list_tasks', {}],
    ['validate_tasks', {}],
    ['validate_tasks', { repair: 'likely' }],
    ['run_task', { address: '.', agent: 'noop' }],
  ] as const) {
    const { text } = await answer(name, input);
    expect(text, name).toContain(note);
    expect(text, name).not.toContain(SECRET);
    expect(lines.pop()?.slice(-others.length - 1), name).toEqual(['--', ...others]);
  }
  await expectRefused(
    ['list_tasks', { path: file }],
    ['validate_tasks', { path: file }],
    ['run_task', { address: file }],
  );
}

/** Tools refuse these inputs and carry nothing out. */
async function expectRefused(...uses: readonly (readonly [name: string, input: object])[]): Promise<void> {
  for (const [name, input] of uses) {
    const { text, isError } = await answer(name, input);
    expect([name, lines, isError]).toEqual([name, [], true]);
    expect(text, name).not.toContain(SECRET);
  }
}

describe('the tools of a coding agent do not follow', () => {
  it('a task file that is a link', async () => {
    await write('secret.tasks.json', JSON.stringify({ ...TASK, id: SECRET }));
    await link('secret.tasks.json', 'more.tasks.json');
    await expectLeftOut('more.tasks.json', 'it is a link out of');
  });

  it('a file that may contain tasks and is a link', async () => {
    await write('secret.py', `from hud import Task\n\ntask = Task(prompt="${SECRET}")\n`);
    await link('secret.py', 'tasks.py');
    await expectLeftOut('tasks.py', 'it is a link out of');
  });

  it('a solution that is a link', async () => {
    await write('work/more/more.task.json', JSON.stringify({ ...TASK, id: 'more' }));
    await write('secret.actions', `${SECRET}()\n`);
    await link('secret.actions', 'more/more.actions');
    await expectLeftOut('more/more.task.json', 'more.actions next to it is a link out of');
    await expectRefused(['validate_tasks', { path: 'more/more.actions' }]);
  });

  it.each(['own.functions.ts', 'own.functions.py', 'env.py'])('the code %s that is a link', async (name) => {
    await write('work/more/more.task.json', JSON.stringify({ ...TASK, id: 'more', evaluate: ['mellow_plum', 1] }));
    await write('secret', name.endsWith('.ts') ? `export function ${SECRET}() {}` : `def ${SECRET}(page): return 1\n`);
    await link('secret', `more/${name}`);
    await expectLeftOut('more/more.task.json', `${name} next to it is a link out of`);
  });

  it.each([
    ['is a link', { env: 'lab' }, 'env.py', 'lab/env.py'],
    ['is in a folder that is a link', { env: 'lab' }, '.', 'lab'],
    ['grades and is a link', { env: 'a', verifier: { env: 'lab', id: 'b' } }, 'env.py', 'lab/env.py'],
  ])('the code of an environment of HUD that %s', async (_, named, target, name) => {
    await write('outside/env.py', `# ${SECRET}\n`);
    await link(join('outside', target), join('more', name));
    await write('work/more/more.task.json', JSON.stringify({ id: 'ask', args: {}, ...named }));
    await expectLeftOut('more/more.task.json', 'it runs lab/env.py, which is outside of');
  });

  it('the code of an environment of HUD in a folder above', async () => {
    await write('env.py', `# ${SECRET}\n`);
    await write('work/above.task.json', JSON.stringify({ id: 'ask', args: {}, env: '..' }));
    await expectLeftOut('above.task.json', 'it runs ../env.py, which is outside of');
  });

  it.each([
    ['a link', 'from shared import SECRET', 'shared/__init__.py'],
    ['a relative import', 'from ...shared import SECRET', '../../shared/__init__.py'],
  ])('a Python module outside, through %s', async (_, imports, module) => {
    await write('shared/__init__.py', `from hud import Task\nSECRET = "${SECRET}"\n`);
    await link('shared', 'more/shared');
    await write('work/more/tasks.py', `from hud import Task\n${imports}\ntask = Task(prompt=SECRET)\n`);
    await expectLeftOut('more/tasks.py', `it imports ${module}, which is outside of`);
  });

  it.each([
    ['a folder above', { type: 'coding', folder: '../../outside' }],
    ['an absolute folder', { type: 'coding', folder: '/etc' }],
    ['a link to a folder', { type: 'coding', folder: 'outside' }],
    ['a repository', { type: 'coding', git: '../../outside', commit: 'main' }],
    ['a repository by its URL', { type: 'coding', git: 'file:///etc', commit: 'main' }],
    ['the folder of an OpenEnv environment', { type: 'openenv', folder: '../../outside' }],
    ['a build context', { type: 'docker', image_uri: '../../outside' }],
  ])('the path of a task to %s', async (_, gym) => {
    await write(`outside/${SECRET}.task.json`, '{}');
    await link('outside', 'more/outside');
    await write('work/more/more.task.json', JSON.stringify({ ...TASK, id: 'more', gym }));
    await expectLeftOut('more/more.task.json', 'it names “');
  });

  it('an id that would be searched among them', async () => {
    await write('secret.tasks.json', JSON.stringify({ ...TASK, id: SECRET }));
    await link('secret.tasks.json', 'more.tasks.json');
    await expectRefused(['run_task', { address: SECRET, agent: 'noop' }], ['list_tasks', { path: SECRET }]);
  });

  it('a folder of runs that is a link', async () => {
    await mkdir(join(root, 'runs'));
    await link('runs', '.taskwright');
    await expectRefused(['run_task', { address: 'open.task.json', agent: 'noop' }]);
  });

  it.each(['trace.jsonl', 'run.json', 'screens'])('%s of a run that is a link', async (name) => {
    const { text } = await answer('run_task', { address: 'open.task.json', agent: 'noop' });
    const run = /open: (\S+)/.exec(text)?.[1] ?? fail(text);
    lines = [];
    await write('secret', SECRET);
    const job = dirname(run);
    await mkdir(join(folder, job, 'linked'));
    await symlink(join(root, 'secret'), join(folder, job, 'linked', name));
    for (const path of [job, join(job, 'linked')]) {
      await expectRefused(['read_run', { run: path }], ['read_run', { run: path, step: 0, picture: true }]);
      await expectRefused(['rescore_runs', { run: path }]);
    }
  });

  it('the task of a run outside', async () => {
    const { text } = await answer('run_task', { address: 'open.task.json', agent: 'noop' });
    const run = join(folder, /open: (\S+)/.exec(text)?.[1] ?? fail(text), 'trace.jsonl');
    const secret = await write('secret.task.json', JSON.stringify({ ...TASK, evaluate: ['response_is', SECRET] }));
    const trace = (await readFile(run, 'utf8')).replaceAll(join(folder, 'open.task.json'), secret);
    await writeFile(run, trace);
    lines = [];
    await expectRefused(['rescore_runs', { run: dirname(run) }], ['rescore_runs', { run: dirname(dirname(run)) }]);
  });
});
