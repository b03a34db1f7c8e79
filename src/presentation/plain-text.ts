import { escapeControls } from '../base/terminal-text.ts';
import { withoutCodeMarks } from '../results/code-spans.ts';

/** Joins the texts that are not empty. */
export function joinTexts(texts: readonly string[], separator: string): string {
  return texts.filter((text) => text !== '').join(separator);
}

/** A text of a task, run, or agent as a label: on one line, in the order in which it is written. */
export function plainLabel(text: string): string {
  return escapeControls(text);
}

/** Hebrew, Arabic, and the other scripts that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;

/** A label whose right-to-left words do not change the order of what VS Code shows after it on the same line. */
export function isolateDirection(label: string): string {
  return RIGHT_TO_LEFT.test(label) ? `\u2068${label}\u2069` : label;
}

/** As `plainLabel`, for places where VS Code draws icons for `$(name)`: the status bar, CodeLenses, and pickers. */
export function withoutIcons(text: string): string {
  return plainLabel(text).replaceAll('$(', '\\$(');
}

/**
 * A message for a notification, without the backticks around code. VS Code makes links of `[text](command:…)`, so that a
 * text of an agent or a page could offer a command.
 */
export function plainMessage(text: string): string {
  return withoutCodeMarks(text).split('\n').map(escapeControls).join('\n').replaceAll('](', ']\u2060(');
}
