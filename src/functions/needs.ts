import type { Page } from 'playwright-core';
import type { FunctionContext } from './declaration.ts';

/** The active page; throws with words where the environment has none. */
export function pageOf(context: FunctionContext): Page {
  if (context.page) return context.page;
  throw new Error('this environment has no page; use the response_… functions, or an environment of type hud-browser');
}
