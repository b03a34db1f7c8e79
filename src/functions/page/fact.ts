import type { ReadPage } from './read-page.ts';

/** What a check of ours wants to know of the page, as JSON: of a rebuilt page all of it is read at once. */
export type FactQuery =
  | { readonly kind: 'url' }
  /** How many elements match. */
  | { readonly kind: 'elements'; readonly selector: string }
  /** What can be read in each element that matches. */
  | { readonly kind: 'texts'; readonly selector: string }
  /** Whether the texts can be read on the page. */
  | { readonly kind: 'text'; readonly texts: readonly string[] };

export interface Facts {
  readonly url: string;
  readonly elements: { readonly count: number; readonly names: readonly string[] };
  /** Folded. */
  readonly texts: { readonly texts: readonly string[]; readonly names: readonly string[] };
  /** `page`: where one is missing, all there is to tell why. */
  readonly text: { readonly page: ReadPage | null };
}

/** `names`: the ids or classes on the page, as the selector ends in one, where no element matches. */
export type Fact<Query extends FactQuery> = Facts[Query['kind']];
