import { randomBytes } from 'node:crypto';
import type { ElementHandle } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import type { MouseButton, Target } from '../../../actions/normal.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import { within } from '../limits.ts';
import {
  type ActionContext,
  type ActionOf,
  type ActionOutcome,
  attempt,
  MOUSE,
  moveTo,
  newOutcome,
  onElement,
  runToEnd,
  type TimeLeft,
  touch,
  wait,
} from './action-context.ts';
import type { Found } from './elements.ts';
import { scrollEnd } from './in-page/describe.ts';
import { clickable, hasMissed, landing } from './in-page/ready-element.ts';
import { history } from './navigation.ts';

export function sideless(button: MouseButton): 'left' | 'right' | 'middle' {
  return button === 'back' || button === 'forward' ? 'left' : button;
}

/**
 * How long to wait for the page's report of a click, in ms. It arrives before the click ends, unless the page prevents
 * it.
 */
const TOLD_MS = 500;
/** How long to wait for the point where an action landed, in ms, after the action has ended. */
const LANDED_MS = 100;

export async function click(action: ActionOf<'click'>, context: ActionContext, outcome: ActionOutcome): Promise<void> {
  const { page } = context.tab;
  const { target, delays } = action;
  if (action.button === 'back' || action.button === 'forward') {
    return history(action.button === 'back' ? -1 : 1, context);
  }
  const button = action.button;
  const more = async (): Promise<void> => {
    for (const [index, delay] of delays.entries()) {
      await wait(delay, context.closed);
      const clickCount = index + 2;
      await attempt(MOUSE, context, () => page.mouse.down({ button, clickCount }));
      await attempt(MOUSE, context, () => page.mouse.up({ button, clickCount }));
    }
  };
  if (target && 'ref' in target) {
    const twice = delays.length === 1 && delays[0] === 0;
    let landed: Point | null = null;
    await onElement(target, context, outcome, async (found, timeLeft) => {
      const clickCount = twice ? 2 : 1;
      const missed = `taskwright${randomBytes(8).toString('hex')}`;
      // Playwright waits for an element that has no point to click, and says why there is none.
      const wanted = await found.element.clickPoint().catch(() => null);
      const click = wanted && { clicks: clickCount, missed, wanted };
      const point = click && (await runToEnd(found, context, clickable, click));
      if (point !== null) {
        // Neither a page that blocks the event nor a navigation is a miss.
        const told = found.element.call(hasMissed, missed).catch(() => false);
        await page.mouse.click(point.x, point.y, { button, clickCount });
        // A page that does not answer after the click is processing it.
        landed = point;
        if (!(await within(TOLD_MS, 'the click', told).catch(() => false))) return;
      }
      landed = await landingOf(found, true, timeLeft, async (handle, timeout) => {
        if (twice) await handle.dblclick({ button, timeout, noWaitAfter: true });
        else await handle.click({ button, timeout, noWaitAfter: true });
      });
    });
    land(landed, context, outcome);
    if (!twice) await more();
    return;
  }
  const point = target && 'point' in target ? target.point : context.tab.mouse;
  await touch(context, outcome, point);
  await moveTo(context, point);
  await attempt(MOUSE, context, () => page.mouse.down({ button }));
  await attempt(MOUSE, context, () => page.mouse.up({ button }));
  await more();
}

/** Moves the mouse to an element. `force`: even if another element covers it. */
function hover(target: Target, context: ActionContext, outcome: ActionOutcome, force = false): Promise<void> {
  return withMouse(target, false, context, outcome, (handle, timeout) => handle.hover({ timeout, force }));
}

/** An action of Playwright's on an element, with its time limit in milliseconds. */
type HandleAction = (handle: ElementHandle<Element>, timeout: number) => Promise<void>;

/**
 * Lets Playwright move the mouse to an element, with or without a click. The action is reported at the point where it
 * lands.
 */
export async function withMouse(
  target: Target,
  pressed: boolean,
  context: ActionContext,
  outcome: ActionOutcome,
  act: HandleAction,
): Promise<void> {
  let landed: Point | null = null;
  await onElement(target, context, outcome, async (found, timeLeft) => {
    landed = await landingOf(found, pressed, timeLeft, act);
  });
  land(landed, context, outcome);
}

/** Resolves with the point that the mouse is moved to; null if the page does not report it. */
async function landingOf(
  { element }: Found,
  pressed: boolean,
  timeLeft: TimeLeft,
  act: HandleAction,
): Promise<Point | null> {
  // Requested before the action, because the page no longer answers after a navigation. Not possible in frames. Without an
  // answer, the point is not recorded.
  const told = element.direct ? element.call(landing, pressed).catch(() => null) : null;
  const handle = await element.handle();
  await act(handle, timeLeft());
  return told && within(LANDED_MS, 'the page', told).catch(() => null);
}

/** Reports the action at the point where it landed, and updates the position of the mouse. */
function land(landed: Point | null, context: ActionContext, outcome: ActionOutcome): void {
  if (landed !== null) outcome.acted = { ...outcome.acted, point: landed };
  if (outcome.acted.point) context.tab.mouse = { ...outcome.acted.point };
}

export async function move(action: ActionOf<'move'>, context: ActionContext, outcome: ActionOutcome): Promise<void> {
  const { target, offset } = action;
  if (target && 'ref' in target) {
    await hover(target, context, outcome);
    if (!offset) return;
  }
  const from = target && 'point' in target ? target.point : context.tab.mouse;
  const point = { x: from.x + (offset?.x ?? 0), y: from.y + (offset?.y ?? 0) };
  await touch(context, outcome, point);
  await moveTo(context, point);
}

export async function scroll(
  action: ActionOf<'scroll'>,
  context: ActionContext,
  outcome: ActionOutcome,
): Promise<void> {
  const { page } = context.tab;
  const { target } = action;
  if (target && 'ref' in target) {
    await hover(target, context, outcome);
  } else if (target) {
    await touch(context, outcome, target.point);
    await moveTo(context, target.point);
  }
  outcome.acted = { point: { ...context.tab.mouse }, ...outcome.acted, scroll: { x: action.x, y: action.y } };
  await attempt(MOUSE, context, () => page.mouse.wheel(action.x, action.y));
  // The browser acknowledges the wheel before the page scrolls. A page that is left no longer scrolls.
  await within(1000, 'scrolling', page.evaluate(`(${sourceOf(scrollEnd)})(600)`)).catch(() => undefined);
}

export async function drag(action: ActionOf<'drag'>, context: ActionContext, outcome: ActionOutcome): Promise<void> {
  const { page } = context.tab;
  let down = false;
  const path: Point[] = [];
  try {
    for (const [index, target] of action.path.entries()) {
      if (index > 0) await wait(action.delays[index - 1] ?? 0, context.closed);
      const first = index === 0;
      const ignored = first ? outcome : newOutcome(action);
      if ('ref' in target) {
        await hover(target, context, ignored, !first);
      } else {
        if (first) await touch(context, outcome, target.point);
        await moveTo(context, target.point, first ? 1 : 4);
      }
      path.push({ ...context.tab.mouse });
      if (first) {
        await attempt(MOUSE, context, () => page.mouse.down());
        down = true;
      }
    }
  } finally {
    outcome.acted = { ...outcome.acted, path };
    if (down) await attempt(MOUSE, context, () => page.mouse.up());
  }
}
