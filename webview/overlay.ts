import * as l10n from '@vscode/l10n';
import type { Acted } from '../src/presentation/runs/messages.ts';
import { fill, set, svg } from './dom.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels on the screen. */
const RING = 15;
const LABEL_HEIGHT = 20;
const LABEL_PADDING = 6;
const GAP = 6;

/**
 * Draws an action over its screenshot. Positions are CSS pixels of the page. Sizes of rings and labels are screen pixels,
 * independent of the scale of the screenshot.
 */
export class Overlay {
  readonly element = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  #actions: readonly Acted[] = [];
  #page: Size = { width: 1, height: 1 };

  constructor() {
    new ResizeObserver(() => this.#draw()).observe(this.element);
  }

  show(actions: readonly Acted[], page: Size): void {
    this.#actions = actions;
    this.#page = page;
    this.#draw();
  }

  #draw(): void {
    const { width, height } = this.#page;
    set(this.element, { viewBox: `0 0 ${width} ${height}` });
    fill(this.element);
    const shownWidth = this.element.clientWidth;
    if (shownWidth === 0) return;
    /** Page pixels per screen pixel. */
    const unit = width / shownWidth;
    for (const [position, action] of this.#actions.entries()) {
      this.#marks(action, unit);
      if (position === this.#actions.length - 1) this.#label(action, unit);
    }
  }

  #marks(action: Acted, unit: number): void {
    const { box, point, scroll, path } = action;
    if (box) {
      const { x, y, width, height } = box;
      this.element.append(svg('rect', { class: 'overlay-box', x, y, width, height, rx: 3 * unit }));
    }
    if (path && path.length > 1) this.#drag(path, unit);
    else if (scroll) this.#scroll(point ?? this.#center(), scroll, unit);
    else if (point) this.#ring(point, unit);
  }

  #ring({ x, y }: Point, unit: number): void {
    this.element.append(
      svg('circle', { class: 'overlay-halo', cx: x, cy: y, r: RING * unit }),
      svg('circle', { class: 'overlay-ring', cx: x, cy: y, r: (RING - 2) * unit }),
    );
  }

  #scroll(from: Point, by: Point, unit: number): void {
    const length = Math.hypot(by.x, by.y) || 1;
    const reach = Math.min(Math.max(length, 40 * unit), this.#page.height / 3);
    const to = { x: from.x + (by.x / length) * reach, y: from.y + (by.y / length) * reach };
    this.#line([from, to], unit);
  }

  #drag(path: readonly Point[], unit: number): void {
    const [from] = path;
    if (from) this.element.append(svg('circle', { class: 'overlay-ring', cx: from.x, cy: from.y, r: 5 * unit }));
    this.#line(path, unit);
  }

  /** An arrow. */
  #line(points: readonly Point[], unit: number): void {
    const to = points.at(-1);
    const from = points.at(-2);
    if (!to || !from) return;
    const angle = Math.atan2(to.y - from.y, to.x - from.x);
    const arrowHead = [angle + 2.6, angle - 2.6].map(
      (turn) => `${to.x + Math.cos(turn) * 11 * unit},${to.y + Math.sin(turn) * 11 * unit}`,
    );
    const pathPoints = points.map(({ x, y }) => `${x},${y}`).join(' ');
    const tip = `${arrowHead[0]} ${to.x},${to.y} ${arrowHead[1]}`;
    for (const name of ['overlay-line-halo', 'overlay-line']) {
      this.element.append(
        svg('polyline', { class: name, points: pathPoints }),
        svg('polyline', { class: name, points: tip }),
      );
    }
  }

  #center(): Point {
    return { x: this.#page.width / 2, y: this.#page.height / 2 };
  }

  /** The action as text next to its point, completely inside the screenshot. */
  #label(action: Acted, unit: number): void {
    const at = this.#anchor(action, unit);
    const text = svg('text', { class: 'overlay-text' });
    text.style.setProperty('font-size', `${12 * unit}px`);
    const ground = svg('rect', { class: 'overlay-ground', height: LABEL_HEIGHT * unit, rx: 3 * unit });
    this.element.append(ground, text);
    const maxWidth = this.#page.width - 2 * GAP * unit;
    const padding = LABEL_PADDING * unit;
    const label = action.ignored === undefined ? action.action : l10n.t('{0} (ignored)', action.action);
    text.textContent = label;
    for (let length = label.length; length > 4 && text.getComputedTextLength() + 2 * padding > maxWidth; ) {
      length = Math.floor(length * 0.9);
      text.textContent = `${label.slice(0, length)}…`;
    }
    const width = text.getComputedTextLength() + 2 * padding;
    const height = LABEL_HEIGHT * unit;
    const edge = GAP * unit;
    const x = Math.max(edge, Math.min(at.x, this.#page.width - width - edge));
    const labelTop = at.y;
    const y = labelTop + height + edge <= this.#page.height ? labelTop : Math.max(edge, at.above - height);
    set(ground, { x, y, width });
    set(text, { x: x + padding, y: y + height * 0.7 });
  }

  /** The position of the label: its top if it is below the point, or `above`, its bottom if there is no space below. */
  #anchor({ point, box, path, scroll }: Acted, unit: number): Point & { above: number } {
    const end = path?.at(-1) ?? point;
    if (end) {
      const offset = scroll || path ? 10 : RING * 0.8;
      return { x: end.x + offset * unit, y: end.y + (offset - 2) * unit, above: end.y - offset * unit };
    }
    if (box) return { x: box.x, y: box.y + box.height + GAP * unit, above: box.y - GAP * unit };
    return { x: GAP * unit, y: this.#page.height, above: this.#page.height - GAP * unit };
  }
}
