import { Session } from 'node:inspector';
import type { Locator, Page } from 'playwright-core';
import * as z from 'zod';
import type { Json } from '../base/json.ts';
import { type PageLink, pageLinkSchema } from '../functions/page/page-link.ts';
import { FINDERS, NARROWERS } from '../functions/page/questions.ts';
import type { PageQuery } from './browser-thread.ts';
import { COMPLETE } from './session-names.ts';

/** Holds a value between this thread and its inspector. */
const HOLDER_KEY = 'taskwright.held';

/** Methods of pages and locators that return without asking the browser. */
const IMMEDIATE: ReadonlySet<string> = new Set([
  ...[...FINDERS, ...NARROWERS, 'getByAltText', 'filter', 'frameLocator', 'contentFrame', 'owner', 'and', 'or'],
  ...['frames', 'mainFrame', 'context', 'page', 'isClosed', 'viewportSize', 'toString'],
]);

const linksSchema = z.array(pageLinkSchema);

/**
 * Makes a function available to the debug console of a stopped function. It completes what `await` cannot, because nothing else
 * runs in this thread: calls a chain of methods and returns its value, or that of the promise that it returns if that is
 * settled. Reads from the page by asking the thread of the browser.
 *
 * @param page of the task; undefined if its environment has none
 */
export function installStoppedConsole(page: () => Page | undefined, ask: (query: PageQuery) => Json): void {
  const complete = (base: unknown, links: readonly (readonly [string, readonly unknown[]])[]): unknown => {
    const current = page();
    const last = links.at(-1)?.[0];
    if (current !== undefined && last !== undefined && !IMMEDIATE.has(last)) {
      const locator = base === current ? null : locatorOf(current, base);
      if (locator !== undefined) return ask({ page: current, locator, links: readLinks(links) });
    }
    let value = base;
    for (const [name, args] of links) {
      const method = (value as Record<string, unknown>)[name];
      if (typeof method !== 'function') throw new TypeError(`${name} is not a function`);
      value = method.apply(value, args);
    }
    return value instanceof Promise ? resultOf(value) : value;
  };
  Object.defineProperty(globalThis, Symbol.for(COMPLETE), { value: complete, configurable: true });
}

/** A locator of the page as Playwright prints it; undefined for anything else. */
function locatorOf(page: Page, base: unknown): string | undefined {
  const { page: pageOf } = (base ?? {}) as Partial<Locator>;
  if (typeof pageOf !== 'function' || typeof (base as Locator).allTextContents !== 'function') return undefined;
  if ((base as Locator).page() !== page) return undefined;
  // The text of a locator does not say which frame it belongs to.
  if (page.frames().length > 1) throw new Error('The page has frames. Start from the page: page.locator("…").');
  return String(base);
}

function readLinks(links: readonly (readonly [string, readonly unknown[]])[]): PageLink[] {
  const read = linksSchema.safeParse(links.map(([name, args]) => ({ name, args })));
  if (!read.success)
    throw new Error('While a function is stopped, arguments of queries of the page must be JSON values.');
  return read.data;
}

/** The value of a settled promise. Throws if it is rejected, or pending. */
function resultOf(promise: Promise<unknown>): unknown {
  // Not awaited here, so its rejection is not reported as unhandled.
  promise.catch(() => {});
  const holder = globalThis as { [key: symbol]: unknown };
  const symbol = Symbol.for(HOLDER_KEY);
  const session = new Session();
  session.connect();
  holder[symbol] = promise;
  let state: unknown;
  try {
    // Within one process these requests are synchronous.
    session.post('Runtime.evaluate', { expression: `globalThis[Symbol.for('${HOLDER_KEY}')]` }, (_error, answer) => {
      const objectId = answer?.result.objectId;
      if (objectId === undefined) return;
      session.post('Runtime.getProperties', { objectId, ownProperties: true }, (_failed, properties) => {
        const internal = new Map(properties?.internalProperties?.map(({ name, value }) => [name, value]));
        state = internal.get('[[PromiseState]]')?.value;
        const result = internal.get('[[PromiseResult]]');
        holder[symbol] = result?.value;
        if (result?.objectId === undefined) return;
        const functionDeclaration = `function () { globalThis[Symbol.for('${HOLDER_KEY}')] = this; }`;
        session.post('Runtime.callFunctionOn', { objectId: result.objectId, functionDeclaration });
      });
    });
    if (state === 'fulfilled') return holder[symbol];
    if (state === 'rejected') throw holder[symbol];
    throw new Error('The promise is pending. It can settle only when the function continues.');
  } finally {
    delete holder[symbol];
    session.disconnect();
  }
}
