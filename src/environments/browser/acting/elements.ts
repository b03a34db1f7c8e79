import type { ElementHandle, Frame } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import { nearestWord } from '../../../base/nearest.ts';
import { callIn, findIn, type PageFunction } from '../../../functions/page/page-calls.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import type { Box } from '../../environment.ts';
import type { RecordedPage } from '../../recorded.ts';
import { type Limits, OutOfTime, within } from '../limits.ts';
import type { TreeReader } from '../observing/tree-reader.ts';
import type { Tab } from '../pages/tab.ts';
import { STATES } from '../recording/element-chain.ts';
import { ActionError, explain } from './failures.ts';
import { centerOf, mapBox, mapFrame, mapPoint, unmapPoint } from './frames.ts';
import {
  describeElement,
  type ElementFacts,
  findBySelector,
  findElementAt,
  findFocusedElement,
  listSelectors,
} from './in-page/describe.ts';
import { directElement, elementWithHandle, handOver, type PageElement } from './page-element.ts';

/** An element that an action acts on. */
export interface TargetElement {
  readonly element: PageElement;
  /** How the agent refers to it, for error messages. */
  readonly subject: string;
  readonly bid?: string;
  /** The error if it is no longer on the page. */
  readonly goneError?: ActionError;
}

/** The record of an element: facts that were read in its page, and its box in the viewport. */
export interface ElementRecord {
  readonly facts: ElementFacts;
  readonly box: Box;
  /** Where a click hits it, in the viewport. */
  readonly point: Point;
  /** The recorded page, if a selector needs it. */
  readonly page?: RecordedPage;
}

/** Finds the elements of one tab: by their id in the last observation, by a selector, at a point, by the focus. */
export class Elements {
  readonly #tab: Tab;
  readonly #reader: TreeReader;
  readonly #limits: Limits;

  constructor(tab: Tab, reader: TreeReader, limits: Limits) {
    this.#tab = tab;
    this.#reader = reader;
    this.#limits = limits;
  }

  /** Finds the element that the agent refers to: by its id in the last observation, or by a selector. */
  async find(ref: string): Promise<TargetElement> {
    if (this.#tab.numbers.find(ref)) return this.#limitTime(`element [${ref}]`, this.#findByBid(ref));
    if (/^([a-z][A-Z]*)*\d+$/.test(ref)) {
      throw new ActionError('element_missing', `the last observation has no element with the id ${ref}`);
    }
    return this.#findBySelector(ref);
  }

  async #findByBid(bid: string): Promise<TargetElement> {
    const subject = `element [${bid}]`;
    const goneError = new ActionError(
      'element_gone',
      `${subject} is no longer on the page; look at the observation again`,
    );
    const node = this.#tab.numbers.find(bid);
    const session = node && this.#reader.session(node.target);
    if (!node || !session) throw goneError;
    try {
      const isDirect = /^\d/.test(bid);
      const { object } = await session.send('DOM.resolveNode', {
        backendNodeId: node.backendNodeId,
        ...(isDirect ? { executionContextId: await this.#tab.world } : {}),
      });
      if (object.objectId === undefined) throw goneError;
      if (isDirect) {
        return { element: directElement(this.#tab.page, session, object.objectId), subject, bid, goneError };
      }
      const handle = await handOver(session, object.objectId, this.#tab.page.frames().slice(1));
      if (!handle) throw goneError;
      return { element: elementWithHandle(handle), subject, bid };
    } catch (error) {
      if (error instanceof ActionError) throw error;
      throw goneError;
    }
  }

  /** Finds an element in the main document or in its frames, in the order that checks use too. */
  async #findBySelector(selector: string): Promise<TargetElement> {
    try {
      // Most elements already exist, and querying the document once is much faster than starting a wait.
      const subject = `\`${selector}\``;
      const first = await this.#findFirst(selector);
      if (first) return { element: first, subject };
      return { element: elementWithHandle(await this.#waitFor(selector)), subject };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (!/Timeout \d+ms exceeded/.test(text)) {
        const why = (text.split('\n')[0] ?? '').replace(/^[a-zA-Z.]+: /, '');
        throw new ActionError('invalid_selector', `\`${selector}\` cannot be read as a selector: ${why}`);
      }
      // If they cannot be read, the error has no suggestion.
      const frames = this.#tab.page.frames();
      const names = Promise.all(frames.map((frame) => callIn(frame, listSelectors, null)));
      const selectors = await within(this.#limits.observe, 'the page', names).catch(() => []);
      const near = nearestWord(selector, selectors.flat());
      throw new ActionError(
        'element_missing',
        `no element matches \`${selector}\`${near === null ? '' : `; did you mean \`${near}\`?`}`,
      );
    }
  }

  async #waitFor(selector: string): Promise<ElementHandle<Element>> {
    const [page, ...frames] = this.#tab.page.frames() as [Frame, ...Frame[]];
    const wait = (frame: Frame) =>
      frame.waitForSelector(selector, { state: 'attached', timeout: this.#limits.action }) as Promise<
        ElementHandle<Element>
      >;
    if (frames.length === 0) return wait(page);
    for (const frame of [page, ...frames]) {
      const handle = await frame.$(selector);
      if (handle !== null) return handle as ElementHandle<Element>;
    }
    const waiting = [page, ...frames].map(wait);
    // Reports the error of the main document, because a frame may have been removed meanwhile.
    return Promise.any(waiting).catch(() => waiting[0] as Promise<ElementHandle<Element>>);
  }

  /**
   * The first element that the browser finds for a CSS selector, if Playwright, which also searches shadow roots, would
   * find the same.
   */
  async #findFirst(selector: string): Promise<PageElement | null> {
    // Also null for selectors that the browser cannot parse. Playwright reports errors in them.
    if (isPlaywrightOnly(selector) || !this.#reader.plain) return null;
    return this.#findDirect(findBySelector, selector);
  }

  /**
   * The element that a function finds in the main document, in our isolated world; null if there is none or the
   * function fails.
   */
  async #findDirect<Argument>(
    find: PageFunction<Argument, Element | null>,
    argument: Argument,
  ): Promise<PageElement | null> {
    const { page, cdp } = this.#tab;
    const { result } = await cdp.send('Runtime.evaluate', {
      contextId: await this.#tab.world,
      expression: `(${sourceOf(find)})(${JSON.stringify(argument)})`,
    });
    if (result.subtype !== 'node' || result.objectId === undefined) return null;
    return directElement(page, cdp, result.objectId);
  }

  /** The element at a point of the viewport, in any frame; null if there is none. */
  findAt(x: number, y: number): Promise<PageElement | null> {
    return this.#findInFrames(findElementAt, [x, y] as const, async (frame) => {
      const map = await mapFrame(frame);
      if (map === null) return null;
      const inner = unmapPoint(map, { x, y });
      return { argument: [inner.x, inner.y] as const };
    });
  }

  /** The focused element, in any frame; null if there is none. */
  findFocused(): Promise<PageElement | null> {
    return this.#findInFrames(findFocusedElement, null, async () => ({ argument: null }));
  }

  /**
   * The element that a function finds in the innermost frame. `argumentIn`: the argument in another frame; null if the
   * search ends at that frame.
   */
  #findInFrames<Argument>(
    find: PageFunction<Argument, Element | null>,
    argument: Argument,
    argumentIn: (frame: Frame) => Promise<{ readonly argument: Argument } | null>,
  ): Promise<PageElement | null> {
    const { page } = this.#tab;
    const findFrom = async (frame: Frame, own: Argument): Promise<PageElement | null> => {
      const element = await findIn(frame, find, own);
      const inner = await element?.contentFrame();
      const next = inner ? await argumentIn(inner) : null;
      return inner && next ? findFrom(inner, next.argument) : element && elementWithHandle(element);
    };
    const isSingle = page.frames().length === 1;
    return this.#limitTime(
      'the page',
      isSingle ? this.#findDirect(find, argument) : findFrom(page.mainFrame(), argument),
    );
  }

  /** Records an element before an action; null if it went away or the page hangs, which the action itself reports. */
  recordElement(element: PageElement): Promise<ElementRecord | null> {
    return this.#limitTime('the page', this.#recordElement(element)).catch(() => null);
  }

  /** Adds a time limit, because a page with an endless script does not answer. */
  #limitTime<T>(subject: string, answer: Promise<T>): Promise<T> {
    return within(this.#limits.action, subject, answer).catch((error: unknown) => {
      throw error instanceof OutOfTime ? explain(error, subject, this.#limits.action) : error;
    });
  }

  async #recordElement(element: PageElement): Promise<ElementRecord> {
    const facts = await element.call(describeElement, STATES);
    const { box, point } = facts;
    const { page } = this.#tab;
    if (element.direct || page.frames().length === 1) return { facts, box, point };
    const handle = await element.handle();
    const frame = await handle.ownerFrame();
    const map = frame && (await mapFrame(frame));
    if (map !== null) return { facts, box: mapBox(map, box), point: mapPoint(map, point) };
    const tabBox = (await handle.boundingBox()) ?? box;
    return { facts, box: tabBox, point: centerOf(tabBox) };
  }
}

/** Whether only Playwright supports a selector: an engine prefix, a chain, or a pseudo-class of Playwright. */
export function isPlaywrightOnly(selector: string): boolean {
  return /^\s*(\w[\w:-]*\s*=|["'/]|\.\.)|>>|:(has-text|text|text-is|text-matches|visible|nth-match|above|below|near|left-of|right-of)\b/.test(
    selector,
  );
}
