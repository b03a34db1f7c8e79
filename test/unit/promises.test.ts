import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../../scripts/places.ts';

/** The promises of a document that name no test, or one that does not exist. */
function unheld(text: string): string[] {
  const promises = text.split(/^## /m)[0]?.split(/^- /m).slice(1) ?? [];
  return promises.filter((promise) => {
    const tests = [...promise.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
    return tests.length === 0 || !tests.every((path) => existsSync(join(root, path)));
  });
}

describe('the promises in docs/security.md', () => {
  it('each name the tests that hold them', async () => {
    expect(unheld(await readFile(join(root, 'docs', 'security.md'), 'utf8'))).toEqual([]);
  });

  it('are missed where one names none, or one that does not exist', () => {
    const held = '- **Held** (`test/unit/promises.test.ts`).\n';
    const text = `# Security\n\n${held}- **Bare.**\n- **Gone** (\`test/unit/gone.test.ts\`).\n\n## Rest\n\n- **Other.**\n`;
    expect(unheld(text).map((promise) => promise.trim())).toEqual([
      '**Bare.**',
      '**Gone** (`test/unit/gone.test.ts`).',
    ]);
  });
});
