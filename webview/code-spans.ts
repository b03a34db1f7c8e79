import { messageParts } from '../src/results/code-spans.ts';
import { type Child, el } from './dom.ts';

/**
 * A message with its code in code font, as in Markdown. Nothing else is interpreted.
 * @param draw draws each part
 */
export function withCodeSpans(
  message: string,
  draw: (part: string) => readonly Child[] = (part) => [part],
): readonly Child[] {
  return messageParts(message).flatMap(({ text, isCode }) => (isCode ? [el('code', {}, ...draw(text))] : draw(text)));
}
