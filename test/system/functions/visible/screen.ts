/// <reference lib="dom" />
import type { CDPSession, Frame, Page } from 'playwright-core';
import { countColors } from './count-colors.ts';
import { OTHER_SITE } from './draft.ts';
import { type Looking, looking } from './looking.ts';

/** What a screenshot says of a word: seen, unseen, or cut off so far that the contract leaves it open. */
export type Sight = 'seen' | 'unseen' | 'open';

/** Shares of a word's squares from which on it is seen, and up to which it is not. */
const SEEN = 0.75;
const UNSEEN = 0.2;
/** A square has to have so many pixels of the screen to be a character that counts, and fewer not to count. */
const LARGE = 3;
const SMALL = 0.8;

/** A word's squares on the screen. */
interface Squares {
  /** Pixels that they take where nothing cuts them off. */
  readonly area: number;
  /** Pixels of the shorter side of its line. */
  readonly height: number;
  readonly isMasked: boolean;
}

/** Looks at a page as a person does who scrolls it. */
export class Screen {
  readonly #page: Page;
  readonly #cdp: CDPSession;
  readonly #count: number;
  /** The largest share of each word that was seen. */
  readonly #shares: number[];
  readonly #squares: (Squares | null)[];

  constructor(page: Page, cdp: CDPSession, count: number) {
    this.#page = page;
    this.#cdp = cdp;
    this.#count = count;
    this.#shares = Array(count).fill(0);
    this.#squares = Array(count).fill(null);
  }

  /** Looks at each word where it is, and scrolls to those that are not seen there. */
  async look(): Promise<readonly Sight[]> {
    for (const frame of this.#sites()) {
      if (frame.parentFrame() === null) continue;
      // A document does not know this of a frame of another site.
      const element = await frame.frameElement();
      await frame.evaluate(`globalThis.cannotScroll = ${(await element.getAttribute('scrolling')) === 'no'}`);
      await element.dispose();
    }
    await this.#shoot();
    for (let index = 0; index < this.#count; index += 1) {
      for (const place of [0.5, 0, 1]) {
        const share = this.#shares[index] ?? 0;
        if (share >= SEEN || (share === 0 && place !== 0.5)) break;
        if (await this.#scrollTo(index, place)) await this.#shoot();
      }
    }
    return Array.from({ length: this.#count }, (_, index) => this.#sight(index));
  }

  /** Looks at one word again, with all others made transparent, wherever all that scrolls can be scrolled to. */
  async lookAlone(index: number): Promise<Sight> {
    this.#shares[index] = 0;
    for (const frame of this.#sites()) await this.#call(frame, 'hideOthers', index);
    for (const isUsed of [true, false]) {
      for (const place of [0.5, 0, 1]) {
        await this.#scrollTo(index, place, isUsed);
        await this.#shoot();
      }
    }
    for (let step = 0; step < 40 && (this.#shares[index] ?? 0) < SEEN; step += 1) {
      for (const frame of this.#sites()) await this.#call(frame, 'scrollAnywhere', step);
      await this.#shoot();
    }
    return this.#sight(index);
  }

  /** What was seen of a word, for a person. */
  share(index: number): string {
    return `${Math.round((this.#shares[index] ?? 0) * 100)} % of ${Math.round(this.#squares[index]?.area ?? 0)} px`;
  }

  #sight(index: number): Sight {
    const squares = this.#squares[index] ?? null;
    const share = this.#shares[index] ?? 0;
    if (squares?.isMasked) return 'unseen';
    // How much of it a few pixels are is not known: it has no box.
    if (squares === null && share > 0 && share < SEEN) return 'open';
    const side = squares === null ? LARGE : Math.min(Math.sqrt(squares.area / 4), squares.height);
    if (side < SMALL || share <= UNSEEN) return 'unseen';
    return side >= LARGE && share >= SEEN ? 'seen' : 'open';
  }

  /** The page, and its frames of other sites. */
  #sites(): Frame[] {
    return this.#page.frames().filter((frame) => frame.parentFrame() === null || frame.url().startsWith(OTHER_SITE));
  }

  async #call<Name extends keyof Looking, Result = ReturnType<Looking[Name]>>(
    frame: Frame,
    name: Name,
    ...args: Parameters<Looking[Name]>
  ): Promise<Result> {
    const expression = `(globalThis.looking ??= (${looking})()).${name}(${args.map((one) => JSON.stringify(one)).join()})`;
    if (frame.parentFrame() !== null) return frame.evaluate<Result>(expression);
    const { result, exceptionDetails } = await this.#cdp.send('Runtime.evaluate', { expression, returnByValue: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value as Result;
  }

  async #shoot(): Promise<void> {
    await this.#measure();
    const counts = countColors(
      await this.#cdp.send('Page.captureScreenshot', { format: 'png', optimizeForSpeed: true }).then(
        ({ data }) => Buffer.from(data, 'base64'),
        // The fast way cannot read a surface that was just replaced.
        () => this.#page.screenshot(),
      ),
    );
    for (let index = 0; index < this.#count; index += 1) {
      const area = this.#squares[index]?.area ?? 4 * 16 * 16;
      this.#shares[index] = Math.max(this.#shares[index] ?? 0, (counts[index] ?? 0) / Math.max(area, 4));
    }
  }

  /** Asks the browser how large the words are on the screen. */
  async #measure(): Promise<void> {
    const [top, ...others] = this.#sites();
    const facts = await this.#call(top as Frame, 'measure');
    const { result } = await this.#cdp.send('Runtime.evaluate', { expression: 'lookedAt' });
    const { result: properties } = await this.#cdp.send('Runtime.getProperties', {
      objectId: result.objectId ?? '',
      ownProperties: true,
    });
    const measured = properties.map(async ({ name, value }) => {
      const found = facts[Number(name)];
      if (value?.objectId === undefined || found === undefined) return;
      const { area, height } = await this.#sizeOf(value.objectId);
      for (const { index, part, zoom, isMasked } of found) {
        if (area > 0 || isMasked)
          this.#squares[index] = { area: area * part * zoom ** 2, height: height * zoom, isMasked };
      }
    });
    await Promise.all(measured);
    for (const frame of others) {
      const element = await frame.frameElement();
      // How large a pixel of the frame is on the screen.
      const pixel = await element.evaluate((node) => {
        const one = node as HTMLElement;
        const { width, height } = one.getBoundingClientRect();
        const { a, b, c, d } = new DOMMatrix(getComputedStyle(one).transform);
        // The rectangle around a turned frame is larger than the frame.
        if (b !== 0) return Math.abs(a * d - b * c);
        return (width * height) / Math.max(1, one.offsetWidth * one.offsetHeight);
      });
      await element.dispose();
      for (const { index, area, height, part, isMasked } of (await this.#call(frame, 'measure')).flat()) {
        if (area > 0 || isMasked)
          this.#squares[index] = { area: area * part * pixel, height: height * Math.sqrt(pixel), isMasked };
      }
    }
  }

  async #sizeOf(objectId: string): Promise<{ area: number; height: number }> {
    try {
      const { quads } = await this.#cdp.send('DOM.getContentQuads', { objectId });
      return {
        area: quads.reduce((sum, quad) => sum + quadArea(quad), 0),
        height: Math.max(...quads.map(quadHeight)),
      };
    } catch {
      return { area: 0, height: 0 }; // It has no box.
    }
  }

  /** Scrolls what a person can scroll so that a word is at a place of each box; false where nothing has moved. */
  async #scrollTo(index: number, place: number, isUsed = true): Promise<boolean> {
    let hasMoved = false;
    for (const frame of this.#sites()) {
      const found = await this.#call(frame, 'scrollToWord', index, place, isUsed);
      if (found === null) continue;
      hasMoved ||= found.hasMoved;
      if (frame.parentFrame() !== null) {
        const element = await frame.frameElement();
        const expression = `(globalThis.looking ??= (${looking})())`;
        await (frame.parentFrame() as Frame).evaluate(expression);
        hasMoved =
          (await element.evaluate(
            (one, { x, y, at }) =>
              (globalThis as unknown as { looking: Looking }).looking.scrollToFrame(one as Element, x, y, at),
            { ...found, at: place },
          )) || hasMoved;
        await element.dispose();
      }
      if (!found.isLate) continue;
      // What has come into sight is laid out only now.
      await this.#page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      await this.#call(frame, 'scrollToWord', index, place, isUsed);
      hasMoved = true;
    }
    return hasMoved;
  }
}

function quadArea(quad: readonly number[]): number {
  let twice = 0;
  for (let at = 0; at < 8; at += 2) {
    twice += (quad[at] ?? 0) * (quad[(at + 3) % 8] ?? 0) - (quad[(at + 2) % 8] ?? 0) * (quad[at + 1] ?? 0);
  }
  return Math.abs(twice) / 2;
}

/** The shorter side. */
function quadHeight([x0 = 0, y0 = 0, x1 = 0, y1 = 0, , , x3 = 0, y3 = 0]: readonly number[]): number {
  return Math.min(Math.hypot(x1 - x0, y1 - y0), Math.hypot(x3 - x0, y3 - y0));
}
