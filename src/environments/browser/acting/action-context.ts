import type { Point } from '../../../actions/action.ts';
import type { NormalAction, Target } from '../../../actions/normal.ts';
import { printAction } from '../../../actions/print.ts';
import type { ElementFunction } from '../../../functions/page/page-calls.ts';
import type { Acted, Box } from '../../environment.ts';
import type { RecordedPage } from '../../recorded.ts';
import { type Limits, within } from '../limits.ts';
import type { PageFiles } from '../pages/page-files.ts';
import type { Tab } from '../pages/tab.ts';
import { fieldValue } from './describe.ts';
import type { Elements, Found, Remembered } from './elements.ts';
import { ActionError, explain } from './failures.ts';
import { keyDown, keyUp } from './keyboard.ts';
import type { PageElement } from './page-element.ts';

/** What an action needs beside itself. */
export interface Stage {
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
export interface Deed {
  acted: Acted;
  remembered: Remembered | null;
  typed: string | null;
  /** What the field that keys went to holds since, also where they typed nothing that counts. */
  value: string | null;
  response: string | null;
  terminated: boolean;
}

export type ActionOf<T extends NormalAction['type']> = Extract<NormalAction, { type: T }>;

export function newDeed(action: NormalAction): Deed {
  return {
    acted: { action: printAction(action) },
    remembered: null,
    typed: null,
    value: null,
    response: null,
    terminated: false,
  };
}

/** Runs with keys held down, and releases them whatever happens. */
export async function holding(stage: Stage, keys: readonly string[], run: () => Promise<void>): Promise<void> {
  const held: string[] = [];
  try {
    for (const key of keys) {
      await attempt(KEYBOARD, stage, () => keyDown(stage.tab, key));
      held.push(key);
    }
    await run();
  } finally {
    for (const key of held.reverse()) await attempt(KEYBOARD, stage, () => keyUp(stage.tab, key));
  }
}

/**
 * Runs one step of an action and says in plain words why it failed. A page that hangs answers nothing, not even the
 * mouse: `spare` is what the step may take beyond the limit of an element action, in milliseconds.
 */
export async function attempt<T>(subject: string, stage: Stage, run: () => Promise<T>, spare = 500): Promise<T> {
  try {
    return await within(stage.limits.action + spare, subject, run());
  } catch (error) {
    throw explain(error, subject, stage.limits.action);
  }
}

export const MOUSE = 'the page';
export const KEYBOARD = 'the page';

/** Finds the element of a target, remembers it, and runs an action on it. An element that was replaced is found anew. */
export async function onElement(
  target: Target,
  stage: Stage,
  deed: Deed,
  run: (found: Found) => Promise<unknown>,
): Promise<void> {
  const deadline = Date.now() + stage.limits.action;
  for (;;) {
    const found = await findTarget(target, stage);
    // Asked for first, so it is read before the action has done anything; the action need not wait for the answer.
    const remembering = remember(found, stage, deed);
    if (stage.recordPage !== null) await remembering;
    try {
      await attempt(found.subject, stage, () => run(found));
      await remembering;
      await boxInSight(found, stage, deed);
      return;
    } catch (error) {
      const isGone = error instanceof ActionError && error.code === 'element_gone';
      if (isGone && found.gone !== undefined) throw found.gone;
      if (!isGone || found.bid !== undefined || Date.now() > deadline) throw error;
    } finally {
      await remembering;
      found.element.dispose();
    }
  }
}

/** An element that had to be scrolled to is drawn where it was acted on. */
async function boxInSight({ element }: Found, stage: Stage, deed: Deed): Promise<void> {
  const viewport = stage.tab.page.viewportSize();
  const seen = ({ x, y, width, height }: Box): boolean =>
    viewport === null || (x < viewport.width && y < viewport.height && x + width > 0 && y + height > 0);
  if (deed.acted.box === undefined || seen(deed.acted.box)) return;
  // An element that the action took away has no box any more.
  const asked = element.handle().then((handle) => handle.boundingBox());
  const box = await within(1000, 'the element', asked).catch(() => null);
  if (box && seen(box)) deed.acted = { ...deed.acted, box, point: middle(box) };
}

function middle({ x, y, width, height }: Box): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/**
 * Asks the page whether an action can be carried out at once, or has just been; null where it is left to Playwright, which
 * waits for a navigation that is under way, too.
 */
export async function atOnce<Argument, Result>(
  { element }: Found,
  stage: Stage,
  ask: ElementFunction<Element, Argument, Result>,
  argument: Argument,
): Promise<Awaited<Result> | null> {
  return element.direct && stage.tab.isIdle ? element.call(ask, argument) : null;
}

async function findTarget(target: Target, stage: Stage): Promise<Found> {
  if ('ref' in target) return stage.elements.find(target.ref);
  const { x, y } = target.point;
  const element = await stage.elements.at(x, y);
  if (!element) throw new ActionError('element_missing', `there is no element at (${x}, ${y})`);
  return { element, subject: `the element at (${x}, ${y})` };
}

export async function remember(found: Found, stage: Stage, deed: Deed): Promise<void> {
  const remembered = await recall(found.element, stage);
  if (!remembered) return;
  const { box, facts } = remembered;
  deed.remembered = remembered;
  deed.acted = {
    ...deed.acted,
    point: middle(box),
    box,
    element: facts.label,
    ...(found.bid === undefined ? {} : { bid: found.bid }),
  };
}

async function recall(element: PageElement, stage: Stage): Promise<Remembered | null> {
  const remembered = await stage.elements.remember(element);
  if (remembered === null || stage.recordPage === null) return remembered;
  const page = await stage.recordPage();
  return page === null ? remembered : { ...remembered, page };
}

/** Remembers what is at a point, before something happens there. */
export async function touch(stage: Stage, deed: Deed, point: { x: number; y: number }): Promise<void> {
  deed.acted = { ...deed.acted, point: { x: point.x, y: point.y } };
  try {
    const element = await stage.elements.at(point.x, point.y);
    if (!element) return;
    const remembered = await recall(element, stage);
    element.dispose();
    if (!remembered) return;
    deed.remembered = remembered;
    deed.acted = { ...deed.acted, box: remembered.box, element: remembered.facts.label };
  } catch {
    // A page that is being replaced has nothing at the point to remember; the mouse works all the same.
  }
}

export async function moveTo(stage: Stage, point: { x: number; y: number }, steps = 1): Promise<void> {
  await attempt(MOUSE, stage, () => stage.tab.page.mouse.move(point.x, point.y, { steps }));
  stage.tab.mouse = { x: point.x, y: point.y };
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
