/// <reference lib="dom" />
import type { Tab } from './tab.ts';

/** Empties the clipboard. It is the browser's, which tasks have one after the other: what one has copied is not the next one's. */
export async function emptyClipboard(tab: Tab): Promise<void> {
  // The browser lets a page copy only where a person has just done something.
  await tab.cdp.send('Runtime.evaluate', { expression: `(${copyNothing})()`, userGesture: true });
}

/** Runs in the page. */
function copyNothing(): void {
  const nothing = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', '');
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('copy', nothing, { capture: true, once: true });
  document.execCommand('copy');
}
