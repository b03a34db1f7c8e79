import { afterEach } from 'vitest';
import { runningWindows } from './journeys/window.ts';

/** The number of lines of a window's accessibility tree that are printed: enough for views, dialogs, and notifications. */
const LINES = 150;

// What the windows show tells why a journey failed on a machine whose screenshots nobody sees.
afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  for (const { page } of runningWindows) {
    const shown = await page.locator('body').ariaSnapshot({ timeout: 10_000 }).catch(String);
    console.log(`The window after “${task.name}” failed:\n${shown.split('\n').slice(0, LINES).join('\n')}`);
  }
});
