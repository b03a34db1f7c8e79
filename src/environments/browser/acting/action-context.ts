import type { Point } from '../../../actions/action.ts';
import type { NormalAction, Target } from '../../../actions/normal.ts';
import { printAction } from '../../../actions/print.ts';
import type { ElementFunction } from '../../../functions/page/page-calls.ts';
import type { Acted, Box } from '../../environment.ts';
import type { RecordedPage } from '../../recorded.ts';
import { type Limits, within } from '../limits.ts';
import type { PageFiles } from '../pages/page-files.ts';
import type { Tab } from '../pages/tab.ts';
import type { ElementRecord, Elements, Found } from './elements.ts';
import { ActionError, explain } from './failures.ts';
import { fieldValue } from './in-page/describe.ts';
import { keyDown, keyUp } from './keyboard.ts';
import type { PageElement } from './page-element.ts';

/** What an action needs beside itself. */
export interface ActionContext {
  readonly tab: Tab;
  readonly elements: Elements;
  readonly files: PageFiles;
  readonly limits: Limits;
  /** Records the page as it is, where an evaluate call may ask for it; null where none does. */
  readonly recordPage: (() => Promise<RecordedPage | null>) | null;
  /** Ends waiting when the environment closes. */
  readonly closed: AbortSignal;
  /** Makes a tab, brings one to the front, closes the active one. */
  openTab(): Promise<void>;
  focusTab(index: number): Promise<void>;
  closeTab(): Promise<void>;
}

/** What one action did, filled in while it runs, so that a failure leaves what is known. */
export interface ActionOutcome {
  acted: Acted;
  elementRecord: ElementRecord | null;
  typed: string | null;
  /** What the field that keys went to holds since, also where they typed nothing that counts. */
  value: string | null;
  response: string | null;
  terminated: boolean;
}

export type ActionOf<T extends NormalAction['type']> = Extract<NormalAction, { type: T }>;

export function newOutcome(action: NormalAction): ActionOutcome {
  return {
    acted: { action: printAction(action) },
    elementRecord: null,
    typed: null,
    value: null,
    response: null,
    terminated: false,
  };
}

/** Runs with keys held down, and releases them whatever happens. */
export async function holding(
  context: ActionContext,
  keys: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  const held: string[] = [];
  try {
    for (const key of keys) {
      await attempt(KEYBOARD, context, () => keyDown(context.tab, key));
      held.push(key);
    }
    await run();
  } finally {
    for (const key of held.reverse()) await attempt(KEYBOARD, context, () => keyUp(context.tab, key));
  }
}

/**
 * Runs one step of an action and says in plain words why it failed. A page that hangs answers nothing, not even the
 * mouse: `spare` is what the step may take beyond the limit of an element action, in milliseconds.
 */
export async function attempt<T>(
  subject: string,
  context: ActionContext,
  run: () => Promise<T>,
  spare = 500,
): Promise<T> {
  try {
    return await within(context.limits.action + spare, subject, run());
  } catch (error) {
    throw explain(error, subject, context.limits.action);
  }
}

export const MOUSE = 'the page';
export const KEYBOARD = 'the page';

/** Finds the element of a target, remembers it, and runs an action on it. An element that was replaced is found anew. */
export async function onElement(
  target: Target,
  context: ActionContext,
  outcome: ActionOutcome,
  run: (found: Found) => Promise<unknown>,
): Promise<void> {
  const deadline = Date.now() + context.limits.action;
  for (;;) {
    const found = await findTarget(target, context);
    // Asked for first, so it is read before the action has done anything; the action need not wait for the answer.
    const recording = recordElement(found, context, outcome);
    if (context.recordPage !== null) await recording;
    try {
      await attempt(found.subject, context, () => run(found));
      await recording;
      await boxInSight(found, context, outcome);
      return;
    } catch (error) {
      const isGone = error instanceof ActionError && error.code === 'element_gone';
      if (isGone && found.gone !== undefined) throw found.gone;
      if (!isGone || found.bid !== undefined || Date.now() > deadline) throw error;
    } finally {
      await recording;
      found.element.dispose();
    }
  }
}

/** An element that had to be scrolled to is drawn where it was acted on. */
async function boxInSight({ element }: Found, context: ActionContext, outcome: ActionOutcome): Promise<void> {
  const viewport = context.tab.page.viewportSize();
  const seen = ({ x, y, width, height }: Box): boolean =>
    viewport === null || (x < viewport.width && y < viewport.height && x + width > 0 && y + height > 0);
  if (outcome.acted.box === undefined || seen(outcome.acted.box)) return;
  const { box: before, point } = outcome.acted;
  // An element that the action took away has no box any more.
  const asked = element.handle().then((handle) => handle.boundingBox());
  const box = await within(1000, 'the element', asked).catch(() => null);
  if (box && seen(box)) outcome.acted = { ...outcome.acted, box, ...(point && { point: moved(point, before, box) }) };
}

/** A point of a box, where the box is now. */
function moved({ x, y }: Point, from: Box, to: Box): Point {
  return { x: x + to.x - from.x, y: y + to.y - from.y };
}

/**
 * Asks the page whether an action can be carried out at once, or has just been; null where it is left to Playwright, which
 * waits for a navigation that is under way, too.
 */
export async function atOnce<Argument, Result>(
  { element }: Found,
  context: ActionContext,
  ask: ElementFunction<Element, Argument, Result>,
  argument: Argument,
): Promise<Awaited<Result> | null> {
  return element.direct && context.tab.isIdle ? element.call(ask, argument) : null;
}

async function findTarget(target: Target, context: ActionContext): Promise<Found> {
  if ('ref' in target) return context.elements.find(target.ref);
  const { x, y } = target.point;
  const element = await context.elements.at(x, y);
  if (!element) throw new ActionError('element_missing', `there is no element at (${x}, ${y})`);
  return { element, subject: `the element at (${x}, ${y})` };
}

export async function recordElement(found: Found, context: ActionContext, outcome: ActionOutcome): Promise<void> {
  const elementRecord = await recall(found.element, context);
  if (!elementRecord) return;
  const { box, facts } = elementRecord;
  outcome.elementRecord = elementRecord;
  outcome.acted = {
    ...outcome.acted,
    point: moved(facts.point, facts.box, box),
    box,
    element: facts.label,
    ...(found.bid === undefined ? {} : { bid: found.bid }),
  };
}

async function recall(element: PageElement, context: ActionContext): Promise<ElementRecord | null> {
  const elementRecord = await context.elements.recordElement(element);
  if (elementRecord === null || context.recordPage === null) return elementRecord;
  const page = await context.recordPage();
  return page === null ? elementRecord : { ...elementRecord, page };
}

/** Remembers what is at a point, before something happens there. */
export async function touch(
  context: ActionContext,
  outcome: ActionOutcome,
  point: { x: number; y: number },
): Promise<void> {
  outcome.acted = { ...outcome.acted, point: { x: point.x, y: point.y } };
  try {
    const element = await context.elements.at(point.x, point.y);
    if (!element) return;
    const elementRecord = await recall(element, context);
    element.dispose();
    if (!elementRecord) return;
    outcome.elementRecord = elementRecord;
    outcome.acted = { ...outcome.acted, box: elementRecord.box, element: elementRecord.facts.label };
  } catch {
    // A page that is being replaced has nothing at the point to record; the mouse works nevertheless.
  }
}

export async function moveTo(context: ActionContext, point: { x: number; y: number }, steps = 1): Promise<void> {
  await attempt(MOUSE, context, () => context.tab.page.mouse.move(point.x, point.y, { steps }));
  context.tab.mouse = { x: point.x, y: point.y };
}

export async function readValue(element: PageElement): Promise<string | null> {
  try {
    return await within(1000, 'the field', element.call(fieldValue, null));
  } catch {
    return null; // The page was left by what was typed.
  }
}

const LONGEST_WAIT = 600_000;

/** Waits; ends early when the environment closes. */
export async function wait(ms: number, closed: AbortSignal): Promise<void> {
  if (ms > LONGEST_WAIT) throw new ActionError('invalid_action', 'a wait takes at most 600000 milliseconds');
  // As in BrowserGym, less than nothing is nothing.
  if (ms <= 0 || closed.aborted) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      closed.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    closed.addEventListener('abort', end);
  });
}
