import type { Browser, CDPSession } from 'playwright-core';
import { PageFiles } from '../browser/pages/page-files.ts';
import { hasGone } from '../browser/pages/task-pages.ts';

/** Where the pages of MiniWoB++ live: a real origin without a port behind it. */
export const MINIWOB_ORIGIN = 'http://miniwob.localhost';

/** For so long, in seconds, a tab need not ask again for what a page is made of. */
const KEPT = 3600;

/** The folder whose pages a browser is given. */
const served = new WeakMap<Browser, Promise<{ folder: string }>>();

/**
 * Gives a browser the pages of a folder, in whatever tab they are asked for. Playwright's routes would do as much, but
 * then nothing may be kept from one page to the next: the scripts that all tasks share, which are most of what a page
 * costs, would be sent and compiled anew for each.
 */
export async function servePages(browser: Browser, folder: string): Promise<void> {
  let serving = served.get(browser);
  if (serving === undefined) {
    serving = serve(browser);
    served.set(browser, serving);
  }
  (await serving).folder = folder;
}

async function serve(browser: Browser): Promise<{ folder: string }> {
  const now = { folder: '' };
  const session = await browser.newBrowserCDPSession();
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    void answer(session, requestId, new URL(request.url), new PageFiles({ folder: now.folder }));
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `${MINIWOB_ORIGIN}/*` }] });
  return now;
}

async function answer(session: CDPSession, requestId: string, url: URL, files: PageFiles): Promise<void> {
  try {
    const file = await files.page(url.pathname);
    if ('refused' in file) {
      await session.send('Fetch.fulfillRequest', { requestId, responseCode: 404 });
      return;
    }
    // Pages that are not the task's are from other hands, and may count on a browser's guess where they say no encoding.
    const type = file.type.split(';')[0] ?? file.type;
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [
        { name: 'content-type', value: type },
        { name: 'cache-control', value: type === 'text/html' ? 'no-store' : `max-age=${KEPT}` },
      ],
      body: file.body.toString('base64'),
    });
  } catch (error) {
    if (hasGone(error)) return;
    // The page says so in its console, and the task that it does not start. Where this fails too the browser has gone.
    await session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }).catch(() => undefined);
  }
}
