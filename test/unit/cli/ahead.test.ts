import { expect, test } from 'vitest';
import { startsServerAhead } from '../../../src/cli/ahead.ts';

test.each([
  ['run shop.tasks.json', {}, true],
  ['run shop.tasks.json --placement local', {}, true],
  ['rescore .taskwright/jobs/1', {}, true],
  ['run shop.tasks.json --placement docker', {}, false],
  ['run docker', {}, true],
  ['rescore docker --placement local', {}, true],
  ['run --placement=docker shop.tasks.json', {}, false],
  ['run shop.tasks.json', { TASKWRIGHT_PLACEMENT: 'docker' }, false],
  ['run', {}, false],
  ['run --help', {}, false],
  ['run -h', {}, false],
  ['list shop.tasks.json', {}, false],
  ['', {}, false],
])('taskwright %s: a server ahead where environments of this machine will be wanted', (line, env, expected) => {
  expect(startsServerAhead(line.split(' ').filter(Boolean), env)).toBe(expected);
});
