import type { FactQuery } from '../fact-query.ts';
import type { ReadPage } from './read-page.ts';

export interface Facts {
  readonly url: string;
  readonly elements: { readonly count: number; readonly names: readonly string[] };
  /** Folded. */
  readonly texts: { readonly texts: readonly string[]; readonly names: readonly string[] };
  /** `page`: the text of the page and what explains a missing text; null if no text is missing. */
  readonly text: { readonly page: ReadPage | null };
}

/** `names`: the ids or classes on the page if no element matches, depending on what the selector ends in. */
export type Fact<Query extends FactQuery> = Facts[Query['kind']];
