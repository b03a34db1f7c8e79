import type { Page } from 'playwright-core';
import type { Episode, FunctionContext, Need, OpenTarget } from './declaration.ts';

/** The active page. Throws if the environment has none. */
export function pageOf(context: FunctionContext): Page {
  if (context.page) return context.page;
  throw noPage();
}

const NEED_TEXT: Readonly<Record<Need, string>> = {
  page: 'a page',
  files: 'files',
  changes: 'files',
  windows: 'a desktop',
  episode: 'an OpenEnv environment',
};

/** Opens a target on the active page. Throws if the environment has none. */
export function openIn(context: FunctionContext, target: OpenTarget): Promise<void> {
  if (context.open) return context.open(target);
  throw noPage();
}

/** The episode; throws with words where the environment has none. */
export function episodeOf(context: FunctionContext): Episode {
  if (context.episode) return context.episode;
  throw new Error('this environment has no observations to compare; use one of type openenv');
}

function noPage(): Error {
  return new Error('this environment has no page; use the response_… functions, or the environment type hud-browser');
}

/** What a function needs of its environment, as shown to users; null if it works in every environment. */
export function needOf([need]: readonly Need[]): string | null {
  return need === undefined ? null : NEED_TEXT[need];
}
