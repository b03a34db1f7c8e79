import { randomBytes } from 'node:crypto';
import type { ElementHandle } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import { callOn, findFrom } from '../../../functions/page/page-calls.ts';
import type { Pointed } from '../../environment.ts';
import { type Elements, isPlaywrightOnly } from '../acting/elements.ts';
import type { Tab } from '../pages/tab.ts';
import { findControl, nameElement } from './in-page/name-element.ts';

/**
 * The element at a point of a tab, or, for null, the focused element, with the names that an action can use; `scale` as
 * there. Null if the page is being replaced.
 */
export async function describePointed(
  tab: Tab,
  elements: Elements,
  point: Point | null,
  scale: number,
): Promise<Pointed | null> {
  try {
    const hit = point === null ? await elements.findFocused() : await elements.findAt(point.x, point.y);
    if (hit === null) return null;
    const handle = await findFrom(await hit.handle(), findControl);
    if (handle === null) return null;
    const [{ selectors, ...facts }, bid, frame] = await Promise.all([
      callOn(handle, nameElement, null),
      bidOf(tab, handle),
      handle.ownerFrame(),
    ]);
    // Selectors are only searched in the main frame.
    const selector = frame === tab.page.mainFrame() ? await firstThatHolds(tab, selectors, handle) : null;
    hit.dispose();
    // It is also released with its page.
    void handle.dispose().catch(() => undefined);
    return { ...facts, selector, bid, scale };
  } catch {
    // The page was replaced meanwhile.
    return null;
  }
}

/** The first selector that is unique. CSS selectors are known to be; Playwright checks its own selectors. */
async function firstThatHolds(
  tab: Tab,
  selectors: readonly string[],
  handle: ElementHandle<Element>,
): Promise<string | null> {
  for (const selector of selectors) {
    if (!isPlaywrightOnly(selector)) return selector;
    const alone = await tab.page
      .locator(selector)
      .evaluateAll((all, one) => all.length === 1 && (all as Element[])[0] === one, handle);
    if (alone) return selector;
  }
  return null;
}

/** The element's id in the last observation. The element is passed in a temporary property. */
async function bidOf(tab: Tab, handle: ElementHandle<Element>): Promise<string | null> {
  const key = `taskwright${randomBytes(8).toString('hex')}`;
  const isPassed = await handle.evaluate((element, name) => {
    try {
      Object.defineProperty(window.top, name, { value: element, configurable: true, enumerable: false });
      return true;
    } catch {
      return false; // In a frame of another site.
    }
  }, key);
  if (!isPassed) return null;
  const expression = `(() => { const one = globalThis[${JSON.stringify(key)}]; delete globalThis[${JSON.stringify(key)}]; return one; })()`;
  const { result } = await tab.cdp.send('Runtime.evaluate', { expression });
  if (result.objectId === undefined) return null;
  const { node } = await tab.cdp.send('DOM.describeNode', { objectId: result.objectId });
  // It is also released with its page.
  void tab.cdp.send('Runtime.releaseObject', { objectId: result.objectId }).catch(() => undefined);
  return tab.numbers.bidOf(tab.frameId, node.backendNodeId, true) ?? null;
}
