import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';

/** The promises of a document that name no test, or one that does not exist. */
function unheld(text: string): string[] {
  const promises = text.split(/^## /m)[0]?.split(/^- /m).slice(1) ?? [];
  return promises.filter((promise) => {
    const tests = [...promise.matchAll(/`(test\/[^`]+)`/g)].map(([, test = '']) => test.replace(/\s+/g, ' '));
    return tests.length === 0 || !tests.every(exists);
  });
}

/** Whether there is a test: `folder/`, `file`, or `file › title`, where the title stands in the file as a string. */
function exists(test: string): boolean {
  const [file = '', title] = test.split(' › ');
  const path = join(root, file);
  if (!existsSync(path) || statSync(path).isDirectory() !== file.endsWith('/')) return false;
  return (
    title === undefined || ["'", '"', '`'].some((quote) => readFileSync(path, 'utf8').includes(quote + title + quote))
  );
}

describe('the promises in docs/security.md', () => {
  it('each name the tests that hold them', async () => {
    expect(unheld(await readFile(join(root, 'docs', 'security.md'), 'utf8'))).toEqual([]);
  });

  it('are missed where one names none, or one that does not exist', () => {
    const held = '- **Held** (`test/unit/promises.test.ts`, `test/unit/`).\n';
    const titled = '- **Titled** (`test/unit/promises.test.ts › each name the\n  tests that hold them`).\n';
    const missed = [
      '**Bare.**',
      '**Gone** (`test/unit/gone.test.ts`).',
      '**No folder** (`test/unit/promises.test.ts/`).',
      '**Renamed** (`test/unit/promises.test.ts › each named a test`).',
    ];
    const text = `# Security\n\n${held}${titled}${missed.map((one) => `- ${one}\n`).join('')}\n## Rest\n\n- **Other.**\n`;
    expect(unheld(text).map((promise) => promise.trim())).toEqual(missed);
  });
});
