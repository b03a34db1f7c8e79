import { expect, test } from 'vitest';
import { isServerError, ServerError } from '../../../src/placement/placement.ts';
import { toRunError } from '../../../src/runs/run/failure.ts';

test('What a placement of another bundle throws is told as what it is, not as a fault of Taskwright’s', () => {
  // The same class, as a bundle of its own holds it.
  const foreign = Object.assign(new Error('Docker cannot be reached.'), {
    name: 'ServerError',
    code: 'docker_missing',
  });

  expect(isServerError(foreign)).toBe(true);
  expect(toRunError(foreign)).toEqual({ message: 'Docker cannot be reached.', code: 'docker_missing' });
  expect(isServerError(new ServerError('server_died', 'y'))).toBe(true);
  expect(isServerError(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe(false);
});
