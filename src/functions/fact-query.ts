/** What a built-in check reads from the page, as JSON. All facts of a restored page are read in one call. */
export type FactQuery =
  | { readonly kind: 'url' }
  /** The number of elements that match. */
  | { readonly kind: 'elements'; readonly selector: string }
  /** The visible text of each element that matches. */
  | { readonly kind: 'texts'; readonly selector: string }
  /** Whether the texts can be read on the page. */
  | { readonly kind: 'text'; readonly texts: readonly string[] };
