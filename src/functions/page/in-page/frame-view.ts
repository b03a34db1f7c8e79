/// <reference lib="dom" />
import type { FrameView } from '../page-text.ts';
import { plain } from '../plain.ts';
import { meet } from './clip.ts';
import { scaleOf } from './geometry.ts';
import type { State } from './state.ts';

/** How a frame shows its document. `box`: where it is. */
export function frameView(element: Element, state: State, style: CSSStyleDeclaration, box: DOMRect): FrameView {
  const { clientLeft, clientTop, offsetWidth, offsetHeight } = plain(element) as HTMLElement;
  const [a, b, , d, e] = state.matrix;
  const [scaleX, scaleY] = [box.width / offsetWidth, box.height / offsetHeight];
  const left = box.left + (clientLeft + Number.parseFloat(style.paddingLeft)) * scaleX;
  const top = box.top + (clientTop + Number.parseFloat(style.paddingTop)) * scaleY;
  const isUpright = Math.abs(b) + Math.abs(d) < 1e-6;
  const part = meet(state.flow, box);
  // Mirrored, it is its other side that the distance is from.
  const across = (x: number): number => (a > 0 ? x - left : box.left + box.right - left - x) / scaleX;
  const down = (y: number): number => (e > 0 ? y - top : box.top + box.bottom - top - y) / scaleY;
  return {
    rect: isUpright
      ? {
          left: Math.min(across(part.left), across(part.right)),
          top: Math.min(down(part.top), down(part.bottom)),
          right: Math.max(across(part.left), across(part.right)),
          bottom: Math.max(down(part.top), down(part.bottom)),
        }
      : null,
    scrolls: !/^(?:no|off|noscroll)$/i.test(element.getAttribute('scrolling') ?? ''),
    alpha: state.alpha,
    scale: scaleOf(state.matrix),
    isOnBack: state.isOnBack,
  };
}
