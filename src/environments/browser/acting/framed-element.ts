import { setTimeout as delay } from 'node:timers/promises';
import type { ElementHandle, Page } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import { callOn } from '../../../functions/page/page-calls.ts';
import { OutOfTime, within } from '../limits.ts';
import type { Elements, TargetElement } from './elements.ts';
import { ActionError, openingTag } from './failures.ts';
import { centerOf, isPlain, mapFrame, mapPoint } from './frames.ts';
import { alignElement, findCenter, isHovered, readOpeningTag } from './in-page/frame-map.ts';

interface ClickOptions {
  readonly button: 'left' | 'right' | 'middle';
  /** In milliseconds, as all time limits here. */
  readonly timeout: number;
  readonly noWaitAfter: true;
}

/** The actions of the mouse on an element: Playwright's, or ours where Playwright would miss the element. */
export interface PointerTarget {
  hover(options: { readonly timeout: number; readonly force: boolean }): Promise<void>;
  click(options: ClickOptions): Promise<void>;
  dblclick(options: ClickOptions): Promise<void>;
  setChecked(checked: boolean, options: { readonly timeout: number }): Promise<void>;
}

/** Ours if the element is in a frame that is zoomed or transformed; null if Playwright hits it. */
export async function framedElement(
  { element, subject }: TargetElement,
  page: Page,
  elements: Elements,
): Promise<FramedElement | null> {
  if (element.direct) return null;
  const handle = await element.handle();
  const frame = await handle.ownerFrame();
  if (frame === null || frame === page.mainFrame()) return null;
  const map = await mapFrame(frame);
  return map !== null && isPlain(map) ? null : new FramedElement(handle, subject, page, elements);
}

/** How long to wait before another attempt to reach an element, in ms. */
const RETRY_MS = 100;

const SIDES = ['start', 'end', 'center'] as const;

/**
 * An element in a frame that is zoomed or transformed. In a zoomed frame, the browser reports positions in pixels of the
 * frame, which Playwright takes for those of the tab; in a transformed one, Playwright does not check what it hits. Here the
 * mouse is pressed only once it is over the element.
 */
export class FramedElement implements PointerTarget {
  readonly #handle: ElementHandle<Element>;
  readonly #subject: string;
  readonly #page: Page;
  readonly #elements: Elements;

  constructor(handle: ElementHandle<Element>, subject: string, page: Page, elements: Elements) {
    this.#handle = handle;
    this.#subject = subject;
    this.#page = page;
    this.#elements = elements;
  }

  /** The point of the tab that the mouse was last moved to; null before that. */
  landing: Point | null = null;

  async hover({ timeout, force }: { readonly timeout: number; readonly force: boolean }): Promise<void> {
    const deadline = performance.now() + timeout;
    let lastMiss: ActionError | null = null;
    for (let attempt = 0; ; attempt++) {
      const remaining = Math.max(1, deadline - performance.now());
      const attempting = this.#reach(attempt, remaining, force);
      const miss: ActionError | null = await within(remaining, this.#subject, attempting).catch((error: unknown) => {
        throw error instanceof OutOfTime && lastMiss !== null ? lastMiss : error;
      });
      if (miss === null) return;
      if (deadline - performance.now() < RETRY_MS) throw miss;
      lastMiss = miss;
      await delay(RETRY_MS);
    }
  }

  /** Moves the mouse to the element. Resolves with the reason why it is not over it; null if it is. */
  async #reach(attempt: number, timeout: number, force: boolean): Promise<ActionError | null> {
    const handle = this.#handle;
    await handle.scrollIntoViewIfNeeded({ timeout });
    // Elsewhere, a fixed header may not cover it.
    if (attempt > 0) await callOn(handle, alignElement, SIDES[attempt % SIDES.length] ?? 'center');
    const point = await this.#locate();
    await this.#page.mouse.move(point.x, point.y);
    this.landing = point;
    return force || (await callOn(handle, isHovered, null)) ? null : this.#explainMiss(point);
  }

  click(options: ClickOptions): Promise<void> {
    return this.#click(options, 1);
  }

  dblclick(options: ClickOptions): Promise<void> {
    return this.#click(options, 2);
  }

  async setChecked(checked: boolean, { timeout }: { readonly timeout: number }): Promise<void> {
    const handle = this.#handle;
    if ((await handle.isChecked()) === checked) return;
    await this.#click({ button: 'left', timeout, noWaitAfter: true }, 1);
    if ((await handle.isChecked()) !== checked) {
      throw new ActionError('not_changed', `${this.#subject} did not change its state`);
    }
  }

  async #click({ button, timeout }: ClickOptions, clicks: number): Promise<void> {
    const deadline = performance.now() + timeout;
    await this.#handle.waitForElementState('enabled', { timeout });
    await this.hover({ timeout: Math.max(1, deadline - performance.now()), force: false });
    const { mouse } = this.#page;
    for (let clickCount = 1; clickCount <= clicks; clickCount++) {
      await mouse.down({ button, clickCount });
      await mouse.up({ button, clickCount });
    }
  }

  /** Where the element is in the tab. */
  async #locate(): Promise<Point> {
    const frame = await this.#handle.ownerFrame();
    const center = await callOn(this.#handle, findCenter, null);
    const map = frame && (await mapFrame(frame));
    if (center === null) throw new ActionError('element_hidden', `${this.#subject} is not visible`);
    if (map !== null) return mapPoint(map, center);
    // Right if the frame is not zoomed.
    const box = await this.#handle.boundingBox();
    if (box === null) throw new ActionError('element_hidden', `${this.#subject} is not visible`);
    return centerOf(box);
  }

  async #explainMiss({ x, y }: Point): Promise<ActionError> {
    const cover = await this.#elements.findAt(x, y);
    if (cover === null) {
      return new ActionError(
        'element_outside',
        `${this.#subject} is outside of the viewport and cannot be scrolled into it`,
      );
    }
    const tag = openingTag(await cover.call(readOpeningTag, null));
    cover.dispose();
    return new ActionError('element_covered', `${this.#subject} is covered by ${tag}`);
  }
}
