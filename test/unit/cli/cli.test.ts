import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fileIn, temporaryFolder } from '../runs/tasks.ts';
import { taskwright } from './command-line.ts';
import { shop } from './shop.ts';

describe('taskwright list', () => {
  it('prints every task that can be read, and whether it can run', async () => {
    const { cwd, file } = await shop();
    const said = await taskwright(['list', '.', '--json'], { cwd });
    expect(said).toMatchObject({ exit: 0, err: '' });
    const tasks = JSON.parse(said.out);
    expect(tasks).toMatchObject([
      {
        file,
        index: 0,
        id: 'buy',
        era: '0.2',
        prompt: 'Buy a lamp.',
        env: { type: 'hud-browser' },
        tags: [],
        setup: [{ function: 'goto', args: ['shop.html'] }],
        evaluate: [{ function: 'page_contains', args: ['Thank you'] }, { function: 'url_match' }],
        max_steps: null,
        valid: true,
      },
      { id: 'typo', index: 1, valid: false },
      { id: 'ask', index: 2, valid: true },
    ]);
    expect(tasks[0].setup[0].range.start.line).toBe(1);
    expect(Object.keys(tasks[0]).sort()).toEqual(
      [
        'file',
        'index',
        'id',
        'era',
        'prompt',
        'env',
        'tags',
        'setup',
        'evaluate',
        'max_steps',
        'range',
        'valid',
      ].sort(),
    );
  });

  it('prints one address per line without --json', async () => {
    const { cwd } = await shop();
    const said = await taskwright(['list', 'shop.tasks.json'], { cwd });
    expect(said.out).toMatch(/^shop\.tasks\.json#buy +hud-browser +Buy a lamp\.$/m);
    expect(said.out).toMatch(/^shop\.tasks\.json#typo .*cannot run/m);
  });

  it('prints addresses that lead back, whatever the ids are', async () => {
    const cwd = await temporaryFolder();
    const rows = [
      { prompt: 'a', gym: 'qa' },
      { id: '0', prompt: 'b', gym: 'qa' },
      { id: '0', prompt: 'c', gym: 'qa' },
    ];
    await fileIn(cwd, 'x.tasks.json', JSON.stringify(rows));
    const { out } = await taskwright(['list', '.'], { cwd });
    const addresses = out
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0] ?? '');
    expect(addresses).toEqual(['x.tasks.json#[0]', 'x.tasks.json#0', 'x.tasks.json#[2]']);
    for (const [index, address] of addresses.entries()) {
      const tasks = JSON.parse((await taskwright(['list', address, '--json'], { cwd })).out);
      expect(tasks).toMatchObject([{ index }]);
      const findings: unknown[] = JSON.parse((await taskwright(['validate', address, '--json'], { cwd })).out);
      // No evaluate calls; the third has the id of the second, too.
      expect(findings).toHaveLength(index === 2 ? 2 : 1);
    }
  });

  it('names Python tasks by their variables, and says which depend on the program', async () => {
    const cwd = await temporaryFolder();
    const lines = ['from hud import Task', 'qa_task = Task(prompt="p", gym="qa")', 'row = Task.model_validate(data)'];
    await fileIn(cwd, 'tasks.py', lines.join('\n'));
    const { out } = await taskwright(['list', '.'], { cwd });
    expect(out).toContain('tasks.py#0  qa            qa_task: p');
    expect(out).toContain('tasks.py#1  unknown       row  depends on values that are only known when the program runs');
    expect((await taskwright(['list', 'tasks.py#qa_task'], { cwd })).out).toMatch(/^tasks\.py#0 .*\n$/);
    expect((await taskwright(['validate', 'tasks.py#row'], { cwd })).exit).toBe(0);
  });

  it('of one address prints that task', async () => {
    const { cwd } = await shop();
    const list = async (address: string) => {
      const tasks: { id: string }[] = JSON.parse((await taskwright(['list', address, '--json'], { cwd })).out);
      return tasks.map((task) => task.id);
    };
    expect(await list('shop.tasks.json#ask')).toEqual(['ask']);
    expect(await list('shop.tasks.json#0')).toEqual(['buy']);
  });
});

describe('taskwright validate', () => {
  it('prints the findings with their places; an error makes the exit code 2', async () => {
    const { cwd, file } = await shop();
    const said = await taskwright(['validate', '.', '--json'], { cwd });
    expect(said.exit).toBe(2);
    const findings: { severity: string; task_id: string }[] = JSON.parse(said.out);
    expect(findings.filter((finding) => finding.severity === 'error')).toMatchObject([
      {
        file,
        severity: 'error',
        task_id: 'typo',
        range: { start: { line: 3 } },
        message: expect.stringContaining('page_contain'),
      },
    ]);
    expect(findings.flatMap((finding) => Object.keys(finding))).not.toContain('fixes');
  });

  it('accepts a valid task by its address', async () => {
    const { cwd } = await shop();
    expect((await taskwright(['validate', 'shop.tasks.json#ask'], { cwd })).exit).toBe(0);
    expect((await taskwright(['validate', 'shop.tasks.json#typo'], { cwd })).exit).toBe(2);
  });

  it('prints file, line, and column without --json', async () => {
    const { cwd } = await shop();
    const said = await taskwright(['validate', 'shop.tasks.json'], { cwd });
    expect(said.out).toMatch(/^shop\.tasks\.json:4:\d+: error: .*page_contain/m);
    expect(said.err).toContain('3 tasks in 1 file: 1 error');
  });
});

describe('taskwright show', () => {
  it('prints a recorded run with its steps', async () => {
    const { cwd } = await shop();
    await fileIn(cwd, 'buy.actions', "click('#buy')");
    const { runs } = JSON.parse((await taskwright(['run', 'shop.tasks.json#buy', '--json'], { cwd })).out);
    const folder = runs[0].trace_dir;
    const shown = JSON.parse((await taskwright(['show', folder, '--json'], { cwd })).out);
    expect(shown).toMatchObject({ ...runs[0], steps: expect.any(Array), prompt: 'Buy a lamp.', grade: { reward: 1 } });
    expect(shown.steps.map((step: { source: string }) => step.source)).toEqual([
      'setup',
      'agent',
      'evaluate',
      'evaluate',
    ]);
    const said = await taskwright(['show', folder], { cwd });
    expect(said.exit).toBe(0);
    expect(said.out).toContain("agent     click('#buy')");
    expect(said.out).toContain('evaluate  page_contains("Thank you")');
  });

  it('of a folder that is not a run is bad use', async () => {
    const { cwd } = await shop();
    await mkdir(join(cwd, 'empty'));
    const said = await taskwright(['show', 'empty', '--json'], { cwd });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out)).toMatchObject({ error: { code: 'trace_missing' } });
  });
});

describe('taskwright doctor', () => {
  it('prints where it searched for Docker and a browser', async () => {
    const tried = ['unix:///nowhere.sock: no such file'];
    const docker = { found: false, tried, message: 'none', fix: 'Set DOCKER_HOST.' } as const;
    const said = await taskwright(['doctor', '--json', '--hosts', 'near, far'], { cwd: '/', docker });
    const health = JSON.parse(said.out);
    expect(said.exit).toBe(health.browser.ok ? 0 : 1);
    const parts = ['ok', 'node', 'browser', 'miniwob', 'python', 'git', 'desktop', 'docker', 'hosts', 'kubernetes'];
    expect(Object.keys(health)).toEqual(parts);
    expect(health.hosts).toMatchObject([
      { name: 'near', ok: false },
      { name: 'far', ok: false },
    ]);
    expect(health.docker).toMatchObject({
      ok: false,
      tried: docker.tried,
      fix: expect.stringContaining('DOCKER_HOST'),
    });
    const plain = await taskwright(['doctor'], { cwd: '/', docker });
    expect(plain.out).toMatch(/^– Docker was not found\. Looked for:\n {4}unix:\/\/\/nowhere\.sock: no such file$/m);
  });
});

describe('bad use', () => {
  it.each([
    [['frobnicate'], 'unknown_command'],
    [['run'], 'no_path'],
    [['list'], 'no_path'],
    [['run', 'nowhere.task.json', '--agent', 'noop'], 'file_not_found'],
    [['run', 'shop.tasks.json#nobody', '--agent', 'noop'], 'unknown_task'],
    [['run', '.', '--agent', 'claude'], 'agent_unknown'],
    [['run', '.', '--agent', 'manual'], 'agent_unknown'],
    [['run', '.', '--agent', 'replay:nowhere'], 'agent_missing'],
    [['run', '.', '--agent', 'noop', '--max-steps', '0'], 'bad_option'],
    [['run', '.', '--agent', 'noop', '--seed', '1.5'], 'bad_option'],
    [['run', '.', '--agent', 'noop', '--group', 'x'], 'bad_option'],
    [['run', '.', '--agent', 'noop', '--timeout', '0'], 'bad_option'],
    [['run', '.', '--agent', 'noop', '--timeout', 'Infinity'], 'bad_option'],
    [['run', '.', '--agent', 'noop', '--placement', 'moon'], 'unknown_placement'],
    [['serve', '.', '--placement', 'moon'], 'unknown_placement'],
    [['serve', '.', '--placement', 'kubernetes'], 'bad_option'],
    [['serve', '.', '--lanes', '2'], 'bad_option'],
    [['serve', '.', '--namespace', 'x'], 'bad_option'],
    [['run', '.', '--frob'], 'bad_option'],
    [['run', '.', '--agent'], 'bad_option'],
    [['run', 'empty', '--agent', 'noop'], 'no_tasks'],
    [['list', 'empty'], 'no_tasks'],
    [['list', 'empty', '--registry'], 'no_tasks'],
    [['validate', 'empty'], 'no_tasks'],
    [['serve', 'empty', '--token', 't'], 'no_tasks'],
  ])('%j exits with 2 and says %s', async (args, code) => {
    const { cwd } = await shop();
    await mkdir(join(cwd, 'empty'));
    const said = await taskwright([...args, '--json'], { cwd });
    expect(said.exit).toBe(2);
    expect(JSON.parse(said.out).error).toEqual({ code, message: expect.stringMatching(/\S/) });
    const plain = await taskwright(args, { cwd });
    expect(plain).toMatchObject({ exit: 2, out: '' });
    expect(plain.err).not.toBe('');
  });

  it.each([
    ['list', []],
    ['validate', []],
    ['run', { job_id: null, runs: [] }],
  ])('%s of a folder without tasks exits with 0 and prints %j with --allow-empty', async (command, none) => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'task.json', '{"prompt": "Not named as a task file."}');
    const refusal = await taskwright([command, '.'], { cwd });
    expect(refusal).toMatchObject({ exit: 2, out: '' });
    expect(refusal.err).toMatch(/^No tasks found in “\.”\. In folders, Taskwright reads \*\.task\.json/);
    const { exit, out } = await taskwright([command, '.', '--allow-empty', '--json'], { cwd });
    expect(exit).toBe(0);
    expect(JSON.parse(out)).toEqual(none);
  });

  it('points from a file without tasks to its validation, whose errors --allow-empty does not hide', async () => {
    const cwd = await temporaryFolder();
    await fileIn(cwd, 'half.tasks.json', '[{"prompt"');
    await fileIn(cwd, 'none.tasks.json', '[]');
    for (const file of ['half.tasks.json', 'none.tasks.json']) {
      const { exit, err } = await taskwright(['list', file], { cwd });
      expect([exit, err]).toEqual([2, `No tasks found in “${file}”. To see why, run taskwright validate.\n`]);
    }
    expect((await taskwright(['validate', 'none.tasks.json'], { cwd })).exit).toBe(2);
    expect((await taskwright(['validate', 'none.tasks.json', '--allow-empty'], { cwd })).exit).toBe(0);
    expect((await taskwright(['validate', 'half.tasks.json', '--allow-empty'], { cwd })).exit).toBe(2);
  });

  it('lists the existing tasks', async () => {
    const { cwd } = await shop();
    const said = await taskwright(['run', 'shop.tasks.json#nobody'], { cwd });
    expect(said.err).toContain('It contains buy, typo, ask.');
  });
});

describe('help', () => {
  it('is there for all commands and for each', async () => {
    const cwd = await temporaryFolder();
    const all = await taskwright(['--help'], { cwd });
    expect(all.exit).toBe(0);
    for (const name of ['list', 'validate', 'run', 'show', 'doctor']) {
      expect(all.out).toMatch(new RegExp(`^  ${name} `, 'm'));
      const one = await taskwright([name, '--help'], { cwd });
      expect(one.exit).toBe(0);
      expect(one.out).toContain(`Usage: taskwright ${name}`);
    }
  });

  it('names the version of the package', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../../package.json'), 'utf8'));
    expect((await taskwright(['--version'], { cwd: '/' })).out).toBe(`${version}\n`);
  });
});

describe('a terminal', () => {
  const ESCAPE = '\u001B[';

  it('sees a bar and colours', async () => {
    const { cwd } = await shop();
    const said = await taskwright(['run', 'shop.tasks.json#buy', '--agent', 'noop'], { cwd, terminal: true });
    expect(said.out).toContain(`${ESCAPE}32m✓${ESCAPE}39m`);
    expect(said.err).toContain('[····················] 0/1');
    // The bar is gone at the end.
    expect(said.err.lastIndexOf(`\r${ESCAPE}2K`)).toBeGreaterThan(said.err.lastIndexOf('1/1'));
  });

  it('sees no colours with NO_COLOR, and a pipe sees neither', async () => {
    const { cwd } = await shop();
    const args = ['run', 'shop.tasks.json#buy', '--agent', 'noop'];
    const plain = await taskwright(args, { cwd, terminal: true, environment: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain(ESCAPE);
    const piped = await taskwright(args, { cwd });
    expect(piped.out + piped.err).not.toContain('\u001B');
  });
});
