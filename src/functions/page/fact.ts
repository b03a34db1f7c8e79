import type { ReadPage } from './read-page.ts';

/** What a built-in check reads from the page, as JSON. All facts of a restored page are read in one call. */
export type FactQuery =
  | { readonly kind: 'url' }
  /** The number of elements that match. */
  | { readonly kind: 'elements'; readonly selector: string }
  /** The visible text of each element that matches. */
  | { readonly kind: 'texts'; readonly selector: string }
  /** Whether the texts can be read on the page. */
  | { readonly kind: 'text'; readonly texts: readonly string[] };

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
