import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPage } from '../../../src/functions/page/read-page.ts';
import { FUZZ_TIMEOUT, inputs } from '../../fuzz.ts';
import { caseCount } from '../../sample.ts';
import { stage } from './harness.ts';
import { HEAD, PAGE, type VisiblePage } from './visible/draft.ts';
import { visiblePage } from './visible/pages.ts';
import { Screen } from './visible/screen.ts';

const on = stage();

async function show({ documents }: VisiblePage): Promise<void> {
  on.pages.clear();
  for (const [address, html] of Object.entries(documents)) on.pages.set(address, html);
  await on.page.goto(PAGE);
  for (const frame of on.page.frames()) {
    // A frame that is not shown loads no fonts.
    await frame.evaluate(() => document.fonts.load('16px Squares')).catch(() => undefined);
  }
}

it.each([
  [
    'seen',
    'a word at the top of a high label',
    '<div style="display:flex;flex-wrap:wrap-reverse;overflow:auto;height:60px;width:200px"><label data-word=0 style="color:rgb(220,0,0)">ABCD</label><div style="width:50px;height:500px"></div></div>',
  ],
  [
    'seen',
    'a word indented out of its block',
    '<div style="text-indent:2000px;overflow:auto"><div data-word=0 style="color:rgb(220,0,0)">ABCD</div></div>',
  ],
  [
    'unseen',
    'a flat word',
    '<div style="transform:scaleY(0.02);font-size:200%"><b data-word=0 style="color:rgb(220,0,0)">ABCD</b></div>',
  ],
  [
    'seen',
    'a word with a gloss of the width of the page',
    '<div style="display:grid"><ruby data-word=0 style="color:rgb(220,0,0)">ABCD<rt style="color:#888">x</rt></ruby></div>',
  ],
  [
    'seen',
    'an option of a list in vertical writing',
    '<select size=2 style="writing-mode:sideways-lr;height:100px"><option>-<option>-<option>-<option>-<option data-word=0 style="color:rgb(220,0,0)">ABCD</select>',
  ],
  [
    'seen',
    'a word at the top of a high field',
    '<div style="writing-mode:vertical-lr;overflow:auto;height:110px;width:60px"><div style="display:flex;flex-wrap:wrap-reverse;overflow:auto;height:110px;width:60px"><div style="overflow:auto;width:30px;border:4px solid #aaa;display:flex"><span style="white-space:nowrap">---- ---- ---- ----</span><input data-word=0 value=ABCD style="color:rgb(220,0,0);width:100px"></div><span style="white-space:nowrap">---- ---- ---- ----</span></div><div style="width:600px"></div></div>',
  ],
])('The screenshot has %s: %s', async (sight, _what, html) => {
  await on.page.setViewportSize({ width: 400, height: 300 });
  const cdp = await on.page.context().newCDPSession(on.page);
  await show({ documents: { [PAGE]: `<!doctype html>${HEAD}${html}` }, words: ['ABCD'] });
  expect(await new Screen(on.page, cdp, 1).lookAlone(0)).toBe(sight);
});

/**
 * `npm run test:long` compares 20 times 250 pages, in one browser. `npm run fuzz -- visible` searches for the rare page that
 * differs.
 */
const first = Number(process.env['TASKWRIGHT_TEST_SEED'] ?? 4);
const isRepeated = process.env['TASKWRIGHT_TEST_REPEATED'] === '1';
const seeds = Array.from({ length: isRepeated ? 1 : caseCount(1, 20) }, (_, index) => first + index);

it.each(seeds)(
  'The words that count as readable are those that a user who scrolls sees: pages of seed %i',
  async (seed) => {
    await on.page.setViewportSize({ width: 400, height: 300 });
    const cdp = await on.page.context().newCDPSession(on.page);
    const property = fc.asyncProperty(visiblePage, async (page) => {
      await show(page);
      const { text } = await readPage(on.page, { explain: false });
      const screen = new Screen(on.page, cdp, page.words.length);
      const sights = await screen.look();
      const different: string[] = [];
      for (const [index, word] of page.words.entries()) {
        const counts = text.includes(word);
        if (sights[index] === 'open' || (sights[index] === 'seen') === counts) continue;
        // It may stand behind another word, or the colors of two may mix to its own.
        const sight = await screen.lookAlone(index);
        if (sight === 'open' || (sight === 'seen') === counts) continue;
        different.push(`${word} is ${sight} (${screen.share(index)}), but ${counts ? 'counts' : 'does not count'}`);
      }
      expect(different).toEqual([]);
    });
    await fc.assert(property, { seed, ...inputs(15, 250) });
  },
  FUZZ_TIMEOUT,
);
