import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readText } from '../../../src/functions/page/in-page/read-text.ts';
import { readTextPiece } from '../../../src/functions/page/in-page/read-text-piece.ts';
import { inPieces, ReadTooLong } from '../../../src/functions/page/in-pieces.ts';
import type { PageText } from '../../../src/functions/page/page-text.ts';
import { readPage } from '../../../src/functions/page/read-page.ts';
import { sourceOf } from '../../../src/functions/page/source-of.ts';
import { stage } from './harness.ts';

const on = stage();
const FOLDER = join(import.meta.dirname, '../../fixtures/real-pages');

/** Reads the page in pieces of one node. */
function readNodeByNode(): Promise<PageText> {
  return inPieces(({ key, isBegun }) =>
    on.page.evaluate(`${sourceOf(readTextPiece)}(null, ${JSON.stringify({ explain: true, key, isBegun, ms: -1 })})`),
  );
}

it('a page that is read in pieces has the same text as when it is read at once', async () => {
  const names = readdirSync(FOLDER).filter((name) => /^(?:bar-chart|declarative|frame-set|form-controls)/.test(name));
  expect(names).toHaveLength(4);
  for (const name of names) {
    await on.show(readFileSync(join(FOLDER, name), 'utf8'));
    const whole = await on.page.evaluate(`${sourceOf(readText)}(null, { explain: true })`);
    expect(await readNodeByNode(), name).toEqual(whole);
  }
});

it('a page that navigates between two pieces is read again', async () => {
  await on.show('<p>The first page</p>');
  const options = { explain: false, key: 'a key', isBegun: true, ms: 1 };
  await expect(on.page.evaluate(`${sourceOf(readTextPiece)}(null, ${JSON.stringify(options)})`)).rejects.toThrow(
    'the page was replaced while it was read',
  );
});

it('a page of twenty thousand paragraphs is read in time, the same each time', async () => {
  await on.show(`${'<p>A <b>long</b> page.</p>'.repeat(20_000)}<p>The wanted text</p>`);
  for (const _ of [1, 2]) {
    expect(await on.evaluate('page_contains', 'The wanted text')).toMatchObject({ value: 1 });
  }
  await expect(readPage(on.page, { explain: true }, 0)).rejects.toThrow(ReadTooLong);
  // The next reading does not wait for it.
  expect(await on.evaluate('page_contains', 'Another text')).toMatchObject({ value: 0 });
});
