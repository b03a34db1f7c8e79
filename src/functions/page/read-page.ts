import type { CDPSession, Page } from 'playwright-core';
import { getOrRetry } from '../../base/get-or-create.ts';
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
  const texts: string[] = [];
  const hiddenTexts: HiddenText[] = [];
  const shownElements: ShownElement[] = [];
  const openSessions: CDPSession[] = [];
  let ownProcesses: ReadonlyMap<string, CDPSession> | undefined;
  const readFrame = async (session: CDPSession, frameId: string, depth: number, frame?: FrameView): Promise<void> => {
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId, worldName: WORLD });
    const pageText = await readInPieces(async (piece) => {
      const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
        executionContextId,
        functionDeclaration: `function (options) { return JSON.stringify(${sourceOf(readTextPiece)}(null, options)); }`,
        arguments: [{ value: { ...options, frame, ...piece } }],
        returnByValue: true,
      });
      if (exceptionDetails || typeof result.value !== 'string') {
        throw new Error(
          `the page could not be read: ${exceptionDetails?.exception?.description ?? exceptionDetails?.text}`,
        );
      }
      return JSON.parse(result.value) as PageText | null;
    }, limit);
    texts.push(...pageText.texts);
    hiddenTexts.push(...pageText.hiddenTexts);
    shownElements.push(...pageText.shownElements);
    for (const [index, view] of pageText.frames.entries()) {
      if (depth >= DEPTH) break;
      const element = await session.send('Runtime.evaluate', {
        contextId: executionContextId,
        expression: `taskwrightFrames[${index}]`,
      });
      if (!element.result.objectId) continue;
      const { node } = await session.send('DOM.describeNode', { objectId: element.result.objectId });
      if (!node.frameId) continue;
      ownProcesses ??= await sessionsOfFrames(page, openSessions);
      await readFrame(ownProcesses.get(node.frameId) ?? session, node.frameId, depth + 1, view);
    }
  };
  try {
    const session = await sessionOf(page);
    await readFrame(session, await rootFrame(session), 0);
    return { text: texts.join('\n'), hiddenTexts, shownElements };
  } finally {
    // The sessions of a closed page no longer exist.
    await Promise.allSettled(openSessions.map((session) => session.detach()));
  }
}

/** Sessions of the frames with their own process, by frame id. Adds them to `open`. */
async function sessionsOfFrames(page: Page, open: CDPSession[]): Promise<ReadonlyMap<string, CDPSession>> {
  const sessions = new Map<string, CDPSession>();
  for (const frame of page.frames()) {
    if (frame === page.mainFrame()) continue;
    try {
      const session = await page.context().newCDPSession(frame);
      open.push(session);
      sessions.set(await rootFrame(session), session);
    } catch {
      // Playwright rejects frames in the process of their parent. They are reached through the parent.
    }
  }
  return sessions;
}

/** The session of a page. After a failure, the next call creates a new one. */
function sessionOf(page: Page): Promise<CDPSession> {
  return getOrRetry(sessions, page, () => page.context().newCDPSession(page));
}

async function rootFrame(session: CDPSession): Promise<string> {
  const { frameTree } = await session.send('Page.getFrameTree');
  return frameTree.frame.id;
}
