import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readPage } from '../../../src/functions/page/read-page.ts';
import { FUZZ_TIMEOUT, inputs } from '../../fuzz.ts';
import { stage } from './harness.ts';
import { PAGE, type VisiblePage } from './visible/draft.ts';
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

it(
  'The words that count as readable are those that a user who scrolls sees',
  async () => {
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
    const seed = Number(process.env['TASKWRIGHT_TEST_SEED'] ?? 4);
    // `npm run fuzz -- visible` searches for the rare page of which the two differ.
    await fc.assert(property, { seed, ...inputs(15, 15) });
  },
  FUZZ_TIMEOUT,
);
