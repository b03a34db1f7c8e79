/// <reference lib="dom" />

import type { FactQuery } from '../../../../functions/fact-query.ts';
import { readFacts } from '../../../../functions/page/in-page/read-facts.ts';
import { type Rebuilding, rebuildDocument } from './rebuild-page.ts';

/** A snapshot to restore in the document of the previous one, with the queries to answer. */
export interface EachSnapshot extends Rebuilding {
  readonly url: string;
  readonly queries: readonly (FactQuery | null)[];
}

/**
 * Runs in a document of the snapshots' origin: restores one snapshot after the other and answers its queries. The
 * result is null for a snapshot that cannot be read this way. `json`: `EachSnapshot[]`; the result is JSON too.
 */
export async function rebuildEach(json: string): Promise<string> {
  const facts: (readonly unknown[] | null)[] = [];
  for (const snapshot of JSON.parse(json) as readonly EachSnapshot[]) {
    try {
      if (location.href !== snapshot.url) history.replaceState(null, '', snapshot.url);
      const frames = await rebuildDocument(snapshot);
      facts.push(frames.length > 0 ? null : readFacts(snapshot.queries));
    } catch {
      // The caller restores it separately and reports the error. Nothing of the current document can be reused.
      (globalThis as { taskwrightLinks?: unknown }).taskwrightLinks = [];
      facts.push(null);
    }
  }
  return JSON.stringify(facts);
}
