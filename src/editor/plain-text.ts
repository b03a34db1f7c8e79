import { escapeControls } from '../tasks/terminal-text.ts';

/** A text of a task, run, or agent as a label: on one line, in the order in which it is written. */
export function plainLabel(text: string): string {
  return escapeControls(text);
}

/** As `plainLabel`, for places where VS Code draws icons for `$(name)`: the status bar, CodeLenses, and pickers. */
export function withoutIcons(text: string): string {
  return plainLabel(text).replaceAll('$(', '\\$(');
}

/**
 * A message for a notification. VS Code makes links of `[text](command:…)`, so that a text of an agent or a page could
 * offer a command.
 */
export function plainMessage(text: string): string {
  return text.split('\n').map(escapeControls).join('\n').replaceAll('](', ']\u2060(');
}
