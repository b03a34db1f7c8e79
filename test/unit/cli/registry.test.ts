import { mkdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CurrentTasks } from '../../../src/runs/selection/current-tasks.ts';
import type { Run } from '../../../src/traces/trace.ts';
import { FakePlacement } from '../runs/fake-placement.ts';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';

const CLASS = `class Cards(CustomBrowserGymEnvironment):
    def _get_html_content(self): return ""
    def _calculate_reward(self, page_data, action, error): return 1
    def _check_done(self, page_data): return True
`;
const REGISTRY = `from openenv.core.tasks import registry

def check_login(page): pass

registry.register(
    task_id="custom/login-test",
    env_type="browsergym",
    config={"start_url": "login.html", "goal": "Log in.", "reward_fn": "page_contains('Welcome')", "max_steps": 5},
)
registry.register(task_id="custom/cards", config={"goal": "Sort the cards."})
`;
const task = (id: string) => ({ id, prompt: 'What?', gym: 'qa', evaluate: ['response_is', '1'] });

let cwd = '';
let login = '';
let cards = '';
beforeEach(async () => {
  cwd = await temporaryFolder();
  await mkdir(join(cwd, 'below'));
  await fileIn(cwd, 'a.tasks.json', JSON.stringify([task('ask'), { ...task('x'), id: undefined }]));
  login = await fileIn(join(cwd, 'below'), 'login.py', REGISTRY);
  await fileIn(join(cwd, 'below'), 'login.html', '');
  cards = await fileIn(
    join(cwd, 'below'),
    'cards.py',
    `${CLASS}\nregister_custom_task("cards", Cards)\n${CLASS.replace('Cards', 'More')}\nregister_custom_task("more", More)\n`,
  );
});

interface Row {
  readonly registry_id: string;
  readonly file: string;
  readonly valid: boolean;
  readonly prompt: string | null;
}

async function rows(...args: string[]): Promise<Row[]> {
  return JSON.parse((await taskwright(['list', ...args, '--json'], { cwd })).out) as Row[];
}

const message = async (...args: string[]): Promise<{ code: string; message: string }> =>
  JSON.parse((await taskwright([...args, '--json'], { cwd })).out).error;

describe('the registry', () => {
  it('lists tasks with an id, classes, and what Python files describe', async () => {
    const listed = await rows('--registry');
    expect(listed.map(({ registry_id, file, prompt, valid }) => [registry_id, file, prompt, valid])).toEqual([
      ['ask', join(cwd, 'a.tasks.json'), 'What?', true],
      ['custom/login-test', login, 'Log in.', true],
      ['custom/cards', login, 'Sort the cards.', true],
      // It has no prompt.
      ['custom/more', cards, null, false],
    ]);
    expect(listed[1]).toMatchObject({
      era: 'rfc',
      env: { type: 'hud-browser' },
      evaluate: [{ function: 'page_contains', args: ['Welcome'] }],
      max_steps: 5,
      range: { start: { line: 5, character: 12 } },
    });
    expect(listed[2]).toMatchObject({ env: { type: 'browsergym', benchmark: 'custom', task_name: 'cards' } });
    expect(await rows('--registry', 'a.tasks.json')).toHaveLength(1);
  });

  it('finds a task by its id where no file has this name', async () => {
    expect(await rows('custom/login-test')).toMatchObject([{ file: login, prompt: 'Log in.' }]);
    expect(await rows('ask', 'a.tasks.json#ask', 'custom/cards', 'custom/cards')).toHaveLength(2);
    await fileIn(cwd, 'ask', '[]');
    expect(await rows('ask', '--allow-empty')).toEqual([]);
  });

  it('finds the task of a run that is resumed', async () => {
    const placement = new FakePlacement();
    const run = async (...args: string[]) =>
      JSON.parse((await taskwright(['run', ...args, '--json'], { cwd, placement })).out).runs as Run[];
    const first = await run('custom/login-test', 'custom/cards', 'ask', '--agent', 'noop');
    for (const { trace_dir } of first) await rm(join(trace_dir ?? '', 'run.json'));
    const resumed = await run('--resume', dirname(first[0]?.trace_dir ?? ''));
    expect(resumed).toMatchObject(
      [login, login, join(cwd, 'a.tasks.json')].map((file) => ({ file, status: 'completed', error: null })),
    );
  });

  it('finds the task of a recorded run as it is now', async () => {
    const now = async (file: string, id: string | null, index = 0) =>
      (await new CurrentTasks().row({ file, id, index }))?.task;
    expect(await now(login, 'custom/login-test')).toMatchObject({ prompt: 'Log in.', max_steps: 5 });
    await fileIn(join(cwd, 'below'), 'login.py', REGISTRY.replace('"max_steps": 5', '"max_steps": 7'));
    expect(await now(login, 'custom/login-test')).toMatchObject({ max_steps: 7 });
    expect(await now(cards, 'more')).toMatchObject({ env: { task_name: 'more' } });
    expect(await now(join(cwd, 'a.tasks.json'), null, 1)).toMatchObject({ index: 1 });
    expect(await now(cards, 'gone')).toBeUndefined();
  });

  it('says that a server does not answer, and not that its task is gone', async () => {
    const gym = { type: 'openenv', url: 'http://127.0.0.1:1' };
    const file = await fileIn(cwd, 'b.tasks.json', JSON.stringify([{ id: 'play', prompt: 'Play.', gym }]));
    const recorded = new CurrentTasks().row({ file, id: 'words/train/12', index: 0 });
    await expect(recorded).rejects.toThrow('http://127.0.0.1:1');
  });

  it('tells the nearest id of one that is unknown', async () => {
    const { code, message: text } = await message('run', 'custom/login-tset');
    expect(code).toBe('file_not_found');
    expect(text).toBe(
      `File or folder not found: ${join(cwd, 'custom', 'login-tset')}. Did you mean “custom/login-test”?`,
    );
    expect((await message('run', 'zebra')).message).toContain('no task is registered as “zebra”');
    expect((await message('run', 'ask.json')).message).not.toContain('registered');
  });

  it('has a note for an environment whose server does not answer', async () => {
    const gym = { type: 'openenv', url: 'http://127.0.0.1:1' };
    await fileIn(
      cwd,
      'b.tasks.json',
      JSON.stringify([
        { id: 'play', prompt: 'Play.', gym },
        { prompt: 'Again.', gym },
      ]),
    );
    const { exit, out, err } = await taskwright(['list', '--registry', 'b.tasks.json', '--json'], { cwd });
    expect([exit, (JSON.parse(out) as Row[]).map(({ registry_id }) => registry_id)]).toEqual([0, ['play']]);
    expect(err.match(/http:\/\/127\.0\.0\.1:1/g)).toHaveLength(1);
    const { message: text } = await message('run', 'words/train/3');
    expect(text).toMatch(/no task is registered as “words\/train\/3”\. .*http:\/\/127\.0\.0\.1:1/);
    expect((await message('run', 'words/train')).message).not.toContain('127.0.0.1');
  });

  it('refuses an id of several tasks with all places', async () => {
    await fileIn(cwd, 'b.tasks.json', JSON.stringify([task('other'), task('ask')]));
    expect(await message('run', 'ask')).toEqual({
      code: 'ambiguous_task',
      message:
        'Several tasks have the id “ask”: a.tasks.json:1, b.tasks.json:1. Use the address of one of them, such as a.tasks.json#ask.',
    });
    const { exit, out } = await taskwright(['validate', '.', '--json'], { cwd });
    expect([exit, JSON.parse(out).map(({ code }: { code: string }) => code)]).toEqual([0, ['duplicate-id']]);
  });

  it('has an error at both places of two registrations of one id', async () => {
    const again = await fileIn(cwd, 'again.py', `${CLASS}\nregister_custom_task("more", Cards)\n`);
    const { exit, out } = await taskwright(['validate', '.', '--json'], { cwd });
    expect(exit).toBe(2);
    expect(JSON.parse(out)).toMatchObject([
      { file: again, code: 'duplicate-registration', severity: 'error', range: { start: { line: 0, character: 6 } } },
      {
        file: cards,
        code: 'duplicate-registration',
        message: '“custom/more” is also registered in ../again.py:1. Rename one of them',
      },
    ]);
    expect((await message('run', 'custom/more')).message).toContain('again.py:1, below/cards.py:7');
  });
});
