import type { Browser, CDPSession } from 'playwright-core';
import { getOrCreate } from '../../../base/get-or-create.ts';
import { PageFiles } from '../pages/page-files.ts';
import { isPageGone } from '../pages/task-pages.ts';

/** The origin of the MiniWoB++ pages. Requests to it are intercepted, so that no port is needed. */
export const MINIWOB_ORIGIN = 'http://miniwob.localhost';

/** How long page resources are cached, in seconds. */
const CACHE_SECONDS = 3600;

/** The folder of the pages that are served to a browser. */
const servers = new WeakMap<Browser, Promise<{ folder: string }>>();

/**
 * Serves the pages of a folder to all tabs of a browser. Playwright's routes disable the cache, so that the scripts
 * that all tasks share, which take most of the time of a page, would be sent and compiled again for each page.
 */
export async function servePages(browser: Browser, folder: string): Promise<void> {
  (await getOrCreate(servers, browser, () => serve(browser))).folder = folder;
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
    if ('refusal' in file) {
      await session.send('Fetch.fulfillRequest', { requestId, responseCode: 404 });
      return;
    }
    // These pages are third-party content, which may rely on the browser's detection of the encoding.
    const type = file.type.split(';')[0] ?? file.type;
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [
        { name: 'content-type', value: type },
        { name: 'cache-control', value: type === 'text/html' ? 'no-store' : `max-age=${CACHE_SECONDS}` },
      ],
      body: file.body.toString('base64'),
    });
  } catch (error) {
    if (isPageGone(error)) return;
    // The page reports it in its console, and the task does not start. If this fails too, the browser has ended.
    await session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' }).catch(() => undefined);
  }
}
