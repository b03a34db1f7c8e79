import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';

/** A row of the table in `docs/testing.md`: a test or a group that only `npm run test:long` runs. */
interface Row {
  readonly file: string;
  readonly name: string;
  /** Files that show the same in every run. */
  readonly guards: readonly string[];
}

const CODE = /`([^`]+)`/g;
const MARKED =
  /\b(?:itLong|describeLong)(?:\.each(?:<\w+>)?\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?\(\s*(['"`])(.+?)\1,/gs;

/** The rows of a Markdown table whose first cells look like `file` › `name`. */
function rowsOf(markdown: string): readonly Row[] {
  return [...markdown.matchAll(/^\| `(test\/[^`]+)` › `([^`]+)` \| (.+) \|$/gm)].map(([, file, name, guards]) => ({
    file: file ?? '',
    name: name ?? '',
    guards: [...(guards ?? '').matchAll(CODE)].map(([, path]) => path ?? ''),
  }));
}

/** The names of the tests in a source text that are marked as long. */
function markedIn(source: string): readonly string[] {
  return [...source.matchAll(MARKED)].map(([, , name]) => name ?? '');
}

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts') && !path.endsWith('long-tests.test.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`);
const rows = rowsOf(readFileSync(join(root, 'docs', 'testing.md'), 'utf8'));

describe('The table of tests that only `npm run test:long` runs', () => {
  it('names every test that is marked, and no other', () => {
    const marked = files.flatMap((file) =>
      markedIn(readFileSync(join(root, file), 'utf8')).map((name) => `${file} › ${name}`),
    );
    expect(rows.map(({ file, name }) => `${file} › ${name}`).sort()).toEqual(marked.sort());
  });

  it('names a guard for each that is in every run', () => {
    const whole = new Set(rows.map(({ file, name }) => `${file} › ${name}`));
    for (const { file, name, guards } of rows) {
      expect(guards.length, `${file} › ${name}`).toBeGreaterThan(0);
      for (const guard of guards) {
        const [path = '', test] = guard.split(' › ');
        expect(existsSync(join(root, path)), guard).toBe(true);
        if (test !== undefined) expect(readFileSync(join(root, path), 'utf8')).toContain(test);
        expect(whole.has(guard), `${guard} is itself long`).toBe(false);
      }
    }
  });

  it('would miss none of the ways in which tests are marked', () => {
    const source = [
      "itLong('one', () => {});",
      "describeLong('two', { timeout: 1 }, () => {});",
      "itLong.each([['a', f(g(1))], ['b', 2]])('three %s', () => {});",
      'itLong(\n  "it\'s four",\n  () => {},\n);',
      "itLong.each<Theme>(['dark', ...OTHERS])('five', () => {});",
    ].join('\n');
    expect(markedIn(source)).toEqual(['one', 'two', 'three %s', "it's four", 'five']);
    expect(source.match(/itLong|describeLong/g)).toHaveLength(5);
  });

  it('reads every row of a table', () => {
    const table = '| `test/a.test.ts` › `one` | `test/b.test.ts`, `test/c.test.ts › two` |';
    expect(rowsOf(table)).toEqual([
      { file: 'test/a.test.ts', name: 'one', guards: ['test/b.test.ts', 'test/c.test.ts › two'] },
    ]);
  });
});
