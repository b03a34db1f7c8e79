import { describe, expect, test } from 'vitest';
import { isAddress, readCodingStart } from '../../../src/environments/coding/spec.ts';
import type { EnvironmentSpec } from '../../../src/tasks/task.ts';

const read = (env: Omit<EnvironmentSpec, 'type'>) => readCodingStart({ type: 'coding', ...env });
const problems = (env: Omit<EnvironmentSpec, 'type'>) => {
  const start = read(env);
  return 'problems' in start ? start.problems.map(({ path, message }) => [path.join(' '), message]) : [];
};

describe('the start of a coding task', () => {
  test('is nothing, files, a folder or a commit', () => {
    expect(read({})).toEqual({ kind: 'empty' });
    expect(read({ files: { 'a/b.py': '', '..c': '' } })).toEqual({ kind: 'files', files: { 'a/b.py': '', '..c': '' } });
    expect(read({ folder: './project' })).toEqual({ kind: 'folder', folder: './project' });
    const git = { kind: 'git', commit: 'HEAD' };
    expect(read({ git: 'git@host:p.git' })).toEqual({ ...git, repository: 'git@host:p.git' });
    // A path, as everything is that is no address: never an option of git or of ssh.
    expect(isAddress('-oProxyCommand@host:p')).toBe(false);
    expect(read({ git: 'p', submodules: true })).toEqual({ ...git, repository: 'p', submodules: true });
    expect(read({ git: 'p', submodules: false })).toEqual({ ...git, repository: 'p' });
    expect(read({ git: 'p', commit: 'v1' })).toEqual({ kind: 'git', repository: 'p', commit: 'v1' });
  });

  test.each<[Omit<EnvironmentSpec, 'type'>, string, string]>([
    [{ files: {}, git: 'x' }, 'git', 'both say'],
    [{ folder: 'x', commit: 'v1' }, 'commit', 'there is none'],
    [{ files: [] }, 'files', 'an object of paths and texts'],
    [{ files: { '../a': '' } }, 'files ../a', 'leads out'],
    [{ files: { 'a/../../b': '' } }, 'files a/../../b', 'leads out'],
    [{ files: { '/etc/passwd': '' } }, 'files /etc/passwd', 'leads out'],
    [{ files: { 'C:a': '' } }, 'files C:a', 'leads out'],
    [{ files: { 'a\\b': '' } }, 'files a\\b', 'not a valid file path'],
    [{ files: { 'a/': '' } }, 'files a/', 'not a valid file path'],
    [{ files: { a: '', 'a/b': '' } }, 'files a', 'a file here and a folder'],
    [{ files: { a: 1 } }, 'files a', 'is a text'],
    [{ folder: '' }, 'folder', 'the path of a folder'],
    [{ folder: '~/x' }, 'folder', 'leads out'],
    [{ folder: 'a/../..' }, 'folder', 'leads out'],
    [{ git: 3 }, 'git', 'the URL of a repository'],
    [{ git: '../other' }, 'git', 'leads out'],
    [{ git: 'p', commit: '--upload-pack=x' }, 'commit', 'a whole hash'],
    [{ git: 'p', commit: 'main:refs/heads/x' }, 'commit', 'a whole hash'],
    [{ git: 'p', commit: 'a b' }, 'commit', 'a whole hash'],
    [{ git: 'p', submodules: 'yes' }, 'submodules', 'true or false'],
    [{ folder: 'p', submodules: true }, 'submodules', 'git submodule update'],
  ])('%j is told at %s', (env, path, words) => {
    expect(problems(env)).toEqual([[path, expect.stringContaining(words)]]);
  });
});
