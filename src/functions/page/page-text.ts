/** Options of `readText`. */
export interface ReadOptions {
  /** Also collects what is hidden and why, and the elements whose text is shown: slower, for reasons only. */
  readonly explain: boolean;
  /** How the document is shown, where it is in a frame. */
  readonly frame?: FrameView;
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

/** How a frame shows its document. */
export interface FrameView {
  /** The part of the document's viewport that is not cut off outside of the frame; null: all of it. */
  readonly rect: {
    readonly left: number;
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
  } | null;
  /** Whether a user can scroll the document. */
  readonly scrolls: boolean;
  /** The opacity of the frame. */
  readonly alpha: number;
  /** How many pixels of the screen a pixel of the document takes. */
  readonly scale: number;
}

/** What `readText` found in one document and its frames of the same origin. */
export interface PageText {
  /** As it stands, lines where blocks begin; not yet folded. */
  readonly texts: readonly string[];
  readonly hidden: readonly HiddenText[];
  readonly shown: readonly ShownElement[];
  /** The visible frames of other origins, which are left to read. */
  readonly frames: readonly FrameView[];
}

/** Folds white space to single spaces and drops characters that nobody sees, as texts are compared. */
export function fold(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
