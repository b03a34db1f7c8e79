/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { isMostlySeen, meet } from './clip.ts';
import { findReferred, hrefOf } from './find-referred.ts';
import { symbolBox } from './geometry.ts';
import { groupAlpha } from './paint.ts';
import type { ReadingContext } from './reading-context.ts';
import type { State } from './state.ts';
import { asGraphics } from './tag.ts';

/** Reads a part of a drawing that is drawn again: its text is where the `use` is. */
export function readUse(element: SVGUseElement, state: State, context: ReadingContext): void {
  const target = findReferred(element, hrefOf(element));
  const { defaultView: window } = plain(plain(element).ownerDocument);
  if (target === null || window === null || state.why !== null) return;
  // What is drawn inherits from the `use`.
  if (window.getComputedStyle(element).visibility !== 'visible') return;
  const clip = meet(state.flow, symbolBox(element, target, window.getComputedStyle(target)));
  if (!isMostlySeen(element.getBoundingClientRect(), clip)) return;
  const readPart = (part: Element): void => {
    let { alpha } = state;
    let isShown = true;
    for (let outer: Element | null = part; outer !== null && target.contains(outer); outer = outer.parentElement) {
      const style = window.getComputedStyle(outer);
      alpha *= groupAlpha(style);
      isShown &&= style.display !== 'none' || outer === target;
    }
    const why = isShown ? context.whyUnseen(part, { ...state, alpha }, window.getComputedStyle(part)) : 'display: none';
    for (const { nodeType, nodeValue } of part.childNodes) {
      if (nodeType !== Node.TEXT_NODE) continue;
      if (why === null) context.put(nodeValue ?? '');
      else context.hide(nodeValue ?? '', why);
    }
  };
  for (const text of [target, ...target.querySelectorAll('text')]) {
    if (text.localName !== 'text') continue;
    context.put('\n');
    // Not all elements in a text are drawn: its title, for example, is not.
    for (const one of [text, ...text.querySelectorAll('*')]) if (asGraphics(one)) readPart(one);
    context.put('\n');
  }
}
