import { setTimeout as delay } from 'node:timers/promises';
import type { Point } from '../../../actions/action.ts';
import type { NormalAction, Target } from '../../../actions/normal.ts';
import { printAction } from '../../../actions/print.ts';
import { defined } from '../../../base/defined.ts';
import type { ElementFunction } from '../../../functions/page/page-calls.ts';
import type { Acted, Box } from '../../environment.ts';
import type { RecordedPage } from '../../recorded.ts';
import { type Limits, within } from '../limits.ts';
import type { PageFiles } from '../pages/page-files.ts';
import type { Tab } from '../pages/tab.ts';
import type { ElementRecord, Elements, TargetElement } from './elements.ts';
import { ActionError, explain } from './failures.ts';
import { readFieldValue } from './in-page/describe.ts';
import { keyDown, keyUp } from './keyboard.ts';
import type { PageElement } from './page-element.ts';

/** The context in which an action runs. */
export interface ActionContext {
  readonly tab: Tab;
  readonly elements: Elements;
  readonly files: PageFiles;
  readonly limits: Limits;
  readonly outcome: ActionOutcome;
  /** Records the current page; null if no evaluate call needs it. */
  readonly recordPage: (() => Promise<RecordedPage | null>) | null;
  /** Aborted when the environment closes, to end waits. */
  readonly closeSignal: AbortSignal;
  /** Opens a tab, activates a tab, closes the active tab. */
  openTab(): Promise<void>;
  focusTab(index: number): Promise<void>;
  closeTab(): Promise<void>;
  /** Answers the open dialog. Resolves to false if there is none. */
  answerDialog(accept: boolean, text: string | null): Promise<boolean>;
}

/** The outcome of an action. It is filled in while the action runs, so that it is also available after a failure. */
export interface ActionOutcome {
  acted: Acted;
  elementRecord: ElementRecord | null;
  typed: string | null;
  /** The value of the field that received keys, even if the keys were not a typing action. */
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

/** Runs a function while keys are held down, and always releases them. */
export async function holdKeys(
  context: ActionContext,
  keys: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  const heldKeys: string[] = [];
  try {
    for (const key of keys) {
      await attempt(PAGE, context, () => keyDown(context.tab, key));
      heldKeys.push(key);
    }
    await run();
  } finally {
    for (const key of heldKeys.reverse()) await attempt(PAGE, context, () => keyUp(context.tab, key));
  }
}

/** How many milliseconds an element action may still take; at least 1, because Playwright takes 0 for no limit. */
export type TimeLeft = () => number;

/**
 * Runs one step of an action and explains a failure. A page that hangs does not even answer mouse events, so each step
 * has a time limit: that of an element action plus `spare` milliseconds. `run` passes the time that is left to
 * Playwright, whose error says why the element does not take the action, and which must come before that limit.
 */
export async function attempt<T>(
  subject: string,
  context: ActionContext,
  run: (timeLeft: TimeLeft) => Promise<T>,
  spare = 500,
): Promise<T> {
  const deadline = performance.now() + context.limits.action;
  try {
    return await within(
      context.limits.action + spare,
      subject,
      run(() => Math.max(1, Math.round(deadline - performance.now()))),
    );
  } catch (error) {
    throw explain(error, subject, context.limits.action);
  }
}

/** The subject of an action of the mouse or the keyboard. */
export const PAGE = 'the page';

/**
 * Finds the element of a target, records it, and runs an action on it. If the element is replaced meanwhile, it is
 * found again.
 */
export async function actOnElement(
  target: Target,
  context: ActionContext,
  run: (element: TargetElement, timeLeft: TimeLeft) => Promise<unknown>,
): Promise<void> {
  const deadline = performance.now() + context.limits.action;
  for (;;) {
    const targetElement = await findTarget(target, context);
    // Requested before the action, so that it is read first. The action does not need to wait for the response.
    const recording = recordElement(targetElement, context);
    if (context.recordPage !== null) await recording;
    try {
      await attempt(targetElement.subject, context, (timeLeft) => run(targetElement, timeLeft));
      await recording;
      await updateBox(targetElement, context);
      return;
    } catch (error) {
      const isGone = error instanceof ActionError && error.code === 'element_gone';
      if (isGone && targetElement.goneError !== undefined) throw targetElement.goneError;
      if (!isGone || targetElement.bid !== undefined || performance.now() > deadline) throw error;
    } finally {
      await recording;
      targetElement.element.dispose();
    }
  }
}

/** The box of an element after it was scrolled into view. */
async function updateBox({ element }: TargetElement, { tab, elements, outcome }: ActionContext): Promise<void> {
  const { viewport } = tab;
  const isInSight = ({ x, y, width, height }: Box): boolean =>
    x < viewport.width && y < viewport.height && x + width > 0 && y + height > 0;
  if (outcome.acted.box === undefined || isInSight(outcome.acted.box)) return;
  const { box: before, point } = outcome.acted;
  // An element that the action removed no longer has a box.
  const box = (await elements.recordElement(element))?.box;
  if (box && isInSight(box))
    outcome.acted = { ...outcome.acted, box, ...(point && { point: moveAlong(point, before, box) }) };
}

/** Moves a point along with its box. */
function moveAlong({ x, y }: Point, from: Box, to: Box): Point {
  return { x: x + to.x - from.x, y: y + to.y - from.y };
}

/**
 * Tries to perform an action in the page immediately; null if it is left to Playwright, which also waits for pending
 * navigations.
 */
export async function tryInPage<Argument, Result>(
  { element }: TargetElement,
  context: ActionContext,
  run: ElementFunction<Element, Argument, Result>,
  argument: Argument,
): Promise<Awaited<Result> | null> {
  return element.direct && context.tab.isIdle ? element.call(run, argument) : null;
}

async function findTarget(target: Target, context: ActionContext): Promise<TargetElement> {
  if ('ref' in target) return context.elements.find(target.ref);
  const { x, y } = target.point;
  const element = await context.elements.findAt(x, y);
  if (!element) throw new ActionError('element_missing', `there is no element at (${x}, ${y})`);
  return { element, subject: `the element at (${x}, ${y})` };
}

export async function recordElement(targetElement: TargetElement, context: ActionContext): Promise<void> {
  const { outcome } = context;
  const elementRecord = await recordWithPage(targetElement.element, context);
  if (!elementRecord) return;
  const { box, point, facts } = elementRecord;
  outcome.elementRecord = elementRecord;
  outcome.acted = {
    ...outcome.acted,
    point,
    box,
    element: facts.label,
    ...defined({ bid: targetElement.bid }),
  };
}

async function recordWithPage(element: PageElement, context: ActionContext): Promise<ElementRecord | null> {
  const elementRecord = await context.elements.recordElement(element);
  if (elementRecord === null || context.recordPage === null) return elementRecord;
  const page = await context.recordPage();
  return page === null ? elementRecord : { ...elementRecord, page };
}

/** Records the element at a point before an action. */
export async function touch(context: ActionContext, point: Point): Promise<void> {
  const { outcome } = context;
  outcome.acted = { ...outcome.acted, point };
  try {
    const element = await context.elements.findAt(point.x, point.y);
    if (!element) return;
    const elementRecord = await recordWithPage(element, context);
    element.dispose();
    if (!elementRecord) return;
    outcome.elementRecord = elementRecord;
    outcome.acted = { ...outcome.acted, box: elementRecord.box, element: elementRecord.facts.label };
  } catch {
    // On a page that is being replaced, there is nothing to record. The mouse works nevertheless.
  }
}

export async function moveTo(context: ActionContext, point: Point, steps = 1): Promise<void> {
  await attempt(PAGE, context, () => context.tab.page.mouse.move(point.x, point.y, { steps }));
  context.tab.mouse = { x: point.x, y: point.y };
}

/** The value of a field; null if what was typed has left the page. */
export function readValue(element: PageElement, limits: Limits): Promise<string | null> {
  return within(limits.action, 'the field', element.call(readFieldValue, null)).catch(() => null);
}

const MAX_WAIT_MS = 600_000;

/** Waits until the time is over or the environment closes. */
export async function wait(ms: number, closeSignal: AbortSignal): Promise<void> {
  if (ms > MAX_WAIT_MS) throw new ActionError('invalid_action', 'a wait takes at most 600000 milliseconds');
  // As in BrowserGym, negative times count as 0.
  if (ms <= 0 || closeSignal.aborted) return;
  await delay(ms, undefined, { signal: closeSignal }).catch(() => undefined);
}
