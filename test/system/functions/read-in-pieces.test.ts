import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readText } from '../../../src/functions/page/in-page/read-text.ts';
import { readTextPiece } from '../../../src/functions/page/in-page/read-text-piece.ts';
import type { PageText } from '../../../src/functions/page/page-text.ts';
import { ReadTooLong, readInPieces } from '../../../src/functions/page/read-in-pieces.ts';
import { readPage } from '../../../src/functions/page/read-page.ts';
import { sourceOf } from '../../../src/functions/page/source-of.ts';
import { stage } from './harness.ts';

const on = stage();
const FOLDER = join(import.meta.dirname, '../../fixtures/real-pages');

/** Reads the page in pieces of one node. */
function readNodeByNode(): Promise<PageText> {
  return readInPieces(({ key, isBegun }) =>
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

/** Reads a page node by node that becomes larger before some of the pieces. Returns the text, and the number of pieces. */
async function readGrowingPage(growsBefore: (piece: number) => boolean): Promise<readonly [string, number]> {
  await on.show('<p>The beginning</p><p style="content-visibility: hidden">More</p><p>The end</p>');
  let pieces = 0;
  const read = await readInPieces(async ({ key, isBegun }) => {
    pieces += 1;
    if (growsBefore(pieces))
      await on.page.evaluate(() => {
        const added = document.createElement('div');
        added.style.height = '5000px';
        document.body.prepend(added);
      });
    return (await on.page.evaluate(
      `${sourceOf(readTextPiece)}(null, ${JSON.stringify({ explain: false, key, isBegun, ms: -1 })})`,
    )) as PageText | null;
  });
  return [read.texts.join(), pieces];
}

it('a page that becomes larger between two pieces is read from its beginning', async () => {
  const [text, pieces] = await readGrowingPage((piece) => piece === 4);
  expect(text).toMatch(/The beginning\s+The end/);
  // Each piece is one node, so it takes some pieces more than the page has nodes.
  expect(pieces).toBeGreaterThan(10);
});

it('a page that becomes larger before each piece is read at once in the end', async () => {
  const [text, pieces] = await readGrowingPage(() => true);
  expect(text).toMatch(/The beginning\s+The end/);
  expect(pieces).toBe(4);
});

it('a page is read again if reading has made the browser lay out more of it', async () => {
  // The browser lays out what is far below the window when it is asked for the boxes in it.
  const far =
    '<div><span style="display: table-cell; content-visibility: auto">A text<svg><text>x</text></svg></span>after it</div>';
  await on.show(`${far.repeat(300)}<p>The end</p>`);
  await on.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
  expect((await readPage(on.page, { explain: false })).text).toContain('The end');
});

it('a page that navigates between two pieces is read again', async () => {
  await on.show('<p>The first page</p>');
  const options = { explain: false, key: 'a key', isBegun: true, ms: 1 };
  await expect(on.page.evaluate(`${sourceOf(readTextPiece)}(null, ${JSON.stringify(options)})`)).rejects.toThrow(
    'the page was replaced while it was read',
  );
});

it('a page of twenty thousand paragraphs is judged, the same each time', async () => {
  await on.show(`${'<p>A <b>long</b> page.</p>'.repeat(20_000)}<p>The wanted text</p>`);
  for (const _ of [1, 2]) {
    expect(await on.evaluate('page_contains', 'The wanted text')).toMatchObject({ value: 1 });
  }
});

it('reading ends when it takes too long', async () => {
  await expect(readInPieces(async () => null, 0)).rejects.toThrow(ReadTooLong);
});
