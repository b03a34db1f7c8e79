import type { Locator } from 'playwright';

/** Time limit for a click that is repeated. */
export const CLICK_MS = 3000;
/** A menu ignores clicks for about 100 ms after it opens; each further click waits this much longer for its effect. */
const EFFECT_MS = 500;
/** Time limit for the effect: of a window that is busy for long, clicks are repeated for as long. */
const LIMIT_MS = 120_000;

/**
 * Repeats an action until the element that it removes is hidden. Rejects if the element does not appear.
 * @param shownMs time limit for the element to appear
 */
export async function untilGone(locator: Locator, act: () => Promise<void>, shownMs = LIMIT_MS): Promise<void> {
  await locator.waitFor({ timeout: shownMs });
  const began = performance.now();
  for (let tries = 1; ; tries += 1) {
    // A click can have its effect and fail nevertheless: a busy window answers too late.
    const failure = await act().then(
      () => null,
      (error: unknown) => error,
    );
    try {
      await locator.waitFor({ state: 'hidden', timeout: EFFECT_MS * tries });
      return;
    } catch (error) {
      if (performance.now() - began > LIMIT_MS) throw failure ?? error;
    }
  }
}
