import type { Rect } from './in-page/clip.ts';

/** Options of `readText`. */
export interface ReadOptions {
  /**
   * Also collects hidden texts with the cause, and the elements with visible text. Slower, so only used for reasons.
   */
  readonly explain: boolean;
  /** How the document is shown, if it is in a frame. */
  readonly frame?: FrameView | null;
  /** Whether a frame that is one of the roots is left to the caller, as frames of other origins are. */
  readonly leavesFrames?: boolean;
}

/** A text on the page that a user cannot read. */
export interface HiddenText {
  readonly text: string;
  /** `display: none` */
  readonly why: string;
}

/** An element with visible text. */
export interface ShownElement {
  readonly role: string;
  readonly tag: string;
  readonly text: string;
}

/** How a frame shows its document. */
export interface FrameView {
  /** The part of the document's viewport that is not cut off outside of the frame; null: all of it. */
  readonly rect: Rect | null;
  /** Whether a user can scroll the document. */
  readonly scrolls: boolean;
  /** The opacity of the frame. */
  readonly alpha: number;
  /** How many pixels of the screen a pixel of the document takes. */
  readonly scale: number;
  /** Whether the document is on the hidden back of a turned element. */
  readonly isOnBack: boolean;
}

/** What `readText` found in one document and its frames of the same origin. */
export interface PageText {
  /** The text with a line for each block; not yet folded. */
  readonly texts: readonly string[];
  readonly hiddenTexts: readonly HiddenText[];
  readonly shownElements: readonly ShownElement[];
  /** The visible frames of other origins, which are read separately. */
  readonly frames: readonly FrameView[];
}

/** Normalizes a text for comparison: single spaces, no invisible characters. */
export function fold(text: string): string {
  return text
    .replace(/[\u00ad\u200b\u2060\ufeff]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
}
