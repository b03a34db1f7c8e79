import { lstat, readdir, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

const UNTIDY = `// Tasks
[
  {"id": 7, "prompt": "p", "gym": "qa", "metadata": null, "evaluate": ["response_includes", "x"]},
  {
    "id": "b",
    "prompt": "p", // why
    "evaluate": [["response_includes", "x"]],
  }
]
`;

const TIDY = `[
  {"id": "7", "prompt": "p", "gym": "qa", "metadata": {}, "evaluate": ["response_includes", "x"]},
  {
    "id": "b",
    "prompt": "p",
    "evaluate": [{ "function": "response_includes", "args": ["x"] }],
    "gym": "qa"
  }
]
`;

const MISSPELLED = `[{ "id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_include", "x"] }]\n`;

describe('taskwright validate --fix --likely', () => {
  it('also applies the first fix of each other problem', async () => {
    const cwd = await temporaryFolder();
    const file = await fileIn(cwd, 'a.tasks.json', MISSPELLED);
    expect((await taskwright(['validate', '.', '--fix'], { cwd })).exit).toBe(2);
    expect(await readFile(file, 'utf8')).toBe(MISSPELLED);
    const said = await taskwright(['validate', '.', '--fix', '--likely', '--json'], { cwd });
    expect(said).toMatchObject({ exit: 0, err: '1 problem fixed.\n' });
    expect(await readFile(file, 'utf8')).toBe(MISSPELLED.replace('response_include', 'response_includes'));
  });
});

describe('taskwright validate --fixes', () => {
  it('prints the possible fixes of each problem', async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'a.tasks.json', MISSPELLED);
    const title = 'Change to “response_includes”';
    expect((await taskwright(['validate', '.', '--fixes'], { cwd })).out).toContain(`\n    fix: ${title}\n`);
    const [problem] = JSON.parse((await taskwright(['validate', '.', '--fixes', '--json'], { cwd })).out);
    expect(problem.fixes).toMatchObject([{ title, safe: false, edits: [{ text: expect.any(String) }] }]);
    const [plain] = JSON.parse((await taskwright(['validate', '.', '--json'], { cwd })).out);
    expect(plain).not.toHaveProperty('fixes');
  });
});

describe('taskwright validate --fix', () => {
  it('applies all safe fixes repeatedly, and reports their number', async () => {
    const cwd = await temporaryFolder();
    const file = await fileIn(cwd, 'a.tasks.json', UNTIDY);
    expect((await taskwright(['validate', '.'], { cwd })).exit).toBe(2);
    const said = await taskwright(['validate', '.', '--fix', '--json'], { cwd });
    expect(said).toMatchObject({ exit: 0, err: '7 problems fixed.\n' });
    expect(JSON.parse(said.out)).toEqual([]);
    expect(await readFile(file, 'utf8')).toBe(TIDY);
    expect(await readdir(cwd)).toEqual(['a.tasks.json']);
  });

  it('reports the remaining problems with the usual output and exit code', async () => {
    const cwd = await temporaryFolder();
    const text = '{"id": 7, "gym": "qa", "prompt": "p", "evaluate": ["response_include", "x"]}\n';
    const file = await fileIn(cwd, 'a.tasks.jsonl', text);
    const said = await taskwright(['validate', '.', '--fix', '--json'], { cwd });
    expect(said).toMatchObject({ exit: 2, err: '1 problem fixed.\n' });
    expect(JSON.parse(said.out)).toMatchObject([{ file, code: 'unknown-function', severity: 'error', task_id: '7' }]);
    expect(await readFile(file, 'utf8')).toBe(text.replace('7', '"7"'));
  });

  it('keeps the byte order mark, line endings, and links; does not write valid files', async () => {
    const cwd = await temporaryFolder();
    const fine = await fileIn(cwd, 'fine.tasks.jsonl', '{"id": "a", "gym": "qa", "prompt": "p", "evaluate": "x"}');
    const before = await lstat(fine);
    const real = await fileIn(
      cwd,
      'real.txt',
      '\uFEFF{\r\n  "id": 7,\r\n  "prompt": "p",\r\n  "metadata": null\r\n}\r\n',
    );
    await symlink(real, join(cwd, 'b.task.json'));
    await taskwright(['validate', '.', '--fix'], { cwd });
    expect(await readFile(real, 'utf8')).toBe(
      '\uFEFF{\r\n  "id": "7",\r\n  "prompt": "p",\r\n  "metadata": {},\r\n  "gym": "hud-browser"\r\n}\r\n',
    );
    expect((await lstat(join(cwd, 'b.task.json'))).isSymbolicLink()).toBe(true);
    expect((await lstat(fine)).ino).toBe(before.ino);
  });

  it.each([
    ['a.task.yaml', 'id: 7\rprompt: p\rgym: qa\r', 'id: "7"\rprompt: p\rgym: qa\r'],
    [
      'a.tasks.jsonl',
      '{"id": 1, "prompt": "p", "gym": "qa"}\r{"id": 2, "prompt": "p", "gym": "qa"}\r',
      '{"id": "1", "prompt": "p", "gym": "qa"}\r{"id": "2", "prompt": "p", "gym": "qa"}\r',
    ],
  ])('fixes %s with CR line endings, and keeps them', async (name, text, fixed) => {
    const cwd = await temporaryFolder();
    const file = await fileIn(cwd, name, text);
    await taskwright(['validate', '.', '--fix'], { cwd });
    expect(await readFile(file, 'utf8')).toBe(fixed);
  });

  it('of one address fixes that task only', async () => {
    const cwd = await temporaryFolder();
    const file = await fileIn(cwd, 'a.tasks.jsonl', '{"id": 1, "prompt": "p"}\n{"id": 2, "prompt": "p"}\n');
    await taskwright(['validate', 'a.tasks.jsonl#2', '--fix'], { cwd });
    expect(await readFile(file, 'utf8')).toBe(
      '{"id": 1, "prompt": "p"}\n{"id": "2", "prompt": "p", "gym": "hud-browser"}\n',
    );
  });
});
