import type { BrowserContext } from 'playwright-core';
import { listNames } from '../../../functions/page/in-page/list-names.ts';
import { readFrameView } from '../../../functions/page/in-page/read-text.ts';
import { readNextPiece, readTextPiece } from '../../../functions/page/in-page/read-text-piece.ts';
import { storageOf } from '../../../functions/page/in-page/storage.ts';
import { engine, makeCallable } from '../../../functions/page/page-calls.ts';
import {
  describeElement,
  findElementAt,
  findFocusedElement,
  hasFixedForm,
  listOptions,
  listSelectors,
  readFieldValue,
} from '../acting/in-page/describe.ts';
import { alignElement, findCenter, isHovered, readFrameMap, readOpeningTag } from '../acting/in-page/frame-map.ts';
import { findControl, nameElement } from '../observing/in-page/name-element.ts';
import { findOnPath, isLike, matchesSelector } from '../recording/in-page/element-chain.ts';

let registration: Promise<void> | null = null;

/**
 * Makes the functions that read pages callable in Playwright's isolated world. Call this once, before any page is
 * opened.
 */
export function registerPageFunctions(): Promise<void> {
  registration ??= register();
  return registration;
}

async function register(): Promise<void> {
  const { selectors } = await import('playwright-core');
  makeCallable(readTextPiece, readNextPiece, readFrameView, listNames, storageOf);
  makeCallable(
    describeElement,
    readFieldValue,
    hasFixedForm,
    listOptions,
    findElementAt,
    findFocusedElement,
    listSelectors,
  );
  makeCallable(readFrameMap, findCenter, alignElement, isHovered, readOpeningTag);
  makeCallable(findControl, nameElement);
  makeCallable(findOnPath, isLike, matchesSelector);
  const { name, content } = engine();
  await selectors.register(name, { content }, { contentScript: true });
}

/**
 * Makes the functions callable in a context that another program has created, after `connectToBrowser`. Playwright itself gives engines only to contexts that it creates, and to those that are open when
 * an engine is registered.
 */
export async function registerInContext(context: BrowserContext): Promise<void> {
  const { name, content: source } = engine();
  const { _channel: channel } = context as unknown as {
    readonly _channel: { registerSelectorEngine(params: object, options: object): Promise<void> };
  };
  // What its `selectors.register` calls for open contexts.
  await channel.registerSelectorEngine({ selectorEngine: { name, source, contentScript: true } }, { timeout: 0 });
}
