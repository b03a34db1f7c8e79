/// <reference lib="dom" />
import type { Tab } from '../pages/tab.ts';

/**
 * Empties the clipboard, which is the browser's own: tasks have it one after the other, and what one has copied is not the
 * next one's. Resolves to false where the browser does not let it.
 */
export async function emptyClipboard(tab: Tab): Promise<boolean> {
  // A page may copy only right after a user gesture.
  const asked = { expression: `(${copyNothing})()`, userGesture: true, returnByValue: true };
  const { result } = await tab.cdp.send('Runtime.evaluate', asked);
  return result.value === true;
}

/** Runs in the page. */
function copyNothing(): boolean {
  const nothing = (event: ClipboardEvent): void => {
    event.clipboardData?.setData('text/plain', '');
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  addEventListener('copy', nothing, { capture: true, once: true });
  return document.execCommand('copy');
}
