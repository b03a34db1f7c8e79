import { afterEach, expect, test, vi } from 'vitest';
import { groupEnded, killGroup } from '../../../src/processes/groups.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const failure = (code: string): Error => Object.assign(new Error(code), { code });

test('a group has ended when none of its processes is left, those that nobody has waited for included', async () => {
  const kill = vi.spyOn(process, 'kill');
  kill.mockReturnValueOnce(true).mockReturnValueOnce(true);
  kill.mockImplementation(() => {
    throw failure('ESRCH');
  });
  await groupEnded(1234);
  expect(kill.mock.calls).toEqual([
    [-1234, 0],
    [-1234, 0],
    [-1234, 0],
  ]);
});

test.each(['ESRCH', 'EPERM'])('a group that has ended can be killed (%s)', (code) => {
  const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
    throw failure(code);
  });
  killGroup(1234);
  expect(kill).toHaveBeenCalledWith(-1234, 'SIGKILL');
});
