import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, openInSharedServer } from './coding.ts';

const open = openInSharedServer();

/** A folder with a repository `project`: two commits of one file, the first of them tagged, and a branch beside it. */
function repositoryWith(file: string): { readonly folder: string; readonly commit: string } {
  const folder = folderWith({ [`project/${file}`]: 'first\n' });
  const repository = join(folder, 'project');
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', ...args], { cwd: repository, encoding: 'utf8' });
  const write = (text: string, message: string): void => {
    writeFileSync(join(repository, file), text);
    git('add', '.');
    git('commit', '-q', '-m', message);
  };
  git('init', '-q', '-b', 'main');
  write('first\n', 'First');
  git('tag', 'v1');
  const commit = git('rev-parse', 'HEAD').trim();
  git('checkout', '-q', '-b', 'other');
  write('of the branch\n', 'Other');
  git('checkout', '-q', 'main');
  write('the solution\n', 'Second');
  return { folder, commit };
}

describe('the start of a coding task', () => {
  test('inline files, which the first observation lists', async () => {
    const { start, coding } = await open({ files: { 'src/a.py': 'print(1)\n', 'b.md': '# B\n' } });
    expect(start.observation).toEqual({ text: 'Files:\nb.md\nsrc/a.py', screenshot: null });
    expect((await coding.step("read_file('src/a.py')")).observation.text).toBe('print(1)\n');
  });

  test('a copy of a folder next to the task, without link targets', async () => {
    const folder = folderWith({ 'project/run.sh': 'echo ran\n', 'project/deep/x.txt': 'x', secret: 'secret' });
    execFileSync('chmod', ['755', join(folder, 'project/run.sh')]);
    symlinkSync('../secret', join(folder, 'project/link'));
    const { start, coding } = await open({ folder: 'project' }, folder);
    expect(start.observation.text).toBe('Files:\ndeep/x.txt\nrun.sh');
    expect((await coding.step("run('./run.sh; echo y > deep/x.txt; ls')")).observation.text).toContain('ran\n');
    // The next run begins as this one did.
    expect((await coding.reset({ folder: 'project' }, folder)).observation.text).toBe('Files:\ndeep/x.txt\nrun.sh');
    expect((await coding.step("read_file('deep/x.txt')")).observation.text).toBe('x');
  });

  test('a commit of a repository, without later commits', async () => {
    const { folder, commit } = repositoryWith('a.txt');
    const { coding } = await open({ git: 'project', commit }, folder);
    const seen = await coding.step("run('cat a.txt; git log --all --format=%s; git status --short')");
    expect(seen.observation.text).toBe(
      '$ cat a.txt; git log --all --format=%s; git status --short\nfirst\nFirst\n[exit code 0]',
    );
    await coding.step("write_file('a.txt', 'mine\\n')");
    expect(await coding.evaluate('diff_matches', '(?m)^-first\n\\+mine$')).toMatchObject({ value: 1 });
  });

  test.each([
    ['removes the history', 'rm -rf .git; git init -q'],
    [
      'replaces what the history has',
      'echo other > b.txt; git replace -f $(git rev-parse HEAD:a.txt) $(git hash-object -w b.txt); rm b.txt',
    ],
  ])('a commit whose files are known even if the agent %s', async (_what, command) => {
    const { folder, commit } = repositoryWith('a.txt');
    const { coding } = await open({ git: 'project', commit }, folder);
    await coding.step(`run('${command}; echo more >> a.txt')`);
    expect(await coding.evaluate('diff_matches', '(?m)^ first\n\\+more$')).toMatchObject({ value: 1 });
    expect(await coding.evaluate('diff_matches', '(?m)^[+-](?:first|other)')).toMatchObject({ value: 0 });
  });

  test.each([
    ['a tag', 'v1', 'first\n'],
    ['a branch', 'other', 'of the branch\n'],
    ['no commit named', undefined, 'the solution\n'],
  ])('a repository at %s', async (_, commit, text) => {
    const { folder } = repositoryWith('a.txt');
    const { coding } = await open({ git: 'project', ...(commit && { commit }) }, folder);
    expect((await coding.step("read_file('a.txt')")).observation.text).toBe(text);
  });

  test.each([
    [
      '0123456789012345678901234567890123456789',
      'git cannot fetch “0123456789012345678901234567890123456789” of “project”',
    ],
    ['nowhere', "git cannot fetch “nowhere” of “project”: couldn't find remote ref nowhere"],
    ['-v1', '"commit" is a whole hash'],
  ])('a missing commit is reported: %s', async (commit, words) => {
    const { folder } = repositoryWith('a.txt');
    await expect(open({ git: 'project', commit }, folder)).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining(words),
    });
  });

  test.each([
    '--upload-pack=touch pwned',
    '-c core.sshCommand=touch pwned',
    '-oProxyCommand=touch pwned@x:y',
    'ssh://-oProxyCommand=touch pwned/x',
  ])('the address of a repository is no option: %s', async (git) => {
    const { folder } = repositoryWith('a.txt');
    await expect(open({ git }, folder)).rejects.toMatchObject({ code: 'start_failed' });
    expect(readdirSync(folder)).toEqual(['project']);
    expect(readdirSync(join(folder, 'project')).toSorted()).toEqual(['.git', 'a.txt']);
  });

  test.each([
    [{ folder: 'none' }, 'the folder “none” does not exist next to the task'],
    [{ folder: '../' }, 'leads out of the folder'],
    [{ files: { '../a': '' } }, 'leads out of the folder'],
    [{ files: {}, folder: 'x' }, 'both say what the task begins with'],
    [{ git: 'none' }, 'git cannot fetch “none”'],
    [{ git: 'ext::sh -c touch% pwned' }, 'git cannot fetch'],
  ])('a start that cannot be created is reported: %j', async (env, words) => {
    await expect(open(env, folderWith({}))).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringContaining(words),
    });
  });

  test('files of setup calls belong to the start', async () => {
    const { coding } = await open({ files: { 'a.txt': 'a\n' } });
    const after = await coding.setup('write_file', 'b.txt', 'b\n');
    expect(after).toMatchObject({ step: { observation: { text: 'Files:\na.txt\nb.txt' } } });
    await coding.setup('run_command', 'echo c > c.txt; rm a.txt');
    const step = await coding.step("write_file('b.txt', 'B\\n')");
    expect(step.info.changes).toEqual([expect.objectContaining({ path: 'b.txt', kind: 'changed' })]);
    expect(await coding.setup('run_command', 'echo no >&2; exit 4')).toMatchObject({
      error: { code: 'call_threw', message: expect.stringMatching(/exited with code 4.*no/) },
    });
  });
});

describe('submodules and Git LFS', () => {
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 5\n`;

  /** A repository in a folder, with submodules by their paths and URLs. */
  function repository(
    top: string,
    name: string,
    files: object,
    submodules: Readonly<Record<string, string>> = {},
  ): void {
    const folder = join(top, name);
    mkdirSync(folder, { recursive: true });
    const git = (...args: string[]) => {
      const allowed = ['-c', 'user.name=A', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
      return execFileSync('git', [...allowed, ...args], { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
    };
    git('init', '-q', '-b', 'main');
    for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
    for (const [path, url] of Object.entries(submodules)) {
      const from = /^\.\.?\//.test(url) ? join(folder, url) : url;
      git('submodule', '--quiet', 'add', from, path);
      git('config', '-f', '.gitmodules', `submodule.${path}.url`, url);
    }
    git('add', '.');
    git('commit', '-q', '-m', 'First');
  }

  /** `project` with the submodule `vendor/lib`, which has the submodule `deep`. */
  function nested(): string {
    const top = folderWith({});
    repository(top, 'deep', { 'd.txt': 'd\n' });
    repository(top, 'lib', { 'l.txt': 'l\n' }, { deep: '../deep' });
    repository(top, 'project', { 'a.txt': 'a\n', 'large.bin': pointer }, { 'vendor/lib': '../lib' });
    return top;
  }

  test('are not fetched unless the task says so, and the run names them', async () => {
    const { start } = await open({ git: 'project' }, nested());
    expect(start.observation.text).toBe('Files:\n.gitmodules\na.txt\nlarge.bin');
    expect(start.warning).toBe(
      'the agent gets no files of submodules, whose folders are empty: “vendor/lib”. To have them, add "submodules": true to "gym"\n' +
        'the agent gets pointers in place of the files that Git LFS stores: “large.bin”. To have the files, name a clone as "folder" in which `git lfs pull` has run',
    );
  });

  test('are fetched with theirs, and changes in them are changes', async () => {
    const { start, coding } = await open({ git: 'project', submodules: true }, nested());
    expect(start.observation.text).toContain('vendor/lib/deep/d.txt\nvendor/lib/l.txt');
    expect(start.warning).not.toContain('submodules');
    const seen = await coding.step(
      "run('echo L > vendor/lib/l.txt; echo D >> vendor/lib/deep/d.txt; git status --short')",
    );
    expect(seen.observation.text).toContain(' m vendor/lib\n');
    expect(await coding.evaluate('diff_matches', '(?m)^-l\n\\+L$', 'vendor/lib/l.txt')).toMatchObject({ value: 1 });
    expect(await coding.evaluate('diff_matches', '(?m)^ d\n\\+D$', 'vendor/lib/deep/d.txt')).toMatchObject({
      value: 1,
    });
  });

  test.each([
    ['a repository outside of the folder', (outside: string) => `${outside}/secret`, 'leads out of the folder'],
    ['a file: URL outside of the folder', (outside: string) => `file://${outside}/secret`, 'leads out of the folder'],
    ['a program', () => 'ext::sh -c "touch pwned"', 'would run a program'],
    ['no repository', () => '../none', 'git cannot fetch'],
  ])('%s is refused', async (_, url, words) => {
    const outside = folderWith({});
    repository(outside, 'secret', { 's.txt': 'secret\n' });
    const top = folderWith({});
    repository(top, 'project', { 'a.txt': 'a\n' }, { lib: `${outside}/secret` });
    const project = join(top, 'project');
    execFileSync('git', ['config', '-f', '.gitmodules', 'submodule.lib.url', url(outside)], { cwd: project });
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--allow-empty', '-qam', 'Change'], {
      cwd: project,
    });
    await expect(open({ git: 'project', submodules: true }, top)).rejects.toMatchObject({
      code: 'start_failed',
      message: expect.stringMatching(new RegExp(`the submodule “lib” cannot be fetched: .*${words}`)),
    });
    expect(readdirSync(project).toSorted()).toEqual(['.git', '.gitmodules', 'a.txt', 'lib']);
  });

  test('in a folder that lacks them are named', async () => {
    const top = folderWith({
      'project/.gitmodules':
        '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n[submodule "full"]\n\tpath = full\n\turl = ../full\n',
      'project/full/x': '',
      'project/deep/large.bin': pointer,
    });
    const { start } = await open({ folder: 'project' }, top);
    expect(start.warning).toBe(
      'the agent gets no files of submodules, whose folders are empty: “lib”. To have them, run `git submodule update --init --recursive` in “project”\n' +
        'the agent gets pointers in place of the files that Git LFS stores: “deep/large.bin”. To have the files, run `git lfs pull` in “project”',
    );
  });
});
