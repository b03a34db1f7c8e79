import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { gitFailure } from '../../../src/environments/coding/check-out.ts';

it('a repository that takes too long to fetch is an error that says so', async () => {
  const wait = ['-e', 'setTimeout(() => {}, 20_000)'];
  const error = await promisify(execFile)(process.execPath, wait, { timeout: 100 }).catch((error: unknown) => error);

  expect(gitFailure(error as Error, 'https://example.com/far.git', 'HEAD').message).toBe(
    'git cannot fetch “https://example.com/far.git”: it took longer than 120 s',
  );
});
