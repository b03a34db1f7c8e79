/// <reference lib="dom" />
import { plain } from '../plain.ts';
import { areaSeen, isInside, isSeen, meet } from './clip.ts';
import { isTransparent, type ReadingContext } from './reading-context.ts';
import type { State } from './state.ts';
import { asGraphics, svgTag } from './tag.ts';

/** Reads a text node: as a whole if nothing cuts it off, otherwise each word by itself. */
export function readTextNode(
  text: Text,
  state: State,
  style: CSSStyleDeclaration,
  parent: Element,
  context: ReadingContext,
): void {
  const content = text.data;
  if (!/\S/.test(content)) {
    // White space for a regular expression, but not for a reader: U+FEFF.
    if (/[^\ufeff]/.test(content)) context.put(' ');
    return;
  }
  const why = context.whyUnseen(parent, state, style);
  if (why !== null) {
    context.hide(content, why);
    return;
  }
  const range = context.rangeIn(plain(parent).ownerDocument);
  range.selectNodeContents(text);
  const all = [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  const isBeyond = beyondPath(parent);
  const rects = all.filter((rect) => !isBeyond(rect));
  if (rects.length === 0) {
    context.hide(content, all.length === 0 ? 'it has no size' : 'it is beyond the end of its path');
    return;
  }
  const { behind } = state;
  const clip = behind !== null && isTransparent(parent, state, style) ? meet(state.flow, behind) : state.flow;
  if (rects.length === all.length && rects.every((rect) => isInside(rect, clip))) context.put(content);
  else if (rects.some((rect) => isSeen(rect, clip))) readWords();
  else context.hide(content, 'it is clipped, or outside of what can be scrolled to');

  function readWords(): void {
    const pieces = [...content.matchAll(/\s+|\S+/g)].map(({ 0: piece, index }) => {
      if (!/\S/.test(piece)) return { piece, isShown: true };
      range.setStart(text, index);
      range.setEnd(text, index + piece.length);
      let area = 0;
      let visible = 0;
      for (const rect of range.getClientRects()) {
        area += rect.width * rect.height;
        if (!isBeyond(rect)) visible += areaSeen(rect, clip);
      }
      return { piece, isShown: area > 0 && visible >= area / 2 };
    });
    const hasWords = pieces.some(({ piece, isShown }) => isShown && /\S/.test(piece));
    for (const { piece, isShown } of hasWords ? pieces : [{ piece: content, isShown: false }]) {
      if (isShown) context.put(piece);
      else context.hide(piece, 'it is cut off');
    }
  }
}

/** Which characters of an element are not drawn because its path is too short: the browser says they are at the origin. */
function beyondPath(element: Element): (rect: DOMRect) => boolean {
  const origin = svgTag(element) === 'textPath' ? (asGraphics(element)?.getScreenCTM() ?? null) : null;
  if (origin === null) return () => false;
  return ({ left, top, right, bottom }) =>
    Math.abs((left + right) / 2 - origin.e) < 0.1 && top <= origin.f && bottom >= origin.f;
}
