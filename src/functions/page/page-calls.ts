import { randomUUID } from 'node:crypto';
import type { ElementHandle, Frame } from 'playwright-core';
import { createEngine, type EngineRequest } from './in-page/selector-engine.ts';
import { type InPageFunction, sourceOf, sourceOfAll } from './source-of.ts';

/** The selector engine that calls functions in pages. */
const ENGINE = 'taskwright';

/** A function that runs in a page, on the page itself. Arguments and results are JSON. */
export type PageFunction<Argument, Result> = (argument: Argument) => Result;
/** A function that runs in a page, on an element or on all elements that a selector matches. */
export type ElementFunction<Target, Argument, Result> = (target: Target, argument: Argument) => Result;

/**
 * Functions that can be called in Playwright's isolated world of a page. The page's scripts cannot see this world and
 * cannot change the objects in it.
 *
 * Playwright's `evaluate` runs in the page's main world. Only selector engines run in an isolated world, so `element >>
 * taskwright=CALL` selects an element of ours that holds the result; its text is read in that world too.
 */
const callable = new Map<InPageFunction, string>();

/** Makes functions callable. Call this before `engine` is registered. */
export function makeCallable(...functions: readonly InPageFunction[]): void {
  for (const run of functions) if (!callable.has(run)) callable.set(run, `f${callable.size}`);
}

/** The engine to register with Playwright, with `contentScript`. */
export function engine(): { readonly name: string; readonly content: string } {
  return { name: ENGINE, content: `${sourceOf(createEngine)}(${sourceOfAll(callable)})` };
}

/** Calls a function on the document of a frame. */
export async function callIn<Argument, Result>(
  frame: Frame,
  run: PageFunction<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  return readAnswer(await frame.$(selectorOf({ call: nameOf(run), argument, on: 'page', finds: false })));
}

/** Calls a function on all elements of a frame that a selector matches. */
export async function callOnAll<Argument, Result>(
  frame: Frame,
  selector: string,
  run: ElementFunction<Element[], Argument, Result>,
  argument: Argument,
): Promise<Result> {
  const key = randomUUID();
  await frame.locator(`${selector} >> ${selectorOf({ collect: key })}`).count();
  return readAnswer(await frame.$(selectorOf({ call: nameOf(run), argument, on: { key }, finds: false })));
}

/** Calls a function on one element. */
export async function callOn<Argument, Result>(
  element: ElementHandle,
  run: ElementFunction<Element, Argument, Result>,
  argument: Argument,
): Promise<Awaited<Result>> {
  return readAnswer<Awaited<Result>>(
    await element.$(selectorOf({ call: nameOf(run), argument, on: 'element', finds: false })),
  );
}

/** The element that a function returns for the document of a frame. */
export async function findIn<Argument>(
  frame: Frame,
  run: PageFunction<Argument, Element | null>,
  argument: Argument,
): Promise<ElementHandle<Element> | null> {
  const handle = await frame.$(selectorOf({ call: nameOf(run), argument, on: 'page', finds: true }));
  return handle as ElementHandle<Element> | null;
}

/** The element that a function returns for another one. */
export async function findFrom(
  element: ElementHandle,
  run: ElementFunction<Element, null, Element | null>,
): Promise<ElementHandle<Element> | null> {
  const handle = await element.$(selectorOf({ call: nameOf(run), argument: null, on: 'element', finds: true }));
  return handle as ElementHandle<Element> | null;
}

function selectorOf(request: EngineRequest): string {
  return `${ENGINE}=${encodeURIComponent(JSON.stringify(request))}`;
}

function nameOf(run: InPageFunction): string {
  const name = callable.get(run);
  if (name === undefined) throw new Error(`the function ${run.name} is not callable in pages`);
  return name;
}

/** The answer is JSON that one of our functions returned. */
async function readAnswer<Result>(answer: ElementHandle | null): Promise<Result> {
  try {
    const text = (await answer?.textContent()) ?? null;
    if (text === null) throw new Error('the page could not be read: it has no document');
    return JSON.parse(text).result;
  } finally {
    await answer?.dispose();
  }
}
