/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { RecordedDocument } from '../../../recorded.ts';
import { type FrameToFill, NodeBuilder } from './build-nodes.ts';
import { clearPage } from './reuse-elements.ts';

/** The input of `rebuildDocument`. */
export interface Rebuilding {
  /** A `RecordedDocument` as JSON. */
  readonly json: string;
  /** The texts of style sheets that scripts have added, by name. */
  readonly sheets: Readonly<Record<string, string>>;
  /** The globals of the page's scripts. Reading one is recordedDocument. */
  readonly names: readonly string[];
  /** The URLs of linked style sheets that are the same in the previous page, whose elements can be reused. */
  readonly reusableSheets: readonly string[];
}

/** The time limit for loading, in ms. Everything comes from the recording, so it is short. */
const MAX_LOAD_MS = 1000;

/**
 * Runs in an empty page without scripts, or in one that shows another snapshot: replaces its document by the recorded one.
 * Resolves when the style sheets have loaded.
 */
export async function rebuildDocument(rebuilding: Rebuilding): Promise<readonly FrameToFill[]> {
  const { json, sheets, names, reusableSheets } = rebuilding;
  const recordedDocument = JSON.parse(json) as RecordedDocument;
  const page = plain(document);
  const { taskwrightNames = [] } = globalThis as { taskwrightNames?: readonly string[] };
  for (const name of taskwrightNames) Reflect.deleteProperty(globalThis, name);
  const builder = new NodeBuilder(sheets, clearPage(recordedDocument, reusableSheets));
  page.adoptedStyleSheets = [];
  builder.addNodes(document, recordedDocument.children);
  if (recordedDocument.doctype) {
    const [name, publicId, systemId] = recordedDocument.doctype;
    page.prepend(page.implementation.createDocumentType(name, publicId, systemId));
  }
  page.adoptedStyleSheets = builder.sheetsOf(recordedDocument.sheets);
  restoreStorage(recordedDocument.storage);
  await Promise.race([builder.load(), new Promise((resolve) => setTimeout(resolve, MAX_LOAD_MS))]);
  for (const act of [...builder.afterTree, ...builder.atEnd]) {
    try {
      act();
    } catch {
      // The element does not accept this state. It stays as it is.
    }
  }
  // The scroll position of the previous page may still be in effect.
  const [left, top] = recordedDocument.scroll ?? [0, 0];
  page.scrollingElement?.scrollTo({ left, top, behavior: 'instant' });
  Object.assign(globalThis, {
    taskwrightFrames: builder.frameElements,
    taskwrightAsked: watchNames(names),
    taskwrightNames: names,
    taskwrightLinks: builder.links,
  });
  return builder.frames;
}

function restoreStorage({ local = {}, session = {} }: Partial<RecordedDocument['storage']> = {}): void {
  try {
    for (const storage of [localStorage, sessionStorage]) if (storage.length > 0) storage.clear();
    for (const [key, value] of Object.entries(local)) localStorage.setItem(key, value);
    for (const [key, value] of Object.entries(session)) sessionStorage.setItem(key, value);
  } catch {
    // A page without an origin has no storage.
  }
}

/** Defines globals without values. Returns the list to which each name is added that is read. */
function watchNames(names: readonly string[]): string[] {
  const readNames: string[] = [];
  for (const name of names) {
    const get = (): undefined => {
      readNames.push(name);
    };
    try {
      Object.defineProperty(globalThis, name, { configurable: true, get, set: () => undefined });
    } catch {
      // The browser defines this name.
    }
  }
  return readNames;
}
