import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addressOf, parseAddress, selectorByName, selectorOf, selectRow } from '../../../src/tasks/address.ts';
import { containsTasks, findTaskFiles, loadFoundTaskFile, loadTaskFile } from '../../../src/tasks/discover.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import { isTaskFileName } from '../../../src/tasks/recognition.ts';
import { needsPosix } from '../../systems.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-discover-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
}

async function findNames(...paths: string[]): Promise<string[]> {
  const files = await findTaskFiles(paths.map((path) => join(folder, path)));
  return files.map((file) => relative(folder, file));
}

const holds = (file: string, text: string): boolean => containsTasks(readTasks(file, text));

const TASK = '{"prompt":"p"}';
const VS_CODE =
  '// See https://go.microsoft.com/fwlink\n{"version":"2.0.0","tasks":[{"label":"build","type":"shell"}]}';

describe('which files are task files', () => {
  it.each([
    'a.task.json',
    'a.task.yaml',
    'a.task.yml',
    'a.tasks.json',
    'a.tasks.jsonl',
    'a.taskset.yml',
    'tasks.jsonl',
  ])('%s may be', (name) => {
    expect(isTaskFileName(`/x/${name}`)).toBe(true);
  });

  it.each(['task.json', 'a.json', 'a.task.jsonl', 'mytasks.json', 'a.tasks.txt', 'tasks.json.bak', 'a.tasks.json5'])(
    '%s is not',
    (name) => {
      expect(isTaskFileName(`/x/${name}`)).toBe(false);
    },
  );

  it('tasks.json is a task file depending on its content', () => {
    expect(holds('/x/tasks.json', VS_CODE)).toBe(false);
    expect(holds('/x/tasks.json', '{"tasks":[{"label":"a"},{"prompt":"p","gym":"qa"}]}')).toBe(true);
    expect(holds('/x/tasks.json', '[{"env":"e","id":"i"}]')).toBe(true);
    expect(holds('/x/tasks.yaml', 'tasks:\n- name: x\n  hosts: all\n')).toBe(false);
    expect(holds('/x/a.tasks.json', 'nothing')).toBe(true);
  });
});

describe('finding task files', () => {
  it('searches folders in order, without folders to ignore', async () => {
    await write({
      'b.tasks.json': TASK,
      'a/x.task.yaml': 'prompt: p',
      'a/tasks.json': TASK,
      '.vscode/tasks.json': VS_CODE,
      'node_modules/m/a.tasks.json': TASK,
      '.taskwright/jobs/a.tasks.json': TASK,
      'env/pyvenv.cfg': '',
      'env/lib/a.tasks.json': TASK,
      'readme.json': TASK,
    });
    expect(await findNames('.')).toEqual(['a/tasks.json', 'a/x.task.yaml', 'b.tasks.json']);
  });

  it('follows .gitignore files at every level, including negated patterns', async () => {
    await write({
      '.gitignore': 'out/\n*.tmp.tasks.json\n/top.tasks.json\n',
      'top.tasks.json': TASK,
      'x.tmp.tasks.json': TASK,
      'out/a.tasks.json': TASK,
      'sub/top.tasks.json': TASK,
      'sub/.gitignore': '!keep.tmp.tasks.json\nown.tasks.json\n',
      'sub/keep.tmp.tasks.json': TASK,
      'sub/own.tasks.json': TASK,
      'sub/other.tmp.tasks.json': TASK,
    });
    expect(await findNames('.')).toEqual(['sub/keep.tmp.tasks.json', 'sub/top.tasks.json']);
  });

  it.skipIf(needsPosix('does not read an endless .gitignore'))('does not read an endless .gitignore', async () => {
    await write({ 'a.tasks.json': TASK, 'sub/b.tasks.json': TASK });
    await symlink('/dev/zero', join(folder, '.gitignore'));
    execFileSync('mkfifo', [join(folder, 'sub', '.gitignore')]);
    expect(await findNames('.')).toEqual(['a.tasks.json', 'sub/b.tasks.json']);
  });

  it('reads the .gitignore of the enclosing repository', async () => {
    await write({
      '.git/HEAD': '',
      '.gitignore': 'secret.tasks.json',
      'in/secret.tasks.json': TASK,
      'in/a.task.json': TASK,
    });
    expect(await findNames('in')).toEqual(['in/a.task.json']);
  });

  it('always includes a file that is named explicitly, once', async () => {
    await write({ '.gitignore': '*', 'a.json': TASK, 'node_modules/b.tasks.json': TASK });
    expect(await findNames('node_modules/b.tasks.json', 'a.json', './a.json')).toEqual([
      'a.json',
      'node_modules/b.tasks.json',
    ]);
  });

  it('does not follow links to folders, which may be circular', async () => {
    await write({ 'a/x.task.json': TASK });
    await symlink(folder, join(folder, 'a/loop'));
    expect(await findNames('.')).toEqual(['a/x.task.json']);
  });

  it('ignores folders, pipes, and broken links, whatever their names', async () => {
    await write({ 'folder.tasks.json/a.task.json': TASK });
    await symlink('nowhere', join(folder, 'gone.tasks.json'));
    await symlink('circle.tasks.json', join(folder, 'circle.tasks.json'));
    expect(await findNames('.')).toEqual(['folder.tasks.json/a.task.json']);
    await expect(findNames('circle.tasks.json')).rejects.toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining('refers to itself'),
    });
    await expect(loadTaskFile(folder)).rejects.toMatchObject({
      code: 'file_unreadable',
      message: `${folder} is not a file. Specify a task file or a folder with task files`,
    });
  });

  it('reports a file that is too large without reading it', async () => {
    for (const name of ['a.tasks.jsonl', 'tasks.jsonl', 'notes.py']) {
      await write({ [name]: '' });
      await truncate(join(folder, name), 5_000_000_000);
    }
    expect(await findNames('.')).toEqual(['a.tasks.jsonl', 'tasks.jsonl']);
    const file = await loadTaskFile(join(folder, 'tasks.jsonl'));
    expect(file.findings).toMatchObject([{ code: 'file-too-large', message: expect.stringContaining('5000 MB') }]);
  });

  it('reports a file that was deleted after it was found', async () => {
    const file = await loadFoundTaskFile(join(folder, 'gone.task.json'));
    expect(file.findings).toMatchObject([{ severity: 'error', code: 'file-unreadable' }]);
  });

  it.each([
    ['a.task.json', '{"id": "a",\n"prompt": "p",\n"gym": "qa"}', 1],
    ['a.tasks.jsonl', '{"id": "a", "prompt": "p"}\n{"id": "b", "prompt": "p"}\n', 2],
    ['a.task.yaml', 'id: a\nprompt: p\ngym: qa\n', 1],
    ['a.tasks.yaml', '- id: a\n  prompt: p\n- id: b\n  prompt: p\n', 2],
    ['tasks.py', 'from hud import Task\na = Task(prompt="p")\nb = Task(prompt="q")\n', 2],
  ])('reads %s whose lines end with a carriage return alone', async (name, text, count) => {
    await writeFile(join(folder, name), text.replaceAll('\n', '\r'));
    const file = await loadTaskFile(join(folder, name));
    expect(file.rows.map((row) => row.value)).toEqual(readTasks(join(folder, name), text).rows.map((row) => row.value));
    expect(file.rows).toHaveLength(count);
    expect(file.findings).toEqual([]);
  });

  it('names the path that does not exist', async () => {
    await expect(findNames('nowhere')).rejects.toMatchObject({ code: 'file_not_found', path: join(folder, 'nowhere') });
    await expect(loadTaskFile(join(folder, 'no.task.json'))).rejects.toMatchObject({ code: 'file_not_found' });
  });
});

describe('encodings', () => {
  it.each([
    ['latin-1', new Uint8Array([...Buffer.from('{"prompt":"'), 0xe4, ...Buffer.from('"}')])],
    ['UTF-16 with a mark', Buffer.from(`\uFEFF${TASK}`, 'utf16le')],
    ['UTF-16 without one', Buffer.from(TASK, 'utf16le')],
  ])('%s is one error', async (_, bytes) => {
    await write({ 'a.task.json': bytes });
    const file = await loadTaskFile(join(folder, 'a.task.json'));
    expect(file.rows).toEqual([]);
    expect(file.findings).toMatchObject([{ severity: 'error', code: 'not-utf-8' }]);
  });

  it('a character that spans two decoded chunks is read', async () => {
    const row = '{"prompt":"é"}';
    await write({ 'a.tasks.jsonl': `${' '.repeat(32_000_000 - Buffer.from(row).indexOf('é') - 1)}${row}` });
    const file = await loadTaskFile(join(folder, 'a.tasks.jsonl'));
    expect(file.rows.map((row) => row.value)).toEqual([{ prompt: 'é' }]);
  });

  it('UTF-8 with a byte order mark is read', async () => {
    await write({ 'a.task.json': `\uFEFF${TASK}` });
    const file = await loadTaskFile(join(folder, 'a.task.json'));
    expect(file.findings).toEqual([]);
    expect(file.rows[0]?.range.start).toEqual({ line: 0, character: 0 });
  });
});

describe('addresses', () => {
  it('split at the last # whose left side is an existing file', async () => {
    await write({ 'a#b.tasks.json': TASK, 'c.tasks.json': TASK, 'd#e/f.tasks.json': TASK });
    const parse = async (text: string) => {
      const { file, selector } = await parseAddress(text, folder);
      return [relative(folder, file), selector];
    };
    expect(await parse('c.tasks.json#x')).toEqual(['c.tasks.json', 'x']);
    expect(await parse('c.tasks.json#x#1')).toEqual(['c.tasks.json', 'x#1']);
    expect(await parse('c.tasks.json')).toEqual(['c.tasks.json', null]);
    expect(await parse('a#b.tasks.json')).toEqual(['a#b.tasks.json', null]);
    expect(await parse('a#b.tasks.json#0')).toEqual(['a#b.tasks.json', '0']);
    expect(await parse('d#e/f.tasks.json#x')).toEqual(['d#e/f.tasks.json', 'x']);
    expect(await parse('d#e')).toEqual(['d#e', null]);
    expect(await parse('none.tasks.json#x')).toEqual(['none.tasks.json#x', null]);
  });

  it('an id wins over an index', () => {
    const file = readTasks('/a.tasks.json', '[{"id":"1","prompt":"a"},{"prompt":"b"},{"id":"x","prompt":"c"}]');
    const prompt = (selector: string) => selectRow(file, selector)?.task?.prompt;
    expect(prompt('1')).toBe('a');
    expect(prompt('0')).toBe('a');
    expect(prompt('2')).toBe('c');
    expect(prompt('x')).toBe('c');
    expect(prompt('3')).toBeUndefined();
    expect(prompt('-1')).toBeUndefined();
    expect(prompt('')).toBeUndefined();
  });

  it('an index in brackets is always an index', () => {
    const file = readTasks('/a.tasks.json', '[{"prompt":"a"},{"id":"0","prompt":"b"},{"id":"[0]","prompt":"c"}]');
    const prompt = (selector: string) => selectRow(file, selector)?.task?.prompt;
    expect(['0', '[0]', '[1]', '[2]', '[3]'].map(prompt)).toEqual(['b', 'a', 'b', 'c', undefined]);
  });

  it.each([
    ['an id that is an index', [{ id: '' }, { id: '0' }, { id: 1 }, {}], ['[0]', '0', '1', '3']],
    ['ids that are the same', [{ id: 'a' }, { id: 'a' }, { id: 'a' }], ['a', '[1]', '[2]']],
    ['ids that look like indexes', [{ id: '[0]' }, { id: '[0]' }], ['[0]', '[1]']],
    ['an id that cannot be printed', [{ id: 'a\u0007b' }], ['[0]']],
    [
      'slugs and templates of HUD 0.6',
      [
        { env: 'e', id: 'count' },
        { env: 'e', id: 'count' },
        { env: 'e', id: 'x', slug: '0' },
      ],
      ['count', '[1]', '0'],
    ],
  ])('lead back to their rows: %s', (_, values, selectors) => {
    const file = readTasks('/a.tasks.json', JSON.stringify(values));
    expect(file.rows.map((row) => selectorOf(file, row))).toEqual(selectors);
    for (const row of file.rows) expect(selectRow(file, selectorOf(file, row))).toBe(row);
  });

  it('lead back to rows of which only the name and the index are known', () => {
    const file = readTasks('/a.tasks.json', JSON.stringify([{ prompt: 'a' }, { id: '0' }, { id: 'b' }, { id: '[0]' }]));
    const selectors = file.rows.map(({ name, index }) => selectorByName(name, index));
    expect(selectors).toEqual(['[0]', '0', 'b', '[3]']);
    expect(selectors.map((selector) => selectRow(file, selector))).toEqual(file.rows);
  });

  it('a variable of a Python file selects its task', async () => {
    await prepareToRead('/tasks.py');
    const text = [
      'from hud import Task',
      'def local():',
      '    qa_task = Task(prompt="a")',
      'qa_task = Task(prompt="b")',
      'x = Task(prompt="c", id="qa")',
      'qa = Task(prompt="d")',
      'tasks = {"1": Task(prompt="e")}',
    ].join('\n');
    const file = readTasks('/tasks.py', text);
    const prompt = (selector: string) => selectRow(file, selector)?.task?.prompt;
    expect(['qa_task', 'qa', '1', '[1]', 'local'].map(prompt)).toEqual(['b', 'c', 'e', 'b', undefined]);
    expect(file.rows.map((row) => addressOf(file, row))).toEqual([
      '/tasks.py#0',
      '/tasks.py#[1]',
      '/tasks.py#qa',
      '/tasks.py#3',
      '/tasks.py#4',
    ]);
  });

  it('a slug selects one of the tasks that share a template of HUD 0.6', () => {
    const row = { env: 'lab', id: 'count' };
    const rows = [{ ...row, args: { word: 'banana', letter: 'a' } }, row, { ...row, slug: 'mine' }];
    const file = readTasks('/a.tasks.json', JSON.stringify(rows));
    const found = ['count-2dc7d4b0', 'mine', 'count', '1'].map((selector) => selectRow(file, selector)?.index);
    expect(found).toEqual([0, 2, 1, 1]);
  });
});
