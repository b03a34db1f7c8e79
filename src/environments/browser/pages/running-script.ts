import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { within } from '../limits.ts';

/** How long a script is watched, in ms. */
const WATCHED_MS = 500;
/** How long a page that runs a script takes to report its time at most, in ms. */
const REPORT_MS = 1_000;

/**
 * Whether scripts of a page take most of its time. Chromium reports that time even while a script runs that does not end, but
 * only to a session that has sent `Performance.enable` before. A page that lays out, paints, or reads itself for us does not
 * answer meanwhile, and our own calls do not count as scripts: so a page that is only slow is not blamed.
 */
export async function runsScript(session: CDPSession): Promise<boolean> {
  try {
    const [startedAt, before] = [performance.now(), await scriptSeconds(session)];
    await delay(WATCHED_MS);
    const after = await scriptSeconds(session);
    return (after - before) * 1000 > (performance.now() - startedAt) / 2;
  } catch {
    // It does not answer, or is closed: nothing shows that a script runs.
    return false;
  }
}

/** For how long scripts of the page have run, in seconds. */
async function scriptSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await within(REPORT_MS, 'asking the page', session.send('Performance.getMetrics'));
  const metric = metrics.find(({ name }) => name === 'ScriptDuration');
  if (metric === undefined) throw new Error('the page does not say how long its scripts run');
  return metric.value;
}
