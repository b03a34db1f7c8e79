import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findCustomTasks } from '../../../src/functions/user/custom-tasks.ts';
import { taskModule } from '../../../src/functions/user/task-module.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-custom-'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

const read = (file: string): Promise<string | null> => readFile(file, 'utf8').catch(() => null);

/** What is found in a folder with these files. */
async function found(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return findCustomTasks(folder, read);
}

const METHODS = 'html() { return ""; } reward() { return 0; } done() { return false; }';
const whole = (name: string, more = ''): string => `class ${name} extends CustomBrowserTask { ${METHODS} ${more} }`;

describe('custom tasks that a functions file registers', () => {
  it('are read with the class, its comment, and its range', async () => {
    const text = `import { CustomBrowserTask, registerCustomTask } from 'taskwright';
/** Copy a note. */
export default ${whole('CopyNote')}
registerCustomTask('copy-note', CopyNote);
`;
    const { tasks, complete } = await found({ 'notes.functions.ts': text });

    expect(complete).toBe(true);
    expect([...tasks.values()]).toEqual([
      {
        name: 'copy-note',
        file: join(folder, 'notes.functions.ts'),
        range: { start: { line: 2, character: 21 }, end: { line: 2, character: 29 } },
        nameRange: { start: { line: 3, character: 20 }, end: { line: 3, character: 29 } },
        class: 'CopyNote',
        doc: 'Copy a note.',
        python: false,
        wrong: null,
        hasGoal: false,
      },
    ]);
  });

  it.each([
    ['a class in place', `registerCustomTask('x', class extends CustomBrowserTask { ${METHODS} });`, null],
    ['a class that is whole', `${whole('X')} registerCustomTask('x', X);`, null],
    [
      'one of another class here',
      `abstract class Base<T> extends CustomBrowserTask<{ n: T }> { abstract html(): string; reward() { return 0; } }
       class X extends Base<number> { override async html(): Promise<string> { return ''; }\n done = () => true; }
       registerCustomTask('x', X);`,
      null,
    ],
    ['one that comes from elsewhere', `import { X } from 'cards'; registerCustomTask('x', X);`, null],
    [
      'a method that is missing',
      `class X extends CustomBrowserTask { reward() { const html = () => 1; return html(); } done() {} }
       registerCustomTask('x', X);`,
      'has no method html()',
    ],
    [
      'a method that only the class itself has',
      `class X extends CustomBrowserTask { static html() {} reward() {} done() {} } registerCustomTask('x', X);`,
      'has no method html()',
    ],
    [
      'an abstract method that nobody fills in',
      `class X extends CustomBrowserTask { abstract html(): string; reward() {} done() {} } registerCustomTask('x', X);`,
      'has no method html()',
    ],
    [
      'a class from a mixin',
      `class X extends Scored(CustomBrowserTask) { html() {} } registerCustomTask('x', X);`,
      null,
    ],
    [
      'another kind of class',
      `class X { ${METHODS} } registerCustomTask('x', X);`,
      'does not extend CustomBrowserTask',
    ],
  ])('%s', async (_, text, wrong) => {
    const { tasks } = await found({ 'x.functions.ts': text });
    expect([...tasks.values()].map((one) => [one.name, one.wrong])).toEqual([['x', wrong]]);
  });

  it('have a goal if the class defines one', async () => {
    const text = `${whole('A', 'goal() { return "Go"; }')} registerCustomTask('a', A);
      ${whole('B')} registerCustomTask('b', B);
      import { C } from 'cards'; registerCustomTask('c', C);`;
    const { tasks } = await found({ 'x.functions.ts': text });
    expect([...tasks.values()].map((one) => one.hasGoal)).toEqual([true, false, null]);
  });

  it.each([
    ['a computed name', 'for (const name of names) registerCustomTask(name, X);'],
    ['a place that may not be reached', "if (today) { registerCustomTask('x', X); }"],
    ['another file that may register more', "import './more.ts';"],
  ])('are not all known with %s', async (_, text) => {
    expect((await found({ 'x.functions.ts': text })).complete).toBe(false);
  });

  it('do not include calls in comments and strings', async () => {
    const text = `// registerCustomTask('a', A)\nexport const words = "registerCustomTask('b', B)";`;
    const { tasks, complete } = await found({ 'x.functions.ts': text });
    expect([tasks.size, complete]).toEqual([0, true]);
  });
});

describe('classes in Python', () => {
  it('are found by their registrations, after those in TypeScript', async () => {
    const { tasks } = await found({
      'custom_tasks.py': `register_custom_task("login", Login)\n\n@register_custom_task('copy')\nclass Copy(Base):\n  pass\n`,
      'x.functions.ts': `${whole('X')} registerCustomTask('copy', X);`,
    });
    expect([...tasks.values()].map((one) => [one.name, one.python, one.range.start])).toEqual([
      ['copy', false, { line: 0, character: 6 }],
      ['login', true, { line: 0, character: 21 }],
    ]);
  });

  const BODY =
    'def _get_task_url(self): pass\n  def _calculate_reward(self, d, a, e): pass\n  def _check_done(self, d): pass';

  it('are read with the class, its docstring, and its range', async () => {
    const text = `from .custom_base import CustomBrowserGymEnvironment as Base
from .custom_tasks import register_custom_task

NAME = "copy"

class CopyTask(Base):
  """Copy a text.

  With care.
  """
  ${BODY}

register_custom_task(NAME, CopyTask)
`;
    const { tasks, complete } = await found({ 'copy.py': text });
    expect(complete).toBe(true);
    expect([...tasks.values()]).toEqual([
      {
        name: 'copy',
        file: join(folder, 'copy.py'),
        range: { start: { line: 5, character: 6 }, end: { line: 5, character: 14 } },
        nameRange: { start: { line: 3, character: 8 }, end: { line: 3, character: 12 } },
        class: 'CopyTask',
        doc: 'Copy a text.\n\nWith care.',
        python: true,
        wrong: null,
        hasGoal: false,
      },
    ]);
  });

  it.each([
    ['a whole class', `class X(CustomBrowserGymEnvironment):\n  ${BODY}`, null, false],
    [
      'a page as HTML',
      `class X(a.b.CustomBrowserGymEnvironment):\n  ${BODY.replace('_task_url', '_html_content')}`,
      null,
      false,
    ],
    [
      'a goal',
      `class X(CustomBrowserGymEnvironment):\n  ${BODY}\n  async def _get_goal_description(self): pass`,
      null,
      true,
    ],
    [
      'methods of another class here',
      `class B(CustomBrowserGymEnvironment):\n  ${BODY}\nclass X(B): pass`,
      null,
      false,
    ],
    ['a class from elsewhere', 'from cards import X', null, null],
    ['a mixin from elsewhere', `class X(Scored, CustomBrowserGymEnvironment): pass`, null, null],
    ['another kind of class', `class X:\n  ${BODY}`, 'does not extend CustomBrowserGymEnvironment', false],
    [
      'no page',
      `class X(CustomBrowserGymEnvironment):\n  ${BODY.replace('_get_task_url', 'url')}`,
      'has no method _get_html_content() or _get_task_url()',
      false,
    ],
    [
      'a method that is missing',
      `class X(CustomBrowserGymEnvironment):\n  ${BODY.replace('_check_done', 'done')}`,
      'has no method _check_done()',
      false,
    ],
  ])('are checked: %s', async (_, text, wrong, hasGoal) => {
    const { tasks } = await found({ 'x.py': `${text}\nregister_custom_task(name="x", cls=X)\n` });
    expect([...tasks.values()].map((one) => [one.name, one.wrong, one.hasGoal])).toEqual([['x', wrong, hasGoal]]);
  });

  it('have a goal if their registration gives one', async () => {
    const text = `@register_custom_task("x", goal="Copy it.")\nclass X(CustomBrowserGymEnvironment):\n  ${BODY}\n`;
    expect((await found({ 'x.py': text })).tasks.get('x')?.hasGoal).toBe(true);
  });

  it.each([
    ['a computed name', 'for name in NAMES: register_custom_task(name, X)'],
    ['a place that may not be reached', 'if today:\n  register_custom_task("x", X)'],
  ])('are not all known with %s', async (_, text) => {
    const { tasks, complete } = await found({ 'x.py': text });
    expect([tasks.size, complete]).toEqual([0, false]);
  });

  it('do not include calls in comments and strings, or a definition', async () => {
    const text = `# register_custom_task("a", A)\nX = 'register_custom_task("b", B)'\ndef register_custom_task(name, cls): pass\n`;
    const { tasks, complete } = await found({ 'x.py': text });
    expect([tasks.size, complete]).toEqual([0, true]);
  });
});

describe('the module that OPENENV_TASK_MODULE names', () => {
  it('is read like a functions file, with or without its extension', async () => {
    await writeFile(join(folder, 'cards.ts'), `${whole('X')} registerCustomTask('x', X);`);
    for (const named of ['cards', 'cards.ts', './cards.ts']) {
      vi.stubEnv('OPENENV_TASK_MODULE', named);
      const { tasks, refusal: refused } = await found({});
      expect([named, [...tasks.keys()], refused]).toEqual([named, ['x'], null]);
    }
  });

  it('is in the folder of the tasks, or rejected with the reason', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'taskwright-outside-'));
    await writeFile(join(outside, 'cards.ts'), '');
    await symlink(join(outside, 'cards.ts'), join(folder, 'linked.ts'));
    await mkdir(join(folder, 'below'));
    await writeFile(join(folder, 'below', 'cards.ts'), '');
    await writeFile(join(folder, 'old.py'), '');
    const of = (named: string) => taskModule(folder, { OPENENV_TASK_MODULE: named });

    expect(await of('')).toBeNull();
    expect(await of('below/cards.ts')).toEqual({ file: join(folder, 'below', 'cards.ts') });
    expect(await of('old')).toEqual({ file: join(folder, 'old.py') });
    // As in the proposal: the package is the folder that is mounted as custom_tasks, or a folder in it.
    expect(await of('custom_tasks.old')).toEqual({ file: join(folder, 'old.py') });
    expect(await of(`${basename(folder)}.old`)).toMatchObject({ refusal: expect.stringContaining('no such module') });
    await writeFile(join(folder, 'below', 'new.py'), '');
    expect(await of('below.new')).toEqual({ file: join(folder, 'below', 'new.py') });
    expect(await of('custom_tasks.below.new')).toEqual({ file: join(folder, 'below', 'new.py') });
    for (const named of ['../cards.ts', join(outside, 'cards.ts'), 'below/../../cards.ts']) {
      expect(await of(named)).toMatchObject({ refusal: expect.stringContaining('must be a file in the task folder') });
    }
    expect(await of('linked.ts')).toMatchObject({
      refusal: expect.stringContaining('a file outside of the task folder'),
    });
    expect(await of('missing')).toMatchObject({ refusal: expect.stringContaining('no such module exists') });
    expect(await of('old.py/cards.ts')).toMatchObject({ refusal: expect.stringContaining('no such module exists') });
    await rm(outside, { recursive: true });
  });

  it('is rejected with the system error if it exists but cannot be read', async () => {
    const of = (named: string) => taskModule(folder, { OPENENV_TASK_MODULE: named });
    await symlink(join(folder, 'nowhere.ts'), join(folder, 'lost.ts'));
    expect(await of('lost')).toMatchObject({
      refusal: expect.stringMatching(/symbolic link that cannot be resolved: no such file or folder/),
    });
    const long = `${'x'.repeat(300)}.ts`;
    expect(await of(long)).toMatchObject({
      refusal: expect.stringMatching(/cannot be accessed: the name is too long/),
    });
  });
});
