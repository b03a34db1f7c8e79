import { randomUUID } from 'node:crypto';
import type { ElementHandle, Frame } from 'playwright-core';
import { type Plain, plain } from './plain.ts';

/** The selector engine that calls functions in pages. */
const ENGINE = 'taskwright';

/** A function that stands alone and runs in a page: on the page itself. Arguments and results are JSON. */
export type PageFunction<Argument, Result> = (argument: Argument, plain: Plain) => Result;
/** As `PageFunction`, on an element, or on all that a selector matches. */
export type ElementFunction<Target, Argument, Result> = (target: Target, argument: Argument, plain: Plain) => Result;
type AnyFunction = PageFunction<never, unknown> | ElementFunction<never, never, unknown>;

/**
 * Functions that can be called in Playwright's own world of a page: none of the page's scripts sees them, and nothing that
 * these scripts have changed is used.
 *
 * Playwright evaluates what it is given in the page's own world. Only its selectors are asked in a world of theirs, so
 * `element >> taskwright=CALL` selects an element of ours that holds the answer, whose text is then read in that world.
 */
const callable = new Map<AnyFunction, string>();

/** What a selector of the engine asks for. */
type Asked =
  /** To remember an element under a key. */
  | { readonly collect: string }
  /** To call a function: on an element, on those that are remembered under a key, on the page. */
  | {
      readonly call: string;
      readonly argument: unknown;
      readonly on: 'element' | 'page' | { readonly key: string };
      /** Whether the function gives an element, which is wanted itself. */
      readonly finds: boolean;
    };

/** Makes functions callable; to be done before `engine` is registered. */
export function makeCallable(...functions: readonly AnyFunction[]): void {
  for (const run of functions) if (!callable.has(run)) callable.set(run, `f${callable.size}`);
}

/** What Playwright is to register, with `contentScript`. */
export function engine(): { readonly name: string; readonly content: string } {
  const functions = [...callable].map(([run, name]) => `${name}: ${run}`).join(',\n');
  return { name: ENGINE, content: `(${createEngine})({ ${functions} }, ${plain})` };
}

/** Calls a function on the document of a frame. */
export async function callIn<Argument, Result>(
  frame: Frame,
  run: PageFunction<Argument, Result>,
  argument: Argument,
): Promise<Result> {
  return readAnswer(await frame.$(asks({ call: nameOf(run), argument, on: 'page', finds: false })));
}

/** Calls a function on all elements of a frame that a selector matches. */
export async function callOnAll<Argument, Result>(
  frame: Frame,
  selector: string,
  run: ElementFunction<Element[], Argument, Result>,
  argument: Argument,
): Promise<Result> {
  const key = randomUUID();
  await frame.locator(`${selector} >> ${asks({ collect: key })}`).count();
  return readAnswer(await frame.$(asks({ call: nameOf(run), argument, on: { key }, finds: false })));
}

/** Calls a function on one element. */
export async function callOn<Argument, Result>(
  element: ElementHandle,
  run: ElementFunction<Element, Argument, Result>,
  argument: Argument,
): Promise<Result> {
  return readAnswer(await element.$(asks({ call: nameOf(run), argument, on: 'element', finds: false })));
}

/** The element that a function gives for the document of a frame. */
export async function findIn<Argument>(
  frame: Frame,
  run: PageFunction<Argument, Element | null>,
  argument: Argument,
): Promise<ElementHandle<Element> | null> {
  const found = await frame.$(asks({ call: nameOf(run), argument, on: 'page', finds: true }));
  return found as ElementHandle<Element> | null;
}

/** The element that a function gives for another one. */
export async function findFrom(
  element: ElementHandle,
  run: ElementFunction<Element, null, Element | null>,
): Promise<ElementHandle<Element> | null> {
  const found = await element.$(asks({ call: nameOf(run), argument: null, on: 'element', finds: true }));
  return found as ElementHandle<Element> | null;
}

function asks(asked: Asked): string {
  return `${ENGINE}=${encodeURIComponent(JSON.stringify(asked))}`;
}

function nameOf(run: AnyFunction): string {
  const name = callable.get(run);
  if (name === undefined) throw new Error(`the function ${run.name} is not callable in pages`);
  return name;
}

/** The answer is JSON of a function of ours. */
async function readAnswer<Result>(answer: ElementHandle | null): Promise<Result> {
  try {
    const text = (await answer?.textContent()) ?? null;
    if (text === null) throw new Error('the page could not be read: it has no document');
    return JSON.parse(text).result;
  } finally {
    await answer?.dispose();
  }
}

/** Runs in the page: a selector engine whose only match is what a function gives, or an element that holds it. */
function createEngine(
  functions: Record<string, (...given: unknown[]) => unknown>,
  // Not the one of the module: this runs elsewhere.
  plain: Plain,
) {
  const collected = new Map<string, Element[]>();
  const queryAll = (root: Element, body: string): Element[] => {
    const asked: Asked = JSON.parse(decodeURIComponent(body));
    if ('collect' in asked) {
      const list = collected.get(asked.collect) ?? [];
      list.push(root);
      collected.set(asked.collect, list);
      return [];
    }
    const { argument, on } = asked;
    const target = on === 'element' ? [root] : on === 'page' ? [] : [collected.get(on.key) ?? []];
    if (typeof on === 'object') collected.delete(on.key);
    const result = functions[asked.call]?.(...target, argument, plain);
    if (asked.finds) return result instanceof Element ? [result] : [];
    const holder = plain(document).createElement('data');
    holder.textContent = JSON.stringify({ result });
    return [holder];
  };
  return { query: (root: Element, body: string) => queryAll(root, body)[0], queryAll };
}
