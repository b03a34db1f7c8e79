import { availableParallelism } from 'node:os';
import type { Browser, Page } from 'playwright-core';
import type { ActionRecord, DownloadedFile, FunctionContext } from '../../../functions/declaration.ts';
import type { FactQuery } from '../../../functions/fact-query.ts';
import { EnvironmentError, type RecordedSnapshot, type SnapshotBatch, type SnapshotFacts } from '../../environment.ts';
import { type RecordedPage, recordedPageSchema } from '../../recorded.ts';
import { isPlaywrightOnly } from '../acting/elements.ts';
import { recordedDownloads } from '../pages/downloads.ts';
import { toActionRecord } from './action-records.ts';
import { mergeNeeds, needsOf, type PageNeeds } from './page-needs.ts';
import { PastElements } from './past-elements.ts';
import { type ReadPage, RestoredPageTab, sameOrigin } from './restore-tab.ts';

/** The global of a restored page that lists the names that were read. `rebuildDocument` sets it. */
const READ_NAMES = 'taskwrightAsked';

/** How many snapshots are restored in one round trip. With more, the two tabs rarely finish at the same time. */
const MAX_GROUP = 12;
/** The number of snapshots from which a second tab is faster. */
const SECOND_TAB_FROM = 24;

/** Restores the pages of recordings. */
export class RestoredPages {
  readonly #browser: Browser;
  readonly #pastElements: PastElements;
  readonly #actionTimeout: number;
  readonly #tab: RestoredPageTab;
  /** For many snapshots, because a page uses only one processor. */
  #second: RestoredPageTab | null = null;
  #response: string | null = null;
  #actions: readonly ActionRecord[] = [];
  #downloads: readonly DownloadedFile[] = [];

  constructor(browser: Browser, actionTimeout: number) {
    this.#browser = browser;
    this.#pastElements = new PastElements(browser, actionTimeout);
    this.#actionTimeout = actionTimeout;
    this.#tab = new RestoredPageTab(browser, actionTimeout);
  }

  /**
   * Restores a page. `fresh`: in a new document, because a user-defined function may have changed the last one.
   * Resolves with descriptions of what the recording does not contain.
   *
   * @throws EnvironmentError `not_recorded` if there is no page that can be restored
   */
  async show({
    page: bytes,
    resources,
    actions,
    response,
    downloads = [],
    fresh,
  }: RecordedSnapshot): Promise<readonly string[]> {
    if (bytes === null) throw new EnvironmentError('not_recorded', 'this step has no recorded page');
    const recordedPage = parsePage(bytes);
    this.#response = response;
    this.#downloads = recordedDownloads(downloads, resources);
    this.#actions = actions.map((action) => toActionRecord(action, this.#pastElements, () => resources));
    if (!/^https?:|^about:blank/.test(recordedPage.url)) {
      throw new EnvironmentError('not_recorded', `a page at ${recordedPage.url} cannot be rebuilt`);
    }
    await this.#tab.show(recordedPage, needsOf(recordedPage, resources), fresh);
    return recordedPage.gaps;
  }

  /**
   * Restores several snapshots and answers the queries of each. Adjacent snapshots that can share a document take one
   * round trip. Null for a snapshot that must be restored separately, because it has frames or shadow roots or cannot
   * be restored this way.
   */
  async readEach({ moments, resources, fresh }: SnapshotBatch): Promise<readonly (SnapshotFacts | null)[]> {
    const results: (SnapshotFacts | null)[] = moments.map(() => null);
    const groups = groupsOf(moments, resources);
    const count = groups.reduce((sum, { pages }) => sum + pages.length, 0);
    const tabs = [this.#tab];
    if (count >= SECOND_TAB_FROM && groups.length > 1 && availableParallelism() > 1) {
      this.#second ??= new RestoredPageTab(this.#browser, this.#actionTimeout);
      tabs.push(this.#second);
    }
    const left = groups.values();
    const work = async (tab: RestoredPageTab): Promise<void> => {
      // No user-defined function runs in the second tab.
      let isFresh = fresh && tab === this.#tab;
      for (const { from, pages, needs } of left) {
        const allFacts = await tab.readEach(pages, needs, isFresh);
        isFresh = false;
        for (const [index, { page }] of pages.entries()) {
          const facts = allFacts[index] ?? null;
          results[from + index] = facts && { facts, gaps: page.gaps, history: page.history };
        }
      }
    };
    // Both are done before the next snapshot is recordedPage.
    const outcomes = await Promise.allSettled(tabs.map(work));
    for (const one of outcomes) if (one.status === 'rejected') throw one.reason;
    return results;
  }

  functionContext(): FunctionContext {
    const { page, recordedPage } = this.#tab;
    if (page === null || recordedPage === null) throw new EnvironmentError('environment_failed', 'no page was rebuilt');
    return {
      page,
      response: this.#response,
      actions: this.#actions,
      actionTimeout: this.#actionTimeout,
      downloads: async () => this.#downloads,
      open: async () => {
        throw new Error('a recording has only the page that was open');
      },
      recording: {
        history: recordedPage.history,
        lacking: async () => (recordedPage.names.length === 0 ? [] : lacking(page)),
      },
    };
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#tab.close(), this.#second?.close(), this.#pastElements.close()]);
  }
}

function parsePage(bytes: Uint8Array): RecordedPage {
  try {
    return recordedPageSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    const message = 'the recorded page cannot be read: it is broken, or of a newer version';
    throw new EnvironmentError('not_recorded', message, { cause: error });
  }
}

/** Adjacent snapshots that can share a document. */
interface Group {
  /** The index of the first one. */
  readonly from: number;
  readonly pages: readonly [ReadPage, ...ReadPage[]];
  /** The needs of all of them. */
  readonly needs: PageNeeds;
}

/** Groups adjacent snapshots that can share a document. Snapshots that must be restored separately are in no group. */
function groupsOf(moments: SnapshotBatch['moments'], resources: SnapshotBatch['resources']): readonly Group[] {
  const groups: Group[] = [];
  for (const [at, { page, queries }] of moments.entries()) {
    const recordedPage = readable(page);
    if (recordedPage === null || !/^https?:/.test(recordedPage.url) || queries.some(isOfPlaywright)) continue;
    const needs = needsOf(recordedPage, resources);
    if (!needs.plain) continue;
    const one = { page: recordedPage, queries, adoptedSheets: needs.adoptedSheets };
    const last = groups.at(-1);
    const both = last && follows(last, at, recordedPage) ? mergeNeeds(last.needs, needs) : null;
    if (last === undefined || both === null) groups.push({ from: at, pages: [one], needs });
    else groups.splice(-1, 1, { from: last.from, pages: [...last.pages, one], needs: both });
  }
  return groups;
}

function follows({ from, pages }: Group, at: number, page: RecordedPage): boolean {
  const [{ page: first }] = pages;
  return from + pages.length === at && pages.length < MAX_GROUP && canShare(first, page);
}

function readable(bytes: Uint8Array): RecordedPage | null {
  try {
    return parsePage(bytes);
  } catch {
    return null; // Shown by itself it says why.
  }
}

function isOfPlaywright(query: FactQuery | null): boolean {
  return query !== null && 'selector' in query && isPlaywrightOnly(query.selector);
}

/** Whether a page can be restored in the document of another, without changes outside of the document. */
function canShare(a: RecordedPage, b: RecordedPage): boolean {
  const around = ({ viewport, cookies, document }: RecordedPage): string =>
    JSON.stringify([viewport, cookies, document.quirks]);
  return sameOrigin(a.url, b.url) && around(a) === around(b);
}

/** The globals of the page's scripts that were read since the last call; none if the function has left the page. */
async function lacking(page: Page): Promise<readonly string[]> {
  const takeNames = (name: string): string[] =>
    (globalThis as unknown as Record<string, string[] | undefined>)[name]?.splice(0) ?? [];
  return [...new Set(await page.evaluate(takeNames, READ_NAMES).catch(() => []))];
}
