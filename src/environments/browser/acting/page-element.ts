import { randomBytes } from 'node:crypto';
import type { CDPSession, ElementHandle, Frame, Page } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import { callOn, type ElementFunction } from '../../../functions/page/page-calls.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';

/**
 * An element of a page. For a handle, Playwright injects a script of 330 KB into both worlds of a document, so an
 * element is reached over the tab's own CDP session where possible.
 */
export interface PageElement {
  /** Whether it is in the main document and is reached without a handle. */
  readonly direct: boolean;
  /**
   * Calls a self-contained function with the element in an isolated world. Arguments and results are JSON. If the
   * element is not `direct`, the function must have been made callable.
   */
  call<Argument, Result>(run: ElementFunction<Element, Argument, Result>, argument: Argument): Promise<Awaited<Result>>;
  /** A handle for Playwright. Rejects if the element is no longer on the page. */
  handle(): Promise<ElementHandle<Element>>;
  /** Where Playwright clicks: the center of the first content quad; null if there is none or it is unknown. */
  clickPoint(): Promise<Point | null>;
  /** Releases it. It is also released with its page. */
  dispose(): void;
}

/** An element with a handle: in a frame, or found by Playwright. */
export function elementWithHandle(handle: ElementHandle<Element>): PageElement {
  return {
    direct: false,
    call: (run, argument) => callOn(handle, run, argument),
    handle: async () => handle,
    clickPoint: async () => null,
    // It fails if the page no longer exists.
    dispose: () => void handle.dispose().catch(() => undefined),
  };
}

/** An element in the main document, by its object id in our isolated world. */
export function directElement(page: Page, cdp: CDPSession, objectId: string): PageElement {
  let handle: Promise<ElementHandle<Element>> | null = null;
  const createHandle = async (): Promise<ElementHandle<Element>> => {
    const { node } = await cdp.send('DOM.describeNode', { objectId });
    const { object } = await cdp.send('DOM.resolveNode', { backendNodeId: node.backendNodeId });
    const elementHandle = await handOver(cdp, object.objectId ?? '', [page.mainFrame()]);
    if (elementHandle === null) throw new Error('The element is not attached to the DOM.');
    return elementHandle;
  };
  return {
    direct: true,
    async call(run, argument) {
      const { result, exceptionDetails } = await cdp.send('Runtime.callFunctionOn', {
        objectId,
        functionDeclaration: `function (argument) { return (${sourceOf(run)})(this, argument); }`,
        arguments: [{ value: argument }],
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    },
    async clickPoint() {
      const { quads } = await cdp.send('DOM.getContentQuads', { objectId });
      const quad = quads.find((one) => areaOf(one) > 0.99);
      if (quad === undefined) return null;
      const middle = (from: 0 | 1): number => {
        let sum = 0;
        for (let index = from; index < 8; index += 2) sum += (quad[index] ?? 0) / 4;
        // Summed up and rounded as Playwright does: a hundredth of a pixel can be another pixel for the page.
        return Math.trunc(sum * 100) / 100;
      };
      return { x: middle(0), y: middle(1) };
    },
    handle() {
      handle ??= createHandle();
      return handle;
    },
    dispose() {
      // Both fail if the page was left, which the caller learns from the handle.
      cdp.send('Runtime.releaseObject', { objectId }).catch(() => undefined);
      handle?.then((own) => own.dispose()).catch(() => undefined);
    },
  };
}

/**
 * Passes an element of the main world to Playwright in a temporary property, which is removed one round trip later. Null if
 * the element is not in one of the frames, or no longer on the page.
 */
export async function handOver(
  session: CDPSession,
  objectId: string,
  frames: readonly Frame[],
): Promise<ElementHandle<Element> | null> {
  const key = `taskwright${randomBytes(8).toString('hex')}`;
  const { result } = await session.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: `function (key) {
      if (!this.isConnected) return false;
      Object.defineProperty(globalThis, key, { value: this, configurable: true, enumerable: false });
      return true;
    }`,
    arguments: [{ value: key }],
    returnByValue: true,
  });
  if (result.value !== true) return null;
  const takeProperty = async (frame: Frame): Promise<ElementHandle<Element> | null> => {
    const handle = await frame.evaluateHandle((name) => {
      const holder = globalThis as unknown as Record<string, Element | undefined>;
      const element = holder[name] ?? null;
      delete holder[name];
      return element;
    }, key);
    return handle.asElement() as ElementHandle<Element> | null;
  };
  // A frame that is removed meanwhile does not have the element.
  const handles = await Promise.all(frames.map((frame) => takeProperty(frame).catch(() => null)));
  return handles.find((handle) => handle !== null) ?? null;
}

/** The area of a quad with the corners x, y, x, y, … */
function areaOf(quad: readonly number[]): number {
  const at = (index: number): number => quad[index % quad.length] ?? 0;
  let twice = 0;
  for (let index = 0; index < quad.length; index += 2)
    twice += at(index) * at(index + 3) - at(index + 2) * at(index + 1);
  return Math.abs(twice) / 2;
}
