import type { CDPSession, Frame, Page } from 'playwright-core';
import { readTextPiece } from './in-page/read-text-piece.ts';
import type { FrameView, HiddenText, PageText, ReadOptions, ShownElement } from './page-text.ts';
import { readInPieces } from './read-in-pieces.ts';
import { sourceOf } from './source-of.ts';

const WORLD = 'taskwright-functions';
/** The maximum depth of nested frames of other origins. */
const DEPTH = 10;

/** One session for each page, because opening and closing one takes as long as reading a small page. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

/** What a user can read on the page, in all frames. */
export interface ReadPage {
  readonly text: string;
  readonly hiddenTexts: readonly HiddenText[];
  readonly shownElements: readonly ShownElement[];
}

/**
 * Reads the page in isolated worlds, where changes by the page's scripts to built-in objects have no effect. Rejects with
 * `ReadTooLong` if one of its documents takes longer than about `limit` ms.
 */
export async function readPage(page: Page, options: ReadOptions, limit?: number): Promise<ReadPage> {
  const reader = new PageReader(page, options, limit);
  try {
    return await reader.read();
  } finally {
    await reader.close();
  }
}

class PageReader {
  readonly #page: Page;
  readonly #options: ReadOptions;
  readonly #limit: number | undefined;
  readonly #sessions: CDPSession[] = [];
  /** Sessions of frames with their own process, by frame id; created when first needed. */
  #remote: Map<string, CDPSession> | undefined;
  readonly #texts: string[] = [];
  readonly #hiddenTexts: HiddenText[] = [];
  readonly #shownElements: ShownElement[] = [];

  constructor(page: Page, options: ReadOptions, limit: number | undefined) {
    this.#page = page;
    this.#options = options;
    this.#limit = limit;
  }

  async read(): Promise<ReadPage> {
    const session = await sessionOf(this.#page);
    await this.#readFrame(session, await rootFrame(session), 0);
    return { text: this.#texts.join('\n'), hiddenTexts: this.#hiddenTexts, shownElements: this.#shownElements };
  }

  async close(): Promise<void> {
    // The sessions of a closed page no longer exist.
    await Promise.allSettled(this.#sessions.map((session) => session.detach()));
  }

  async #session(target: Frame): Promise<CDPSession> {
    const session = await this.#page.context().newCDPSession(target);
    this.#sessions.push(session);
    return session;
  }

  async #readFrame(session: CDPSession, frameId: string, depth: number, frame?: FrameView): Promise<void> {
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
    const pageText = await readInPieces(async (piece) => {
      const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
        executionContextId,
        functionDeclaration: `function (options) { return JSON.stringify(${sourceOf(readTextPiece)}(null, options)); }`,
        arguments: [{ value: { ...this.#options, frame, ...piece } }],
        returnByValue: true,
      });
      if (exceptionDetails || typeof result.value !== 'string') {
        throw new Error(
          `the page could not be read: ${exceptionDetails?.exception?.description ?? exceptionDetails?.text}`,
        );
      }
      return JSON.parse(result.value) as PageText | null;
    }, this.#limit);
    this.#texts.push(...pageText.texts);
    this.#hiddenTexts.push(...pageText.hiddenTexts);
    this.#shownElements.push(...pageText.shownElements);
    for (const [index, inner] of pageText.frames.entries()) {
      if (depth >= DEPTH) break;
      const element = await session.send('Runtime.evaluate', {
        contextId: executionContextId,
        expression: `taskwrightFrames[${index}]`,
      });
      if (!element.result.objectId) continue;
      const { node } = await session.send('DOM.describeNode', { objectId: element.result.objectId });
      if (node.frameId) await this.#readChild(session, node.frameId, depth + 1, inner);
    }
  }

  async #readChild(session: CDPSession, frameId: string, depth: number, view: FrameView): Promise<void> {
    const remote = (await this.#remoteSessions()).get(frameId);
    await this.#readFrame(remote ?? session, frameId, depth, view);
  }

  async #remoteSessions(): Promise<Map<string, CDPSession>> {
    if (this.#remote) return this.#remote;
    const sessions = new Map<string, CDPSession>();
    for (const frame of this.#page.frames()) {
      if (frame === this.#page.mainFrame()) continue;
      try {
        const session = await this.#session(frame);
        sessions.set(await rootFrame(session), session);
      } catch {
        // Playwright rejects frames in the process of their parent. They are reached through the parent.
      }
    }
    this.#remote = sessions;
    return sessions;
  }
}

function sessionOf(page: Page): Promise<CDPSession> {
  let session = sessions.get(page);
  if (session === undefined) {
    session = page.context().newCDPSession(page);
    sessions.set(page, session);
    // The caller gets the error; the next call creates a new session.
    session.catch(() => sessions.delete(page));
  }
  return session;
}

async function rootFrame(session: CDPSession): Promise<string> {
  const { frameTree } = await session.send('Page.getFrameTree');
  return frameTree.frame.id;
}
