import type { Page } from 'playwright-core';
import { type EnvironmentKind, environmentKinds, type FunctionContext } from './declaration.ts';

/** The active page; throws with words where the environment has none. */
export function pageOf(context: FunctionContext): Page {
  if (context.page) return context.page;
  throw new Error('this environment has no page; use the response_… functions, or an environment of type hud-browser');
}

/** What a function needs of its environment, in words; null where it works in each. */
export function needOf(environments: readonly EnvironmentKind[]): string | null {
  if (environmentKinds.every((kind) => environments.includes(kind))) return null;
  if (environments.includes('browser')) return 'a page';
  return environments.includes('coding') ? 'files' : `an environment of type ${environments.join(' or ')}`;
}
