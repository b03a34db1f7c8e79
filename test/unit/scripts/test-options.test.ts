import { expect, it } from 'vitest';
import { parseTestOptions } from '../../../scripts/test-options.ts';

const ALL = { suite: undefined, include: [], isLong: false, shard: undefined };

it.each([
  [[], ALL],
  [['--long'], { ...ALL, isLong: true }],
  [['unit', 'runs', 'tasks/'], { ...ALL, suite: 'unit', include: ['runs', 'tasks/'] }],
  [['--long', '--shard', '2/3'], { ...ALL, isLong: true, shard: '2/3' }],
  [['--shard=1/3', 'docker'], { ...ALL, suite: 'docker', shard: '1/3' }],
])('npm test -- %j', (words, expected) => {
  expect(parseTestOptions(words)).toEqual(expected);
});

it.each([
  [['units'], 'There is no suite "units". Suites: lint, unit, system'],
  [['--longer'], 'There is no option --longer.'],
  [['--shard'], '--shard needs a part of the tests, such as 1/3, not "".'],
  [['--shard', '4/3'], 'not "4/3"'],
  [['--shard=0/3'], 'not "0/3"'],
])('npm test -- %j is refused', (words, message) => {
  expect(() => parseTestOptions(words)).toThrow(message);
});
