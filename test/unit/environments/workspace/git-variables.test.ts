import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { withoutRepository } from '../../../../src/environments/workspace/git-variables.ts';
import { needsProgram } from '../../../systems.ts';

it.skipIf(needsProgram('git', 'variables of a repository'))(
  'removes only the variables by which git finds a repository',
  () => {
    const names = execFileSync('git', ['rev-parse', '--local-env-vars'], { encoding: 'utf8' }).trim().split('\n');
    const env = Object.fromEntries([...names, 'PATH', 'GIT_AUTHOR_NAME', 'GIT_SSH_COMMAND'].map((name) => [name, 'x']));
    expect(names).toContain('GIT_DIR');
    expect(withoutRepository(env)).toEqual({ PATH: 'x', GIT_AUTHOR_NAME: 'x', GIT_SSH_COMMAND: 'x' });
  },
);
