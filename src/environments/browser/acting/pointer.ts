import { randomBytes } from 'node:crypto';
import type { Point } from '../../../actions/action.ts';
import type { MouseButton, Target } from '../../../actions/normal.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import { within } from '../limits.ts';
import {
  type ActionContext,
  type ActionOf,
  actOnElement,
  attempt,
  moveTo,
  newOutcome,
  PAGE,
  type TimeLeft,
  touch,
  tryInPage,
  wait,
} from './action-context.ts';
import type { TargetElement } from './elements.ts';
import { framedElement, type PointerTarget } from './framed-element.ts';
import { awaitScrollEnd } from './in-page/describe.ts';
import { hasMissed, observeLanding, prepareClick } from './in-page/immediate-actions.ts';
import { goInHistory } from './navigation.ts';

export function mainButton(button: MouseButton): 'left' | 'right' | 'middle' {
  return button === 'back' || button === 'forward' ? 'left' : button;
}

/**
 * How long to wait for the page's report of a click, in ms. It arrives before the click ends, unless the page prevents
 * it.
 */
const MISS_REPORT_MS = 500;
/** How long to wait for the point where an action landed, in ms, after the action has ended. */
const LANDING_REPORT_MS = 100;

export async function click(action: ActionOf<'click'>, context: ActionContext): Promise<void> {
  const { page } = context.tab;
  const { target, delays } = action;
  if (action.button === 'back' || action.button === 'forward') {
    return goInHistory(action.button === 'back' ? -1 : 1, context);
  }
  const button = action.button;
  const more = async (): Promise<void> => {
    for (const [index, delay] of delays.entries()) {
      await wait(delay, context.closeSignal);
      const clickCount = index + 2;
      await attempt(PAGE, context, () => page.mouse.down({ button, clickCount }));
      await attempt(PAGE, context, () => page.mouse.up({ button, clickCount }));
    }
  };
  if (target && 'ref' in target) {
    const twice = delays.length === 1 && delays[0] === 0;
    let landing: Point | null = null;
    await actOnElement(target, context, async (targetElement, timeLeft) => {
      const clickCount = twice ? 2 : 1;
      const missKey = `taskwright${randomBytes(8).toString('hex')}`;
      // Playwright waits for an element that has no point to click, and says why there is none.
      const clickPoint = await targetElement.element.clickPoint().catch(() => null);
      const click = clickPoint && { clicks: clickCount, missKey, point: clickPoint };
      const point = click && (await tryInPage(targetElement, context, prepareClick, click));
      if (point !== null) {
        // Neither a page that blocks the event nor a navigation is a miss.
        const miss = targetElement.element.call(hasMissed, missKey).catch(() => false);
        await page.mouse.click(point.x, point.y, { button, clickCount });
        // A page that does not answer after the click is processing it.
        landing = point;
        if (!(await within(MISS_REPORT_MS, 'the click', miss).catch(() => false))) return;
      }
      landing = await findLanding(targetElement, context, true, timeLeft, async (pointer, timeout) => {
        if (twice) await pointer.dblclick({ button, timeout, noWaitAfter: true });
        else await pointer.click({ button, timeout, noWaitAfter: true });
      });
    });
    recordLanding(landing, context);
    if (!twice) await more();
    return;
  }
  const point = target && 'point' in target ? target.point : context.tab.mouse;
  await touch(context, point);
  await moveTo(context, point);
  await attempt(PAGE, context, () => page.mouse.down({ button }));
  await attempt(PAGE, context, () => page.mouse.up({ button }));
  await more();
}

/** Moves the mouse to an element. `force`: even if another element covers it. */
function hover(target: Target, context: ActionContext, force = false): Promise<void> {
  return actWithMouse(target, false, context, (pointer, timeout) => pointer.hover({ timeout, force }));
}

/** An action of the mouse on an element, with its time limit in milliseconds. */
type PointerAction = (pointer: PointerTarget, timeout: number) => Promise<void>;

/**
 * Moves the mouse to an element, with or without a click. The action is reported at the point where it
 * lands.
 */
export async function actWithMouse(
  target: Target,
  pressed: boolean,
  context: ActionContext,
  act: PointerAction,
): Promise<void> {
  let landing: Point | null = null;
  await actOnElement(target, context, async (targetElement, timeLeft) => {
    landing = await findLanding(targetElement, context, pressed, timeLeft, act);
  });
  recordLanding(landing, context);
}

/** Resolves with the point that the mouse is moved to; null if the page does not report it. */
async function findLanding(
  targetElement: TargetElement,
  { tab, elements }: ActionContext,
  pressed: boolean,
  timeLeft: TimeLeft,
  act: PointerAction,
): Promise<Point | null> {
  const { element } = targetElement;
  const inFrame = await framedElement(targetElement, tab.page, elements);
  if (inFrame !== null) {
    await act(inFrame, timeLeft());
    return inFrame.landing;
  }
  // Requested before the action, because the page no longer answers after a navigation. Not possible in frames. Without an
  // answer, the point is not recorded.
  const landing = element.direct ? element.call(observeLanding, pressed).catch(() => null) : null;
  const handle = await element.handle();
  await act(handle, timeLeft());
  return landing && within(LANDING_REPORT_MS, 'the page', landing).catch(() => null);
}

/** Reports the action at the point where it landed, and updates the position of the mouse. */
function recordLanding(landing: Point | null, { tab, outcome }: ActionContext): void {
  if (landing !== null) outcome.acted = { ...outcome.acted, point: landing };
  if (outcome.acted.point) tab.mouse = { ...outcome.acted.point };
}

export async function move(action: ActionOf<'move'>, context: ActionContext): Promise<void> {
  const { target, offset } = action;
  if (target && 'ref' in target) {
    await hover(target, context);
    if (!offset) return;
  }
  const from = target && 'point' in target ? target.point : context.tab.mouse;
  const point = { x: from.x + (offset?.x ?? 0), y: from.y + (offset?.y ?? 0) };
  await touch(context, point);
  await moveTo(context, point);
}

export async function scroll(action: ActionOf<'scroll'>, context: ActionContext): Promise<void> {
  const { outcome } = context;
  const { page } = context.tab;
  const { target } = action;
  if (target && 'ref' in target) {
    await hover(target, context);
  } else if (target) {
    await touch(context, target.point);
    await moveTo(context, target.point);
  }
  outcome.acted = { point: { ...context.tab.mouse }, ...outcome.acted, scroll: { x: action.x, y: action.y } };
  await attempt(PAGE, context, () => page.mouse.wheel(action.x, action.y));
  // The browser acknowledges the wheel before the page scrolls. A page that is left no longer scrolls.
  await within(1000, 'scrolling', page.evaluate(`(${sourceOf(awaitScrollEnd)})(600)`)).catch(() => undefined);
}

export async function drag(action: ActionOf<'drag'>, context: ActionContext): Promise<void> {
  const { outcome } = context;
  const { page } = context.tab;
  let down = false;
  const path: Point[] = [];
  try {
    for (const [index, target] of action.path.entries()) {
      if (index > 0) await wait(action.delays[index - 1] ?? 0, context.closeSignal);
      const first = index === 0;
      if ('ref' in target) {
        await hover(target, first ? context : { ...context, outcome: newOutcome(action) }, !first);
      } else {
        if (first) await touch(context, target.point);
        await moveTo(context, target.point, first ? 1 : 4);
      }
      path.push({ ...context.tab.mouse });
      if (first) {
        await attempt(PAGE, context, () => page.mouse.down());
        down = true;
      }
    }
  } finally {
    outcome.acted = { ...outcome.acted, path };
    if (down) await attempt(PAGE, context, () => page.mouse.up());
  }
}
