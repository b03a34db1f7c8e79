import type { Locator } from 'playwright';

/** How often a menu is opened for one entry. */
export const MENU_TRIES = 6;
/** A menu ignores clicks for about 100 ms after it opens; each further click waits this much longer for its effect. */
const MENU_CLICK_MS = 500;
/** Time limit for the element to appear. */
const SHOWN_MS = 3000;

/** Repeats an action until the element that it removes is hidden. Rejects if the element does not appear. */
export async function untilGone(locator: Locator, act: () => Promise<void>): Promise<void> {
  await locator.waitFor({ timeout: SHOWN_MS });
  for (let tries = 1; ; tries += 1) {
    // A click can have its effect and fail nevertheless: a busy window answers too late.
    const failure = await act().then(
      () => null,
      (error: unknown) => error,
    );
    try {
      await locator.waitFor({ state: 'hidden', timeout: MENU_CLICK_MS * tries });
      return;
    } catch (error) {
      if (tries === MENU_TRIES) throw failure ?? error;
    }
  }
}
