import { randomBytes } from 'node:crypto';
import type { CDPSession, ElementHandle, Page } from 'playwright-core';
import type { Point } from '../../../actions/action.ts';
import { callOn, type ElementFunction } from '../../../functions/page/page-calls.ts';
import { plain } from '../../../functions/page/plain.ts';
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
export class ElementWithHandle implements PageElement {
  readonly direct = false;
  readonly #handle: ElementHandle<Element>;

  constructor(handle: ElementHandle<Element>) {
    this.#handle = handle;
  }

  call<Argument, Result>(
    run: ElementFunction<Element, Argument, Result>,
    argument: Argument,
  ): Promise<Awaited<Result>> {
    return callOn(this.#handle, run, argument) as Promise<Awaited<Result>>;
  }

  async handle(): Promise<ElementHandle<Element>> {
    return this.#handle;
  }

  async clickPoint(): Promise<null> {
    return null;
  }

  dispose(): void {
    // The page no longer exists.
    this.#handle.dispose().catch(() => undefined);
  }
}

/** An element in the main document, by its object id in our isolated world. */
export class DirectElement implements PageElement {
  readonly direct = true;
  readonly #page: Page;
  readonly #cdp: CDPSession;
  readonly #objectId: string;
  #handle: Promise<ElementHandle<Element>> | null = null;

  constructor(page: Page, cdp: CDPSession, objectId: string) {
    this.#page = page;
    this.#cdp = cdp;
    this.#objectId = objectId;
  }

  async call<Argument, Result>(
    run: ElementFunction<Element, Argument, Result>,
    argument: Argument,
  ): Promise<Awaited<Result>> {
    const { result, exceptionDetails } = await this.#cdp.send('Runtime.callFunctionOn', {
      objectId: this.#objectId,
      functionDeclaration: `function (argument) { return (${sourceOf(run)})(this, argument, ${plain}); }`,
      arguments: [{ value: argument }],
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  async clickPoint(): Promise<Point | null> {
    const { quads } = await this.#cdp.send('DOM.getContentQuads', { objectId: this.#objectId });
    const quad = quads.find((one) => areaOf(one) > 0.99);
    if (quad === undefined) return null;
    const middle = (from: 0 | 1): number => {
      let sum = 0;
      for (let index = from; index < 8; index += 2) sum += (quad[index] ?? 0) / 4;
      // Summed up and rounded as Playwright does: a hundredth of a pixel can be another pixel for the page.
      return Math.trunc(sum * 100) / 100;
    };
    return { x: middle(0), y: middle(1) };
  }

  handle(): Promise<ElementHandle<Element>> {
    this.#handle ??= this.#handOver();
    return this.#handle;
  }

  /** Passes the element to Playwright in a temporary property, which is removed one round trip later. */
  async #handOver(): Promise<ElementHandle<Element>> {
    const name = `taskwright${randomBytes(8).toString('hex')}`;
    const { node } = await this.#cdp.send('DOM.describeNode', { objectId: this.#objectId });
    const { object } = await this.#cdp.send('DOM.resolveNode', { backendNodeId: node.backendNodeId });
    const { exceptionDetails } = await this.#cdp.send('Runtime.callFunctionOn', {
      objectId: object.objectId ?? '',
      functionDeclaration: `function (name) {
        if (!this.isConnected) throw new Error('The element is not attached to the DOM.');
        Object.defineProperty(globalThis, name, { value: this, configurable: true, enumerable: false });
      }`,
      arguments: [{ value: name }],
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    const handle = await this.#page.mainFrame().evaluateHandle((key) => {
      const holder = globalThis as unknown as Record<string, Element | undefined>;
      const element = holder[key] ?? null;
      delete holder[key];
      return element;
    }, name);
    const element = handle.asElement();
    if (element === null) throw new Error('The element is not attached to the DOM: its document was left.');
    return element as ElementHandle<Element>;
  }

  dispose(): void {
    // Both fail if the page was left, which the caller learns from the handle.
    this.#cdp.send('Runtime.releaseObject', { objectId: this.#objectId }).catch(() => undefined);
    this.#handle?.then((handle) => handle.dispose()).catch(() => undefined);
  }
}

/** The area of a quad with the corners x, y, x, y, … */
function areaOf(quad: readonly number[]): number {
  const at = (index: number): number => quad[index % quad.length] ?? 0;
  let twice = 0;
  for (let index = 0; index < quad.length; index += 2)
    twice += at(index) * at(index + 3) - at(index + 2) * at(index + 1);
  return Math.abs(twice) / 2;
}
