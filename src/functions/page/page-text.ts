/** How `readText` reads. */
export interface ReadOptions {
  /** Also collects what is hidden and why, and the elements whose text is shown: slower, for reasons only. */
  readonly explain: boolean;
}

/** A text of the page that a person cannot read. */
export interface HiddenText {
  readonly text: string;
  /** `display: none` */
  readonly why: string;
}

/** An element whose text is shown. */
export interface ShownElement {
  readonly role: string;
  readonly tag: string;
  readonly text: string;
}

/** What `readText` found in one document and its frames of the same origin. */
export interface PageText {
  /** As it stands, lines where blocks begin; not yet folded. */
  readonly texts: readonly string[];
  readonly hidden: readonly HiddenText[];
  readonly shown: readonly ShownElement[];
  /** How many visible frames of other origins are left to read. */
  readonly frames: number;
}

/** Folds white space to single spaces and drops characters that nobody sees, as texts are compared. */
export function fold(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
