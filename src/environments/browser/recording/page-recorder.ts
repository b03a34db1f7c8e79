import { createHash } from 'node:crypto';
import type { CDPSession } from 'playwright-core';
import { sourceOf } from '../../../functions/page/source-of.ts';
import { PAGE_VERSION, type RecordedPage, type RecordedState, recordedPageSchema } from '../../recorded.ts';
import { OutOfTime, within } from '../limits.ts';
import { worldIn } from '../pages/tab.ts';
import type { OpenTab } from '../pages/tabs.ts';
import { type Captured, captureDocument } from './in-page/capture-page.ts';

/** Lists globals: those of every page in our isolated world, also those of the page's scripts in the main world. */
const NAMES = `Object.getOwnPropertyNames(globalThis).join('\\n')`;
/** The global in our isolated world that has the result of `captureDocument`. */
const CAPTURE = 'taskwrightCapture';
const READ = `globalThis.${CAPTURE}?.() ?? null`;
/** For a new isolated world: returns the globals of every page, and records the page. */
const installAndRead = (install: string) => `(() => { const names = ${NAMES}; ${install} return [names, ${READ}]; })()`;
/** Globals that Playwright adds to pages. */
const NOT_THE_PAGES = /^__(?:playwright|pw)/;

export type PageOfStep = Pick<RecordedState, 'page' | 'missing'>;
type CaptureAnswer = readonly [document: string, rest: string];

/** The maximum size of a recorded page in bytes. */
const MAX_PAGE = 32 * 1024 * 1024;

/** Records the pages of a task in an isolated world of each document, which the page can neither see nor change. */
export class PageRecorder {
  /** The globals of every page, which are read once. */
  #standardNames: ReadonlySet<string> | null = null;
  /** The document in which the recorder is installed. */
  #ready: { readonly cdp: CDPSession; readonly documents: number } | null = null;
  /** The hash of each style sheet's text, by its name in the page. */
  readonly #styles = new Map<string, string>();
  readonly #allResources = new Map<string, Uint8Array>();
  #resources: Record<string, Uint8Array> = {};
  /**
   * Whether documents must return all style sheets again. Also initially, because another task may have used the tab.
   */
  #needsAllStyles = true;
  /** The number of documents in which the recorder was installed. */
  #installCount = 0;

  /**
   * Never rejects: `missing` says why there is no page. @param scrollBars whether scroll bars take space in the page
   */
  async record({ tab, reader }: OpenTab, scrollBars: boolean, limit: number): Promise<PageOfStep> {
    for (let tries = 3; ; tries--) {
      try {
        const page = await within(limit, 'recording the page', this.#read(tab, reader, scrollBars));
        this.#needsAllStyles = false;
        if (page.byteLength > MAX_PAGE)
          return { page: null, missing: `the page is larger than ${MAX_PAGE / 1024 / 1024} MB` };
        return { page };
      } catch (error) {
        // It may have returned style sheets that were not stored.
        this.#needsAllStyles = true;
        this.#ready = null;
        tab.forgetWorld();
        // The page may have navigated meanwhile.
        if (tries > 1 && !(error instanceof OutOfTime) && !tab.page.isClosed()) continue;
        return { page: null, missing: error instanceof Error ? error.message : String(error) };
      }
    }
  }

  /** The parsed result of `record`; null if the page cannot be recorded. */
  async read(open: OpenTab, scrollBars: boolean, limit: number): Promise<RecordedPage | null> {
    const { page } = await this.record(open, scrollBars, limit);
    return page && recordedPageSchema.parse(JSON.parse(Buffer.from(page).toString('utf8')));
  }

  /** The resources of all pages so far. */
  get resources(): RecordedState['resources'] {
    return Object.fromEntries(this.#allResources);
  }

  /** Returns the resources that were added since the last call. */
  takeResources(): RecordedState['resources'] {
    const resources = this.#resources;
    this.#resources = {};
    return resources;
  }

  async #read(tab: OpenTab['tab'], reader: OpenTab['reader'], scrollBars: boolean): Promise<Uint8Array> {
    const { page, cdp } = tab;
    const [top, cookies, { entries }, own, { names: lexicalNames }] = await Promise.all([
      this.#main(tab),
      page.context().cookies(),
      cdp.send('Page.getNavigationHistory'),
      cdp.send('Runtime.evaluate', { expression: NAMES, returnByValue: true }),
      cdp.send('Runtime.globalLexicalScopeNames', {}),
    ]);
    const gaps = new Set(top.rest.gaps);
    const frames: string[] = [];
    for (let index = 0; index < top.rest.frames; index += 1) {
      // A frame that cannot be read is a gap in the recording.
      const inner = await this.#frame(cdp, top.world, index, reader).catch(() => null);
      if (inner === null) gaps.add('a frame of another site');
      else if (inner.rest.frames > 0) gaps.add('a frame in a frame of another site');
      for (const gap of inner?.rest.gaps ?? []) gaps.add(gap);
      frames.push(inner?.document ?? 'null');
      Object.assign(top.styles, inner?.styles);
    }
    if (await reader.hidesShadow) gaps.add('the content of closed shadow roots');
    if (page.context().pages().length > 1) gaps.add('the other tabs');
    for (const [name, text] of Object.entries(top.styles)) {
      const bytes = Buffer.from(text, 'utf8');
      const hash = createHash('sha256').update(bytes).digest('hex');
      this.#styles.set(name, hash);
      if (this.#allResources.has(hash)) continue;
      this.#allResources.set(hash, bytes);
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
      // A tab begins at about:blank, which is not a visit.
      history: entries[0]?.url === 'about:blank' ? entries.length - 1 : entries.length,
      names: [
        ...names.filter((name) => this.#standardNames?.has(name) !== true && !NOT_THE_PAGES.test(name)),
        ...lexicalNames,
      ],
      gaps: [...gaps],
      styles: Object.fromEntries(this.#styles),
    };
    // The documents are already JSON. Parsing and serializing them again would take longer than everything else.
    const json = `${JSON.stringify(facts).slice(0, -1)},"document":${top.document},"frames":[${frames.join()}]}`;
    return Buffer.from(json, 'utf8');
  }

  /** Records the main frame in our isolated world. */
  async #main({ cdp, documents, world }: OpenTab['tab']) {
    const isNew = this.#ready?.cdp !== cdp || this.#ready.documents !== documents;
    const id = await world;
    this.#ready = { cdp, documents };
    return this.#document(cdp, id, isNew);
  }

  /** `isNew`: the recorder is not installed yet. */
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
    let answer = this.#needsAllStyles || isNew ? null : ((await evaluate(READ)) as CaptureAnswer | null);
    if (answer === null) {
      // Counted names make the same page the same bytes in each run, so that it is evaluated only once.
      const install = `globalThis.${CAPTURE} = (${sourceOf(captureDocument)})(${JSON.stringify(`${this.#installCount++}.`)});`;
      const [names, first] = (await evaluate(installAndRead(install))) as [string, CaptureAnswer];
      this.#standardNames ??= new Set(names.split('\n'));
      answer = first;
    }
    const [document, rest] = answer;
    const read = JSON.parse(rest) as Captured;
    return { world, document, rest: read, styles: { ...read.styles } };
  }

  /** Records a frame of another site, in its own process or in this one. */
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
