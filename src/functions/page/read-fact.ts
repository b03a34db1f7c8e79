import type { Frame, Page } from 'playwright-core';
import type { FunctionContext } from '../declaration.ts';
import type { FactQuery } from '../fact-query.ts';
import { pageOf } from '../needs.ts';
import { finalName } from './final-name.ts';
import { listNames } from './in-page/list-names.ts';
import { readFrameView } from './in-page/read-text.ts';
import { readNextPiece, readTextPiece } from './in-page/read-text-piece.ts';
import { callIn, callOn, callOnAll } from './page-calls.ts';
import { type FrameView, fold } from './page-text.ts';
import { ReadTooLong, readInPieces } from './read-in-pieces.ts';
import { type ReadPage, readPage } from './read-page.ts';
import { retryReading } from './retry-reading.ts';

interface Facts {
  readonly url: string;
  readonly elements: { readonly count: number; readonly names: readonly string[] };
  /** Folded. */
  readonly texts: { readonly texts: readonly string[]; readonly names: readonly string[] };
  /** `page`: the text of the page and what explains a missing text; null if no text is missing. */
  readonly text: { readonly page: ReadPage | null };
}

/** `names`: the ids or classes on the page if no element matches, depending on what the selector ends in. */
export type Fact<Query extends FactQuery> = Facts[Query['kind']];

/** Reads a fact from the page, unless the context already has it. */
export async function factOf<Query extends FactQuery>(context: FunctionContext, query: Query): Promise<Fact<Query>> {
  const ask = (): Promise<unknown> => {
    const page = pageOf(context);
    return retryReading(page, context.actions.length > 0, () => readFact(page, query));
  };
  return (context.fact ?? (await ask())) as Fact<Query>;
}

async function readFact(page: Page, query: FactQuery): Promise<Facts[FactQuery['kind']]> {
  switch (query.kind) {
    case 'url':
      return page.url();
    case 'elements': {
      let count = 0;
      for (const frame of page.frames()) count += await frame.locator(query.selector).count();
      return { count, names: count > 0 ? [] : await namesOf(page, query.selector) };
    }
    case 'texts': {
      const texts = await textsOf(page, query.selector);
      return { texts, names: texts.length > 0 ? [] : await namesOf(page, query.selector) };
    }
    case 'text': {
      const read = await readPage(page, { explain: false });
      const text = fold(read.text);
      const isThere = query.texts.every((one) => text.includes(fold(one)));
      return { page: isThere ? null : await explainMissing(page, read) };
    }
  }
}

/** How long a page is read to explain why a text is missing, in ms. Nearly all pages take a few. */
const EXPLANATION_LIMIT = 5_000;

/** The page with what explains a missing text; as it was read if it is too large for that. */
async function explainMissing(page: Page, read: ReadPage): Promise<ReadPage> {
  return readPage(page, { explain: true }, EXPLANATION_LIMIT).catch((error: unknown) => {
    if (error instanceof ReadTooLong) return read;
    throw error;
  });
}

/** The folded visible text of each element that matches, in all frames. */
async function textsOf(page: Page, selector: string): Promise<string[]> {
  const allTexts: string[] = [];
  for (const frame of page.frames()) {
    const count = await frame.locator(selector).count();
    if (count === 0) continue;
    const view = await viewOf(frame);
    if (view === undefined) {
      allTexts.push(...Array<string>(count).fill(''));
      continue;
    }
    const { texts } = await readInPieces((piece) => {
      const options = { explain: false, frame: view, ...piece };
      return piece.isBegun ? callIn(frame, readNextPiece, options) : callOnAll(frame, selector, readTextPiece, options);
    });
    allTexts.push(...texts.map(fold));
  }
  return allTexts;
}

/** How a frame shows its document: null for the page itself, undefined if nothing of it can be seen. */
async function viewOf(frame: Frame): Promise<FrameView | null | undefined> {
  const parent = frame.parentFrame();
  if (parent === null) return null;
  const outer = await viewOf(parent);
  if (outer === undefined) return undefined;
  const element = await frame.frameElement();
  try {
    return (await callOn(element, readFrameView, outer)) ?? undefined;
  } finally {
    await element.dispose();
  }
}

/** The ids or classes on the page, one of which the selector may have meant. */
export async function namesOf(page: Page, selector: string): Promise<string[]> {
  const name = finalName(selector);
  return name === null ? [] : callIn(page.mainFrame(), listNames, name.kind);
}
