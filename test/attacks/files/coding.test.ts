import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ActionInput } from '../../../src/actions/action.ts';
import { CodingEnvironment } from '../../../src/environments/coding/environment.ts';
import { task } from '../../unit/runs/tasks.ts';
import { ALLOWED, ANSWER, commitAll, known, workspace } from './workspace.ts';

/** A coding task in `questions.json` that begins with this. */
async function start(folder: string, gym: Readonly<Record<string, string>>) {
  const log: string[] = [];
  const environment = new CodingEnvironment((text) => log.push(text));
  onTestFinished(() => environment.close());
  const files = { folder, withheld: known(folder) };
  const asked = task({ file: join(folder, 'questions.json'), env: { type: 'coding', ...gym } });
  const { observation } = await environment.reset({ task: asked, files, seed: 0 });
  const step = async (action: ActionInput) => (await environment.step([action])).observation.text ?? '';
  const { workspace: work } = environment.functionContext();
  return { listed: observation.text ?? '', step, log, folder: work?.folder ?? '' };
}

const LISTING = `Files:\n${ALLOWED.join('\n')}`;

describe('a coding task whose folder is the folder of the tasks', () => {
  it('begins without files that the run knows, and says so in the log', async () => {
    const { listed, step, log } = await start(workspace(), { folder: '.' });
    expect(listed).toBe(LISTING);
    expect(await step(`run("grep -rl ${ANSWER} .; true")`)).not.toContain('./');
    expect(log).toEqual([expect.stringMatching(/^Withheld from the agent: .*others\.json \(a task file\)/)]);
  });

  it('begins without a history that holds them', async () => {
    const folder = workspace();
    commitAll(folder);
    const { listed, folder: work } = await start(folder, { folder: '.' });
    expect(listed).toBe(LISTING);
    expect(readdirSync(work)).not.toContain('.git');
  });

  it('keeps the history of a project that has nothing to do with them', async () => {
    const folder = workspace();
    commitAll(join(folder, 'src'));
    const { folder: work } = await start(folder, { folder: 'src' });
    expect(readdirSync(work)).toContain('.git');
  });
});

/** Everything that git finds in the folder of the agent, whatever its `.git` refers to. */
const SEARCH = `run("git cat-file --batch-all-objects --batch --unordered | grep -a -c ${ANSWER}; git worktree list")`;

describe('a coding task in a project whose history is kept with that of the tasks', () => {
  const AS = ['-c', 'user.name=A', '-c', 'user.email=a@b'];
  const git = (folder: string, ...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });

  it.each<readonly [string, (folder: string) => void]>([
    ['a linked work tree', (folder) => git(folder, 'worktree', 'add', '-q', '--detach', 'project')],
    ['a clone that borrows objects', (folder) => git(folder, 'clone', '-q', '--shared', '.', 'project')],
    [
      'a repository that names another work tree',
      (folder) => {
        git(folder, 'init', '-q', 'project');
        git(join(folder, 'project'), 'config', 'core.worktree', folder);
      },
    ],
    [
      'a clone that once held them',
      (folder) => {
        git(folder, 'clone', '-q', '.', 'project');
        git(join(folder, 'project'), 'rm', '-rq', '.');
        git(join(folder, 'project'), ...AS, 'commit', '-qm', 'Without');
      },
    ],
    [
      'a repository elsewhere',
      (folder) => {
        mkdirSync(join(folder, 'project'));
        writeFileSync(join(folder, 'project', '.git'), `gitdir: ${join(folder, '.git')}\n`);
      },
    ],
  ])('gets no way to it: %s', async (_, lay) => {
    const folder = workspace();
    commitAll(folder);
    lay(folder);
    for (const name of readdirSync(join(folder, 'project'))) {
      if (name !== '.git') rmSync(join(folder, 'project', name), { recursive: true });
    }
    writeFileSync(join(folder, 'project', 'main.py'), 'print(1)\n');
    const before = git(folder, 'status', '--porcelain').toString();
    const { listed, step, log, folder: work } = await start(folder, { folder: 'project' });
    expect(listed).toBe('Files:\nmain.py');
    expect(existsSync(join(work, '.git'))).toBe(false);
    expect(log).toEqual([expect.stringContaining('.git')]);
    expect(await step(SEARCH)).not.toMatch(/\n[1-9]/);
    await step(
      `run("git add -A; git -c user.name=A -c user.email=a@b commit -qm Mine; git checkout -f; git clean -fd")`,
    );
    expect(git(folder, 'status', '--porcelain').toString()).toBe(before);
  });
});

it('a coding task gets no bare repository that holds what is withheld, and another one', async () => {
  const folder = workspace();
  const other = workspace();
  commitAll(folder);
  commitAll(join(other, 'src'));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
  git('clone', '-q', '--bare', '.', 'src/tasks.git');
  git('clone', '-q', '--bare', join(other, 'src'), 'src/other.git');
  const { folder: work, log } = await start(folder, { folder: 'src' });
  expect(readdirSync(work)).toContain('other.git');
  expect(readdirSync(work)).not.toContain('tasks.git');
  expect(log).toEqual([expect.stringContaining('tasks.git (')]);
});

describe('a coding task that begins with the repository of the tasks', () => {
  it.each(['path', 'address', 'copy elsewhere'])(
    'gets neither files nor objects that hold them: by %s',
    async (way) => {
      const folder = workspace();
      commitAll(folder);
      const copy = workspace();
      commitAll(copy);
      const git = { path: '.', address: `file://${folder}`, 'copy elsewhere': `file://${copy}` }[way] ?? '';
      const { listed, step } = await start(folder, { git });
      expect(listed).toBe(LISTING);
      const all = await step(
        `run("git cat-file --batch-all-objects --batch --unordered | grep -a -c ${ANSWER}; git log --format=%s; git status --short")`,
      );
      expect(all).toContain('\n0\nAll\n[exit code 0]');
      expect(await step(`run("grep -rl ${ANSWER} . | wc -l")`)).toContain('\n0\n');
    },
  );

  const STEPS = `// ${ANSWER}\n// Buy\n`;
  it.each([
    ['line ends', '* text eol=crlf\n', STEPS, Buffer.from(STEPS)],
    ['keywords', '* ident\n', `$Id: 01 $\n${STEPS}`, Buffer.from(`$Id: 23 $\n${STEPS}`)],
    [
      'an encoding',
      'renamed.html working-tree-encoding=UTF-16LE-BOM\n',
      STEPS,
      Buffer.from(`\ufeff${STEPS}`, 'utf16le'),
    ],
  ])('does not get them where git stores and checks out other %s', async (_, attributes, original, copied) => {
    const folder = workspace();
    const copy = workspace();
    writeFileSync(join(folder, 'steps.js'), original);
    for (const name of ['steps.js', 'pages/four.js', 'pages/four-symbolic.js']) rmSync(join(copy, name));
    writeFileSync(join(copy, 'renamed.html'), copied);
    writeFileSync(join(copy, '.gitattributes'), attributes);
    commitAll(copy);
    const { listed, step } = await start(folder, { git: `file://${copy}` });
    expect(listed).toBe(LISTING.replace('data.json', '.gitattributes\ndata.json'));
    expect(await step(SEARCH)).toContain('\n0\n');
  });

  it('does not get pointers to their content', async () => {
    const folder = workspace();
    const copy = workspace();
    const text = readFileSync(join(folder, 'steps.js'));
    const hash = createHash('sha256').update(text).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${hash}\nsize ${text.length}\n`;
    writeFileSync(join(copy, 'index.html'), pointer);
    commitAll(copy);
    expect((await start(folder, { git: `file://${copy}` })).listed).toBe(LISTING.replace('index.html\n', ''));
  });

  it('runs no filter, hook, or submodule of it', async () => {
    const folder = workspace();
    const ran = join(folder, 'ran');
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' });
    writeFileSync(join(folder, '.gitattributes'), '*.html filter=plain\n');
    writeFileSync(join(folder, '.gitmodules'), '[submodule "s"]\n  path = s\n  url = ../.\n  update = !touch ran\n');
    commitAll(folder);
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').toString().trim()},s`);
    git('-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '-qm', 'With a submodule');
    for (const way of ['clean', 'smudge', 'process']) git('config', `filter.plain.${way}`, `touch ${ran}; cat`);
    git('config', 'uploadpack.packObjectsHook', `touch ${ran}; exec`);
    git('config', 'core.fsmonitor', `touch ${ran}`);
    for (const name of readdirSync(join(folder, '.git', 'hooks'))) rmSync(join(folder, '.git', 'hooks', name));
    for (const name of ['post-checkout', 'pre-commit', 'reference-transaction', 'post-commit', 'pre-auto-gc']) {
      writeFileSync(join(folder, '.git', 'hooks', name), `#!/bin/sh\ntouch ${ran}\n`, { mode: 0o755 });
    }
    const { folder: work } = await start(folder, { git: '.' });
    expect(existsSync(ran)).toBe(false);
    expect(readdirSync(join(work, 's'))).toEqual([]);
  });
});
