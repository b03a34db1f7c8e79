import type { Frame, Page } from 'playwright';

/** The number of lines of a window's accessibility tree: enough for views, dialogs, and notifications. */
const LINES = 150;
/** Time limit for each part of a report: a window that is stuck answers nothing. */
const PART_MS = 10_000;

/** What a window shows, its webviews, its notifications, and the last errors of its console. Never rejects. */
export async function reportOf(page: Page, errors: readonly string[]): Promise<string> {
  const tree = inTime(page.locator('body').ariaSnapshot({ timeout: PART_MS }));
  const [shown, webviews, notifications] = await Promise.all([tree, inTime(webviewsOf(page)), inTime(toldBy(page))]);
  return [
    shown.split('\n').slice(0, LINES).join('\n'),
    `Webviews:\n${webviews || '  none'}`,
    `Notifications:\n${notifications || '  none'}`,
    `Last errors in the console:\n${errors.map((error) => `  ${error}`).join('\n') || '  none'}`,
  ].join('\n');
}

/** A part of the report, or why it is missing. */
async function inTime(part: Promise<string>): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`  no answer within ${PART_MS / 1000} s`), PART_MS);
  });
  try {
    return await Promise.race([part.catch((error) => `  ${error}`), limit]);
  } finally {
    clearTimeout(timer);
  }
}

async function webviewsOf(page: Page): Promise<string> {
  const webviews = await page.locator('iframe.webview').elementHandles();
  const texts = webviews.map(async (webview) => {
    const frame = await webview.contentFrame();
    const pages = frame === null ? '    it has no document' : await inTime(pagesIn(frame));
    return `  iframe class="${await webview.getAttribute('class')}"\n${pages || '    it has no page'}`;
  });
  return (await Promise.all(texts)).join('\n');
}

/** The pages in the outer document of a webview: the active one, and one that is being loaded. */
async function pagesIn(outer: Frame): Promise<string> {
  const inner = await outer.locator('iframe#active-frame, iframe#pending-frame').elementHandles();
  const texts = inner.map(async (element) => {
    const [id, frame] = await Promise.all([element.getAttribute('id'), element.contentFrame()]);
    return `    #${id}: ${frame === null ? 'it has no document' : await inTime(frame.evaluate(describePage))}`;
  });
  return (await Promise.all(texts)).join('\n');
}

async function toldBy(page: Page): Promise<string> {
  const texts = await page.locator('.notification-list-item').allInnerTexts();
  return texts.map((text) => `  ${text.replace(/\s+/g, ' ').trim()}`).join('\n');
}

/** Says what the page of a webview shows. Runs in that page: it uses nothing from outside. */
function describePage(): string {
  const main = document.querySelector('main');
  const state = main === null ? 'none' : `${main.checkVisibility() ? 'visible' : 'hidden'}, class="${main.className}"`;
  const text = (document.body?.innerText ?? '').replace(/\s+/g, ' ').trim().slice(0, 300);
  const count = document.querySelectorAll('*').length;
  return `${document.readyState}, ${count} elements, main: ${state}, text: ${JSON.stringify(text)}`;
}
