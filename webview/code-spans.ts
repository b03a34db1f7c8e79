import { type Child, el } from './dom.ts';

/** A part of a message between backticks, such as a selector or the name of a function. */
const CODE = /`([^`\n]+)`/;

/**
 * A message with its parts between backticks in code font, as in Markdown. Nothing else is interpreted.
 * @param draw draws each part
 */
export function withCodeSpans(
  message: string,
  draw: (part: string) => readonly Child[] = (part) => [part],
): readonly Child[] {
  // Every second part is one between backticks.
  return message.split(CODE).flatMap((part, at) => (at % 2 === 1 ? [el('code', {}, ...draw(part))] : draw(part)));
}
