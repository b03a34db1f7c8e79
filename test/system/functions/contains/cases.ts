/** Pages on which `Order placed` stands. They are in files by subject, and one test file shows them all in one browser. */
export interface Cases {
  /** What can be read, and the page. */
  readonly readable: readonly (readonly [what: string, html: string])[];
  /** The reason of `page_contains`, and the page. */
  readonly hidden: readonly (readonly [reason: string, html: string])[];
}
