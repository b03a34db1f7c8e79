// Types of the library too (scripts/library.mjs): this file imports types of the library only.

import type { Json } from '../base/json.ts';

/** A picture of the environment as bytes, never as base64. */
export interface Picture {
  readonly type: 'png' | 'jpg';
  readonly data: Uint8Array;
  /** Size in pixels. */
  readonly width: number;
  readonly height: number;
}

/** A `confirm` or `prompt` of a page, which waits for an answer. */
export interface OpenDialog {
  readonly type: 'confirm' | 'prompt';
  readonly message: string;
  /** The text in the field of a prompt; absent if the field is empty. */
  readonly default_value?: string;
}

/** What an agent sees. Each kind of environment provides text, a screenshot, structured data, or several of them. */
export interface Observation {
  /** Browser: the accessibility tree with the ids of elements, as BrowserGym prints it. */
  readonly text: string | null;
  readonly screenshot: Picture | null;
  /** Structured data in a format of the environment. */
  readonly data?: Json;
  /**
   * The open dialog of the page, which `handle_dialog` answers. Other actions fail until then, and the text and the screenshot are
   * those from before it opened.
   */
  readonly dialog?: OpenDialog;
}
