import type { Severity } from '../severity.ts';

/** Documentation of one finding code, published as `docs/rules/<code>.md`. */
export interface Rule {
  /** The finding, as a short noun phrase. */
  readonly title: string;
  /** The usual severity; a finding may have another. */
  readonly severity: Severity;
  /** One paragraph: the problem and why it matters. Statements about HUD name its version. */
  readonly why: string;
  /** How to fix it. */
  readonly fix: string;
  /** A file with this finding. Absent if an example takes more than a few lines. */
  readonly bad?: Example;
  /** The same file, fixed. */
  readonly good?: Example;
}

/** The text of a `.task.json`, or of a file of another name. */
export type Example = string | { readonly file: string; readonly text: string };

export type Rules = Readonly<Record<string, Rule>>;

/** An evaluate call for examples. */
export const CHECK = '"evaluate": ["page_contains", "Thank you"]';

/** An example of a task with more members. */
export const browserTask = (more: string): string =>
  `{ "id": "buy", "prompt": "Buy a mug.", "gym": "hud-browser", ${more} }`;
