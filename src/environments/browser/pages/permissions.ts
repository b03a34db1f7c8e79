import type { BrowserContext } from 'playwright-core';
import { TASK_ORIGIN } from './page-files.ts';

/** The permissions that Chrome grants to every page without asking a person, as Playwright names them. */
const GRANTED_PERMISSIONS = [
  'accelerometer',
  'background-sync',
  'clipboard-write',
  'gyroscope',
  'magnetometer',
  'payment-handler',
  'screen-wake-lock',
  'storage-access',
];

/**
 * Grants the pages of a context what Chrome grants without asking. All other permissions are denied at once, because nobody
 * is asked, and the same in all browsers, which differ otherwise. A grant for an origin denies what it does not name.
 */
export async function grantPermissions(context: BrowserContext): Promise<void> {
  await context.grantPermissions(GRANTED_PERMISSIONS);
  // Chromium treats the task's own pages as public, and would block their access to local sites.
  await context.grantPermissions([...GRANTED_PERMISSIONS, 'local-network-access'], { origin: TASK_ORIGIN });
}
