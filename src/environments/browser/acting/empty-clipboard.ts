/// <reference lib="dom" />
import type { Tab } from '../pages/tab.ts';

/**
 * Clears the clipboard, which all tasks of a browser share, so that a task cannot read what the previous one has
 * copied. Resolves to false if the browser does not allow it.
 */
export async function emptyClipboard(tab: Tab): Promise<boolean> {
  // A page may copy only right after a user gesture.
  const request = { expression: `(${copyNothing})()`, userGesture: true, returnByValue: true };
  const { result } = await tab.cdp.send('Runtime.evaluate', request);
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
