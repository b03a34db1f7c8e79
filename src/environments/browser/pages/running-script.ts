import { setTimeout as delay } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { within } from '../limits.ts';

/** How long a script is watched, in ms. */
const WATCHED_MS = 500;
/** How long it takes at most to find out whether a script runs, in ms: the machine may be busy. */
export const SCRIPT_ANSWER_MS = 4_000;

/**
 * Whether scripts of a page take most of its time. Chromium reports that time even while a script runs that does not end, but
 * only to a session that has sent `Performance.enable` before. A page that lays out, paints, or reads itself for us does not
 * answer meanwhile, and our own calls do not count as scripts: so a page that is only slow is not blamed.
 */
export function runsScript(session: CDPSession): Promise<boolean> {
  // If it does not answer, or is closed, nothing shows that a script runs.
  return within(SCRIPT_ANSWER_MS, 'asking the page', watch(session)).catch(() => false);
}

async function watch(session: CDPSession): Promise<boolean> {
  const before = await timesOf(session);
  await delay(WATCHED_MS);
  const after = await timesOf(session);
  return after.scripts - before.scripts > (after.now - before.now) / 2;
}

/** The time of the page, and for how long its scripts have run, in seconds. */
async function timesOf(session: CDPSession): Promise<{ readonly now: number; readonly scripts: number }> {
  const { metrics } = await session.send('Performance.getMetrics');
  const metric = (name: string): number => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  return { now: metric('Timestamp'), scripts: metric('ScriptDuration') };
}
