import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changedFiles, nearestTests, withinSeconds } from '../../../scripts/changed-files.ts';

const FILES: Readonly<Record<string, string>> = {
  'src/a.ts': 'export const a = 1;',
  'src/b.ts': "export { a } from './a.ts';\nimport type { C } from './c.ts';",
  'src/c.ts': "import './b.ts';\nexport type C = number;",
  'test/system/direct.test.ts': "import { a } from '../../src/a.ts';",
  'test/system/more/indirect.test.ts': "await import('../../../src/b.ts');",
  'test/system/far.test.ts': "import '../../src/c.ts';\nimport 'vitest';",
  'test/system/other.test.ts': "import './missing.ts';",
};
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskwright-changed-'));
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const nearest = (changed: readonly string[]): readonly string[] => nearestTests(changed, 'test/system', folder);

describe('The tests that are nearest to a change', () => {
  it('import it over the fewest files, circles included', () => {
    const all = ['test/system/direct.test.ts', 'test/system/more/indirect.test.ts', 'test/system/far.test.ts'];
    expect(nearest(['src/a.ts'])).toEqual(all);
    expect(nearest(['src/c.ts'])).toEqual(['test/system/far.test.ts', 'test/system/more/indirect.test.ts']);
  });

  it('are the changed tests themselves first', () => {
    expect(nearest(['test/system/other.test.ts', 'src/c.ts'])[0]).toBe('test/system/other.test.ts');
  });

  it('are none where nothing imports it', () => {
    expect(nearest(['docs/a.md'])).toEqual([]);
  });
});

it('lists a file once that git names twice', () => {
  expect(changedFiles('b.ts\na.ts\n', 'a.ts\nc d.ts\n')).toEqual(['a.ts', 'b.ts', 'c d.ts']);
});

describe('The files that are run within a time', () => {
  const seconds = new Map([
    ['long', 60],
    ['short', 4],
    ['other', 7],
  ]);
  const within = (limit: number, ...files: readonly string[]) =>
    withinSeconds(files, limit, (file) => seconds.get(file));

  it('are the first that fit', () => {
    expect(within(12, 'other', 'long', 'short', 'short')).toEqual(['other', 'short']);
    expect(within(100, 'other', 'long', 'short')).toEqual(['other', 'long', 'short']);
  });

  it('are four if none has run yet, and the shortest if none fits', () => {
    expect(within(12, 'a', 'b', 'c', 'd', 'e')).toEqual(['a', 'b', 'c', 'd']);
    expect(within(3, 'long', 'short')).toEqual(['short']);
    expect(within(3)).toEqual([]);
  });
});
