import type { Locator } from 'playwright';

/** How often a menu is opened for one entry. */
export const MENU_TRIES = 6;
/** A menu ignores clicks for about 100 ms after it opens; each further click waits this much longer for its effect. */
const MENU_CLICK_MS = 500;

/** Repeats an action until the element that it removes is hidden. */
export async function untilGone(locator: Locator, act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    if (tries > 1 && !(await locator.isVisible())) return;
    try {
      await act();
    } catch (error) {
      // Hidden after the check, so the previous action had its effect.
      if (tries > 1 && !(await locator.isVisible())) return;
      throw error;
    }
    try {
      await locator.waitFor({ state: 'hidden', timeout: MENU_CLICK_MS * tries });
      return;
    } catch (error) {
      if (tries === MENU_TRIES) throw error;
    }
  }
}
