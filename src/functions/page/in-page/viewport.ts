/// <reference lib="dom" />
import type { FrameView } from '../page-text.ts';
import { plain } from '../plain.ts';
import { type Clip, EVERYTHING, meet } from './clip.ts';
import { scrollRange } from './geometry.ts';

/** What can be seen of a document whose viewport is shown in a frame: of content that scrolls with it, and of fixed content. */
export function viewportClips(
  document: Document,
  root: Element,
  window: Window,
  frame: FrameView,
): { readonly flow: Clip; readonly fixed: Clip } {
  const { body, scrollingElement } = plain(document);
  const rootStyle = window.getComputedStyle(root);
  const bodyStyle = body && window.getComputedStyle(body);
  const viewStyle = body && bodyStyle && passesToViewport(body, window) ? bodyStyle : rootStyle;
  const { innerWidth, innerHeight } = window;
  const whole = meet(EVERYTHING, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  const view = frame.rect === null ? whole : meet(whole, frame.rect);
  const range = scrollRange(scrollingElement ?? root, bodyStyle && isInitial(rootStyle) ? bodyStyle : rootStyle, true);
  const scrolls = (overflow: string): boolean => frame.scrolls && overflow !== 'hidden' && overflow !== 'clip';
  const [x, y] = [scrolls(viewStyle.overflowX), scrolls(viewStyle.overflowY)];
  const flow: Clip = {
    left: view.left - (x ? range.left : 0),
    top: view.top - (y ? range.top : 0),
    right: view.right + (x ? range.right : 0),
    bottom: view.bottom + (y ? range.bottom : 0),
    ...{ shapes: [], turnedShapes: [] },
    width: x ? view.right - view.left : Number.POSITIVE_INFINITY,
    height: y ? view.bottom - view.top : Number.POSITIVE_INFINITY,
  };
  return { flow, fixed: view };
}

/** The body's overflow is the viewport's where the root element has none of its own. */
export function passesToViewport(element: Element, window: Window): boolean {
  const { body, documentElement } = plain(plain(element).ownerDocument);
  if (element !== body) return false;
  const [root, own] = [documentElement, body].map((one) => window.getComputedStyle(one));
  return root?.overflowX === 'visible' && root.contain === 'none' && own?.contain === 'none';
}

/** The body's writing direction is the viewport's where the root element has none of its own. */
function isInitial({ writingMode, direction }: CSSStyleDeclaration): boolean {
  return writingMode === 'horizontal-tb' && direction === 'ltr';
}
