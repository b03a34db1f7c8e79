import { createHash } from 'node:crypto';
import type { CDPSession } from 'playwright-core';
import { plain } from '../../../functions/page/plain.ts';
import { sourceOf } from '../../../functions/page/source-of.ts';
import { PAGE_VERSION, type RecordedPage, type RecordedState, recordedPageSchema } from '../../recorded.ts';
import { OutOfTime, within } from '../limits.ts';
import { worldIn } from '../pages/tab.ts';
import type { OpenTab } from '../pages/tabs.ts';
import { type Captured, captureDocument } from './in-page/capture-page.ts';

/** In our world the names that every page has; in the page's own also what its scripts have put there. */
const NAMES = `Object.getOwnPropertyNames(globalThis).join('\\n')`;
/** The variable of our world in the page that holds what `captureDocument` returns. */
const CAPTURE = 'taskwrightCapture';
const READ = `globalThis.${CAPTURE}?.() ?? null`;
/** In a world that is new: the names that every page has, and the page. */
const begun = (install: string) => `(() => { const names = ${NAMES}; ${install} return [names, ${READ}]; })()`;
/** Names that whatever drives the browser leaves in pages. */
const NOT_THE_PAGES = /^__(?:playwright|pw)/;

export type PageOfStep = Pick<RecordedState, 'page' | 'missing'>;
type Told = readonly [document: string, rest: string];

/** A larger page is not recorded, in bytes. */
const MOST_PAGE = 32 * 1024 * 1024;

/** Records the pages of one task, in a world of its own in each document: nothing of it can be seen or changed by the page. */
export class PageRecorder {
  /** Names that every page has; asked for once. */
  #usual: ReadonlySet<string> | null = null;
  /** The document whose world has the means to tell of it. */
  #ready: { readonly cdp: CDPSession; readonly documents: number } | null = null;
  /** The hash of each style sheet's text, by its name in the page. */
  readonly #styles = new Map<string, string>();
  readonly #given = new Map<string, Uint8Array>();
  #resources: Record<string, Uint8Array> = {};
  /** Documents are to tell everything anew; at first too, since another task may have had the tab. */
  #retold = true;
  /** How many documents were given the means to tell of themselves. */
  #installed = 0;

  /** @param scrollBars whether scroll bars take room in the page; never rejects: why there is no page is said in `missing` */
  async record({ tab, reader }: OpenTab, scrollBars: boolean, limit: number): Promise<PageOfStep> {
    for (let tries = 3; ; tries--) {
      try {
        const page = await within(limit, 'recording the page', this.#page(tab, reader, scrollBars));
        this.#retold = false;
        if (page.byteLength > MOST_PAGE)
          return { page: null, missing: `the page is larger than ${MOST_PAGE / 1024 / 1024} MB` };
        return { page };
      } catch (error) {
        // It may have told of style sheets that were not taken in.
        this.#retold = true;
        this.#ready = null;
        tab.forgetWorld();
        // A page that was left meanwhile has made room for another.
        if (tries > 1 && !(error instanceof OutOfTime) && !tab.page.isClosed()) continue;
        return { page: null, missing: error instanceof Error ? error.message : String(error) };
      }
    }
  }

  /** The page as `record` records it, read; null where it cannot be recorded. */
  async read(open: OpenTab, scrollBars: boolean, limit: number): Promise<RecordedPage | null> {
    const { page } = await this.record(open, scrollBars, limit);
    return page && recordedPageSchema.parse(JSON.parse(Buffer.from(page).toString('utf8')));
  }

  /** Everything that the pages so far refer to. */
  get resources(): RecordedState['resources'] {
    return Object.fromEntries(this.#given);
  }

  /** What the pages since the last call refer to and those before did not. */
  takeResources(): RecordedState['resources'] {
    const taken = this.#resources;
    this.#resources = {};
    return taken;
  }

  async #page(tab: OpenTab['tab'], reader: OpenTab['reader'], scrollBars: boolean): Promise<Uint8Array> {
    const { page, cdp } = tab;
    const [top, cookies, { entries }, own, { names: declared }] = await Promise.all([
      this.#main(tab),
      page.context().cookies(),
      cdp.send('Page.getNavigationHistory'),
      cdp.send('Runtime.evaluate', { expression: NAMES, returnByValue: true }),
      cdp.send('Runtime.globalLexicalScopeNames', {}),
    ]);
    const gaps = new Set(top.rest.gaps);
    const frames: string[] = [];
    for (let index = 0; index < top.rest.frames; index += 1) {
      // What cannot be read of the page is one of its gaps.
      const inner = await this.#frame(cdp, top.world, index, reader).catch(() => null);
      if (inner === null) gaps.add('a frame of another site');
      else if (inner.rest.frames > 0) gaps.add('a frame in a frame of another site');
      for (const gap of inner?.rest.gaps ?? []) gaps.add(gap);
      frames.push(inner?.document ?? 'null');
      Object.assign(top.styles, inner?.styles);
    }
    if (reader.hidesShadow) gaps.add('what stands in closed shadow roots');
    if (page.context().pages().length > 1) gaps.add('the other tabs');
    for (const [name, text] of Object.entries(top.styles)) {
      const bytes = Buffer.from(text, 'utf8');
      const hash = createHash('sha256').update(bytes).digest('hex');
      this.#styles.set(name, hash);
      if (this.#given.has(hash)) continue;
      this.#given.set(hash, bytes);
      this.#resources[hash] = bytes;
    }
    const names = typeof own.result.value === 'string' ? own.result.value.split('\n') : [];
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    const facts: Omit<RecordedPage, 'document' | 'frames'> = {
      version: PAGE_VERSION,
      url: page.url(),
      title: top.rest.title,
      viewport: { ...size, scroll_bars: scrollBars },
      cookies,
      // A tab begins at about:blank, which was not visited.
      history: entries[0]?.url === 'about:blank' ? entries.length - 1 : entries.length,
      names: [...names.filter((name) => this.#usual?.has(name) !== true && !NOT_THE_PAGES.test(name)), ...declared],
      gaps: [...gaps],
      styles: Object.fromEntries(this.#styles),
    };
    // The documents are JSON already: to read them only to write them again would take longer than all the rest.
    const json = `${JSON.stringify(facts).slice(0, -1)},"document":${top.document},"frames":[${frames.join()}]}`;
    return Buffer.from(json, 'utf8');
  }

  /** What the tab shows, by our world in it. */
  async #main({ cdp, documents, world }: OpenTab['tab']) {
    const isNew = this.#ready?.cdp !== cdp || this.#ready.documents !== documents;
    const id = await world;
    this.#ready = { cdp, documents };
    return this.#document(cdp, id, isNew);
  }

  /** `isNew`: nothing of ours is in the world yet. */
  async #document(cdp: CDPSession, world: number, isNew: boolean) {
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
        contextId: world,
        expression,
        returnByValue: true,
      });
      if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
      return result.value;
    };
    let told = this.#retold || isNew ? null : ((await evaluate(READ)) as Told | null);
    if (told === null) {
      // Names that are counted: the same page is the same bytes in each run, so that it is judged again once.
      const install = `globalThis.${CAPTURE} = (${sourceOf(captureDocument)})(${JSON.stringify(`${this.#installed++}.`)}, ${plain});`;
      const [names, first] = (await evaluate(begun(install))) as [string, Told];
      this.#usual ??= new Set(names.split('\n'));
      told = first;
    }
    const [document, rest] = told;
    const read = JSON.parse(rest) as Captured;
    return { world, document, rest: read, styles: { ...read.styles } };
  }

  /** A frame of another site: in a process of its own, or beside this one. */
  async #frame(cdp: CDPSession, world: number, index: number, reader: OpenTab['reader']) {
    const { result } = await cdp.send('Runtime.evaluate', {
      contextId: world,
      expression: `taskwrightFrames[${index}]`,
    });
    if (result.objectId === undefined) return null;
    const { node } = await cdp.send('DOM.describeNode', { objectId: result.objectId });
    if (node.frameId === undefined) return null;
    const session = reader.session(node.frameId) ?? cdp;
    return this.#document(session, await worldIn(session, node.frameId), false);
  }
}
