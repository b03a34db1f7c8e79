/// <reference lib="dom" />

import type { FactQuery } from '../../functions/page/fact.ts';
import { type FactReaders, readFacts } from '../../functions/page/facts-in-page.ts';
import { nameSought, namesOnPage } from '../../functions/page/names-on-page.ts';
import { fold } from '../../functions/page/page-text.ts';
import { plain } from '../../functions/page/plain.ts';
import { readText } from '../../functions/page/read-text.ts';
import { type Rebuilding, rebuildDocument } from './rebuild-page.ts';

/** A moment to be rebuilt in the document of the one before, and what is asked of it. */
export interface EachMoment extends Rebuilding {
  readonly url: string;
  readonly queries: readonly (FactQuery | null)[];
}

interface PageTools extends FactReaders {
  rebuildDocument: typeof rebuildDocument;
  readFacts: typeof readFacts;
}

/**
 * Runs in the page, in a document of the moments' origin: rebuilds one after the other and reads what is asked of it. Null
 * for one of which that cannot be told in this way. `json`: `EachMoment[]`; what comes back is JSON too.
 */
async function rebuildEach(tools: PageTools, json: string): Promise<string> {
  const facts: (readonly unknown[] | null)[] = [];
  for (const moment of JSON.parse(json) as readonly EachMoment[]) {
    try {
      if (location.href !== moment.url) history.replaceState(null, '', moment.url);
      const frames = await tools.rebuildDocument(moment, tools.plain);
      facts.push(frames.length > 0 ? null : tools.readFacts(moment.queries, tools));
    } catch {
      // It is asked by itself, and says then what is wrong. Of what stands there now nothing may stay.
      (globalThis as { taskwrightLinks?: unknown }).taskwrightLinks = [];
      facts.push(null);
    }
  }
  return JSON.stringify(facts);
}

/** An expression: `rebuildEach` with what it works with, to be put into a document once. */
export const EACH = `(() => {
  const tools = { rebuildDocument: ${rebuildDocument}, readFacts: ${readFacts}, readText: ${readText}, fold: ${fold},
    namesOnPage: ${namesOnPage}, nameSought: ${nameSought}, plain: ${plain} };
  return (json) => (${rebuildEach})(tools, json);
})()`;
