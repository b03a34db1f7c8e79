/// <reference lib="dom" />
import { plain } from '../plain.ts';
import type { Rect } from './clip.ts';
import type { Matrix } from './geometry.ts';

/**
 * About where a field has its text: at the side to which it is aligned, with characters that are at most as wide as high,
 * and halfway between its other sides, or at the first of them where it has several lines.
 */
export function textBox(element: Element, style: CSSStyleDeclaration, text: string, [a, b, , d, e]: Matrix): Rect {
  const { left, top, right, bottom, width, height } = plain(element).getBoundingClientRect();
  const { offsetWidth, offsetHeight } = plain(element) as HTMLElement;
  // Turned, it still has a rectangle around it.
  if (offsetWidth * offsetHeight === 0) return { left, top, right: left, bottom: top };
  const isHorizontal = style.writingMode.startsWith('horizontal');
  const isReversed = (style.direction === 'rtl') !== (style.writingMode === 'sideways-lr');
  const isOnSide = Math.abs(a) < Math.abs(b);
  const runsAcross = isHorizontal !== isOnSide;
  /** Where on the screen the sides go that are from left to right, and from top to bottom, in the element. */
  const [toRight, toBottom] = isOnSide ? [b, d] : [a, e];
  const isStartFar = isReversed !== (isHorizontal ? toRight : toBottom) < 0;
  const size = Number.parseFloat(style.fontSize);
  const [acrossSize, downSize] = [
    (size * width) / (isOnSide ? offsetHeight : offsetWidth),
    (size * height) / (isOnSide ? offsetWidth : offsetHeight),
  ];
  const isArea = plain(element).localName === 'textarea';
  const part = (from: number, to: number, length: number, place: number): readonly [number, number] => {
    const rest = Math.max(0, to - from - length);
    return [from + rest * place, to - rest * (1 - place)];
  };
  /** The part of a side along which the text runs, and of the other one. */
  const along = (from: number, to: number, em: number): readonly [number, number] => {
    const place = style.textAlign === 'center' ? 0.5 : isEndAligned(style) !== isStartFar ? 1 : 0;
    return part(from, to, em * (text.length + 1), place);
  };
  const beside = (from: number, to: number, em: number): readonly [number, number] => {
    if (!isArea) return part(from, to, 1.25 * em, 0.5);
    const length = runsAcross ? width / acrossSize : height / downSize;
    const lines = text.split('\n').map((line) => Math.max(1, Math.ceil((line.length + 1) / length)));
    const isFirstFar = isHorizontal ? toBottom < 0 : style.writingMode.endsWith('-rl') !== toRight < 0;
    return part(from, to, lines.reduce((sum, count) => sum + count, 0) * 1.25 * em, isFirstFar ? 1 : 0);
  };
  const [textLeft, textRight] = (runsAcross ? along : beside)(left, right, acrossSize);
  const [textTop, textBottom] = (runsAcross ? beside : along)(top, bottom, downSize);
  return { left: textLeft, top: textTop, right: textRight, bottom: textBottom };
}

function isEndAligned({ textAlign, direction }: CSSStyleDeclaration): boolean {
  if (textAlign === 'left' || textAlign === 'right') return (textAlign === 'left') === (direction === 'rtl');
  return textAlign === 'end';
}

/** Whether a field has no room for half a character. */
export function isNarrow(field: HTMLElement, style: CSSStyleDeclaration): boolean {
  const { clientWidth, clientHeight } = plain(field);
  const across = clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
  const down = clientHeight - Number.parseFloat(style.paddingTop) - Number.parseFloat(style.paddingBottom);
  return Math.min(across, down) < Number.parseFloat(style.fontSize) / 2;
}
