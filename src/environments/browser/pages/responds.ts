import type { Page } from 'playwright-core';
import { within } from '../limits.ts';

/** How long a page that is not stuck takes to answer at most, in ms. */
export const ANSWER_MS = 2_000;

/** Whether a page and its frames, which may have processes of their own, respond. */
export async function responds(page: Page): Promise<boolean> {
  const answers = page.frames().map((frame) => {
    const answer = frame.evaluate(() => true);
    // A frame that navigates or is removed meanwhile is not stuck.
    return frame === page.mainFrame() ? answer : answer.catch(() => true);
  });
  // A page that is closed or too slow does not answer either.
  return within(ANSWER_MS, 'asking the page', Promise.all(answers)).then(
    () => true,
    () => false,
  );
}
