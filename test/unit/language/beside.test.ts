import { link, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { UserFunctions } from '../../../src/environments/user-functions.ts';
import { searchBeside } from '../../../src/environments/withheld-search.ts';
import { lookBeside } from '../../../src/functions/user/beside.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { readTasks } from '../../../src/tasks/read.ts';

let folder: string;
let own: UserFunctions;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-beside-'));
  await mkdir(join(folder, 'envs', 'project'), { recursive: true });
  await writeFile(join(folder, 'file'), '');
  await writeFile(join(folder, 'envs', 'my page.html'), '');
  await mkdir(join(folder, 'mixed', 'deep'), { recursive: true });
  await writeFile(join(folder, 'mixed', 'deep', 'b.task.json'), '{"prompt": "Do it", "gym": "qa"}');
  await writeFile(join(folder, 'mixed', 'deep', 'b.actions'), '');
  await writeFile(join(folder, 'a.functions.js'), '');
  await mkdir(join(folder, 'links'));
  await link(join(folder, 'a.functions.js'), join(folder, 'links', 'page.js'));
  await mkdir(join(folder, 'other', 'src'), { recursive: true });
  await writeFile(join(folder, 'other', 'deploy.tasks.yml'), '- name: Deploy\n');
  await writeFile(join(folder, 'other', 'src', 'user.agent.ts'), '');
  own = Object.assign(new Map(), { beside: lookBeside(folder).at, leftOutOf: searchBeside(folder).of });
});
afterAll(() => rm(folder, { recursive: true }));

const of = (gym: object, evaluate: unknown) => JSON.stringify({ id: 'a', prompt: 'Do it', gym, evaluate });
const coding = (gym: object) => of({ type: 'coding', ...gym }, ['command_succeeds', 'true']);
const custom = (image: string) => of({ location: 'local', image_or_build_context: image }, ['check']);

function listFindings(text: string, around: UserFunctions = own): string[] {
  return diagnose(readTasks('/tasks/a.task.json', text), around).map(
    ({ severity, code, message, range: { start, end } }) =>
      `${severity} ${code} ${text.slice(start.character, end.character)}: ${message}`,
  );
}

describe('the environment of a task of HUD 0.5', () => {
  const row = (env: object) => JSON.stringify({ env: { name: 'shop', ...env }, scenario: 'buy', args: {} });

  it('is named only, and not beside the task', () => {
    expect(listFindings(row({}))).toEqual([
      expect.stringMatching(/^information era-not-run .*: The server of this environment is not known/),
    ]);
    expect(listFindings(row({ url: 'http://127.0.0.1:8765/mcp' }))).toEqual([]);
  });

  it('is beside the task', async () => {
    await writeFile(join(folder, 'envs', 'env.py'), '');
    const around: UserFunctions = Object.assign(new Map(), { beside: lookBeside(join(folder, 'envs')).at });
    expect(listFindings(row({}), around)).toEqual([]);
  });
});

describe('a file that a task names', () => {
  it.each([
    coding({ folder: 'envs/project' }),
    coding({ folder: './envs/' }),
    coding({ git: 'envs' }),
    coding({ folder: 'other' }),
    coding({ git: 'file' }),
    coding({ git: 'https://example.com/none.git' }),
    coding({ git: 'git@example.com:none.git' }),
    custom('./envs'),
    custom('none'),
    // Of another machine nothing is asked while somebody types.
    custom('//nobody.example/none'),
    custom('\\\\nobody.example\\none'),
    custom('~/none'),
  ])('is nobody’s problem where it is there, or elsewhere: %s', (text) => {
    expect(listFindings(text)).toEqual([]);
  });

  it.each([
    [coding({ folder: 'none' }), 'error coding-start none: the folder “none” does not exist next to the task file'],
    [coding({ folder: 'file' }), 'error coding-start file: “file” is a file, not a folder'],
    [
      coding({ folder: 'file/x' }),
      'error coding-start file/x: the folder “file/x” does not exist next to the task file',
    ],
    [
      coding({ git: './none' }),
      'error coding-start ./none: the repository “./none” does not exist next to the task file',
    ],
    [custom('./none'), 'error custom-gym ./none: the folder “./none” does not exist next to the task file'],
    [custom('./file'), 'error custom-gym ./file: “./file” is a file, not a folder'],
  ])('is missed at its place: %s', (text, words) => {
    expect(listFindings(text)).toEqual([words]);
  });

  const WITHHELD =
    'the agent gets no task files, solutions, functions files, agents, or recorded runs. Put the files for the agent in a folder of their own';
  it.each([
    ['.', coding({ folder: '.' }), '“.” is the folder of the task file'],
    ['./', coding({ folder: './' }), '“./” is the folder of the task file'],
    ['envs/..', coding({ folder: 'envs/..' }), '“envs/..” is the folder of the task file'],
    ['.', coding({ git: '.' }), '“.” is the folder of the task file'],
    ['links', coding({ folder: 'links' }), '“links” contains page.js (a functions file)'],
    [
      'mixed',
      coding({ folder: 'mixed' }),
      '“mixed” contains deep/b.actions (a solution), deep/b.task.json (a task file)',
    ],
  ])('is warned of where it holds what no agent gets: %s', (path, text, what) => {
    expect(listFindings(text)).toEqual([`warning withheld-files ${path}: ${what}: ${WITHHELD}`]);
  });

  it('is not reported if the folder was not read', () => {
    expect(listFindings(coding({ folder: 'none' }), new Map())).toEqual([]);
    expect(listFindings(custom('./none'), new Map())).toEqual([]);
  });

  it('is looked up once, and listed for the caller', async () => {
    const { at, kinds: asked } = lookBeside(folder);
    expect(at('later')).toBeNull();
    await mkdir(join(folder, 'later'));
    expect([at('later'), [...asked.keys()]]).toEqual([null, [join(folder, 'later')]]);
    expect(lookBeside(folder).at('later')).toBe('folder');
  });
});

describe('a page that a task opens', () => {
  const opens = (rest: object) =>
    JSON.stringify({ id: 'a', prompt: 'Do it', gym: 'hud-browser', evaluate: ['page_contains', 'x'], ...rest });

  it.each([
    opens({ setup: ['goto', 'envs/my page.html'] }),
    opens({ setup: ['goto', './envs/my%20page.html?a=1#b'] }),
    opens({ start_url: 'envs/my page.html' }),
    opens({ setup: ['goto', 'https://none.example/none.html'] }),
    opens({ setup: ['goto', 'none.example'] }),
    opens({ setup: ['goto', 'localhost:8080/none.html'] }),
    opens({ setup: ['goto', 'about:blank'] }),
    // The benchmark opens a page of its own, and says so.
    opens({ gym: 'qa', evaluate: ['response_is', 'x'] }),
  ])('is no problem if it exists, or is a site: %s', (text) => {
    expect(listFindings(text)).toEqual([]);
  });

  it.each([
    [opens({ setup: ['goto', 'none.html'] }), 'none.html: The page “none.html” does not exist next to the task file'],
    [opens({ setup: ['goto', 'envs'] }), 'envs: “envs” is a folder, not a page'],
    [opens({ start_url: 'none/a.html' }), 'none/a.html: The page “none/a.html” does not exist next to the task file'],
    [
      opens({ initial_state: { html_file: 'none.html' } }),
      'none.html: The page “none.html” does not exist next to the task file',
    ],
  ])('is a warning if it does not exist: %s', (text, message) => {
    expect(listFindings(text)).toEqual([`warning missing-page ${message}`]);
  });

  it('is checked if the environment is misspelled', () => {
    expect(listFindings(opens({ gym: 'hud-browsr', setup: ['goto', 'none.html'] }))).toContainEqual(
      'warning missing-page none.html: The page “none.html” does not exist next to the task file',
    );
  });

  it('is not checked if the files are not known', () => {
    expect(listFindings(opens({ setup: ['goto', 'none.html'] }), new Map())).toEqual([]);
  });
});
