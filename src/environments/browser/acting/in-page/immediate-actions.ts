/// <reference lib="dom" />
import type { Point } from '../../../../actions/action.ts';
import { plain } from '../../../../functions/page/plain.ts';

/*
 * Actions that Playwright would take at once, in one round trip. Each function runs in the page and returns null wherever
 * Playwright might do otherwise: wait, scroll, choose another element, fail. Then Playwright takes the action.
 */

const BUTTONS = 'button, a, [role=button], [role=link], [role=checkbox], [role=radio]';
const INERT = '[aria-disabled=true i], [inert]';

/** An upcoming click. */
interface Click {
  readonly clicks: number;
  /** Where Playwright clicks: the middle of the first content quad, rounded to hundredths of a pixel. */
  readonly point: Point;
  /** The name under which `hasMissed` queries the result. */
  readonly missKey: string;
}

/**
 * Returns the click point of an element that is visible, enabled, and stable. From then on, the given number of clicks
 * is blocked if they would hit another element; `hasMissed` reports that.
 */
export async function prepareClick(element: Element, { clicks, missKey, point }: Click): Promise<Point | null> {
  const page = plain(document);
  const itself = plain(element);
  const own = itself.matches(`${BUTTONS}, input, textarea, select`);
  if (!own && itself.closest(BUTTONS) !== null) return null;
  const control = own ? itself : (itself.closest('label')?.control ?? itself);
  if (!itself.isConnected || itself.getRootNode() !== document) return null;
  const place = (): string => {
    const { x, y, width, height } = itself.getBoundingClientRect();
    return `${x} ${y} ${width} ${height}`;
  };
  // Playwright compares two frames, too, which are never further apart than this. A benchmark page, whose scripts are
  // in another world, cancels this event if it is stable for that long.
  if (window.dispatchEvent(new Event('taskwrightrest', { cancelable: true }))) {
    const frame = (): Promise<string> => new Promise((resolve) => requestAnimationFrame(() => resolve(place())));
    const first = await frame();
    if (first !== (await frame())) return null;
  }
  const style = getComputedStyle(element);
  if (style.display === 'contents' || style.visibility !== 'visible' || !itself.checkVisibility()) return null;
  if (control.matches(':disabled') || control.closest(INERT) !== null) return null;
  const box = [...itself.getClientRects()].find(({ width, height }) => width * height > 0.99);
  const view = window.visualViewport;
  if (box === undefined || view === null || view.scale !== 1) return null;
  const whole = itself.getBoundingClientRect();
  if (whole.left < 0 || whole.top < 0 || whole.right > view.width || whole.bottom > view.height) return null;
  const { body, documentElement } = page;
  let clipped = false;
  for (let one = itself.parentElement; one !== null; one = plain(one).parentElement) {
    const { overflowX, overflowY, perspective, transform, rotate } = getComputedStyle(one);
    if (perspective !== 'none') return null;
    const isVisible = overflowX === 'visible' && overflowY === 'visible';
    // The overflow of the body applies to the viewport, unless the root element has its own.
    const isWindow =
      one === documentElement || (one === body && getComputedStyle(documentElement).overflow === 'visible');
    if (!isVisible && !isWindow) {
      const outer = plain(one).getBoundingClientRect();
      const { clientLeft, clientTop, clientWidth, clientHeight, offsetWidth, offsetHeight } = plain(one) as HTMLElement;
      const [scaleX, scaleY] = [outer.width / offsetWidth, outer.height / offsetHeight];
      const left = outer.left + clientLeft * scaleX;
      const top = outer.top + clientTop * scaleY;
      const inside = whole.left >= left && whole.top >= top;
      if (!inside || whole.right > left + clientWidth * scaleX || whole.bottom > top + clientHeight * scaleY)
        return null;
      clipped = true;
    }
    // The sides of a turned box are not those of the rectangle around it.
    if (clipped && (rotate !== 'none' || !/^(?:none|matrix\([^,]+, 0, 0,.*)$/.test(transform))) return null;
  }
  const isMiddle = (from: number, to: number, at: number): boolean => Math.abs((from + to) / 2 - at) < 0.02;
  // The quads of a label around a field, for example, differ from its rectangles.
  if (!isMiddle(box.left, box.right, point.x) || !isMiddle(box.top, box.bottom, point.y)) return null;
  const hits = (x: number, y: number): boolean => {
    for (let hit = page.elementFromPoint(x, y); hit !== null; ) {
      if (hit === element) return true;
      const { assignedSlot, parentElement }: Element = plain(hit);
      hit = assignedSlot ?? parentElement;
    }
    return false;
  };
  if (!hits(point.x, point.y)) return null;
  const guard = new AbortController();
  const miss = Promise.withResolvers<boolean>();
  Object.defineProperty(globalThis, missKey, { value: miss.promise, configurable: true, enumerable: false });
  let sound: boolean | null = null;
  let presses = 0;
  const watch = (event: Event): void => {
    if (!event.isTrusted || !(event instanceof MouseEvent)) return;
    if (event.type === 'pointerdown') presses += 1;
    // A later click, or a click by a key.
    if (presses > clicks || (event.type === 'click' && event.detail === 0)) guard.abort();
    if (guard.signal.aborted) return;
    sound ??= hits(event.clientX, event.clientY);
    miss.resolve(!sound);
    if (sound) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const events = ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
  for (const type of events)
    window.addEventListener(type, watch, { capture: true, passive: false, signal: guard.signal });
  return point;
}

/**
 * Whether the click that was announced under this name hits another element. Call this before the click, because after
 * a navigation the page no longer answers. Removes the name.
 */
export function hasMissed(_element: Element, missKey: string): Promise<boolean> | boolean {
  const holder = globalThis as unknown as Record<string, Promise<boolean> | undefined>;
  const miss = holder[missKey] ?? false;
  delete holder[missKey];
  return miss;
}

/**
 * Resolves with the point of the viewport where the mouse next presses a button on an element, or, if `pressed` is
 * false, moves to it.
 */
export function observeLanding(element: Element, pressed: boolean): Promise<Point> {
  const type = pressed ? 'pointerdown' : 'pointermove';
  // For Playwright, a click on one of these counts as a click on its content.
  const around = element.closest(BUTTONS);
  return new Promise((resolve) => {
    const listen = (event: Event): void => {
      const path = event.composedPath();
      if (!event.isTrusted || !(event instanceof MouseEvent)) return;
      if (!path.includes(element) && (around === null || !path.includes(around))) return;
      window.removeEventListener(type, listen, true);
      resolve({ x: event.clientX, y: event.clientY });
    };
    window.addEventListener(type, listen, true);
  });
}

/** Fills a field if that is possible: `filled`, or `selected` if its content is selected and the text must be typed. */
export function tryFill(element: Element, text: string): 'filled' | 'selected' | null {
  const isInput = element instanceof HTMLInputElement;
  if (!isInput && !(element instanceof HTMLTextAreaElement)) return null;
  const isSet = isInput && /^(color|date|time|datetime-local|month|range|week)$/.test(element.type);
  const isText = !isInput || /^(email|password|search|tel|text|url)$/.test(element.type);
  if (!(isSet || isText) || element.hasAttribute('readonly') || element.getRootNode() !== document) return null;
  if (!isOperable(element)) return null;
  if (isSet) {
    element.focus();
    element.value = text.trim();
    dispatchChange(element);
    return 'filled';
  }
  if (isInput) element.select();
  else {
    element.selectionStart = 0;
    element.selectionEnd = element.value.length;
  }
  element.focus();
  return 'selected';
}

/** Selects options by their values or labels, if the list has all of them. */
export function trySelect(element: Element, names: readonly string[]): true | null {
  if (!(element instanceof HTMLSelectElement) || element.getRootNode() !== document) return null;
  if (!isOperable(element)) return null;
  let left = [...names];
  const selection: HTMLOptionElement[] = [];
  for (const option of Array.from(element.options)) {
    const means = (name: string): boolean => name === option.value || name === option.label;
    if (!left.some(means)) continue;
    if (option.closest(':disabled, [disabled], [aria-disabled=true i]') !== null) return null;
    selection.push(option);
    left = element.multiple ? left.filter((name) => !means(name)) : [];
  }
  if (left.length > 0) return null;
  element.selectedIndex = -1;
  for (const option of selection) option.selected = true;
  dispatchChange(element);
  return true;
}

/** Whether a control is drawn, enabled, and not inert, as everything outside of an open modal dialog is. */
function isOperable(element: HTMLElement): boolean {
  const { width, height } = element.getBoundingClientRect();
  const isDrawn = getComputedStyle(element).visibility === 'visible' && element.checkVisibility();
  if (!isDrawn || width === 0 || height === 0 || element.matches(':disabled')) return false;
  return element.closest(INERT) === null && plain(document).querySelector('dialog:modal') === null;
}

function dispatchChange(element: Element): void {
  element.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
  element.dispatchEvent(new Event('change', { bubbles: true }));
}

/** Gives an element the focus. */
export function tryFocus(node: Element): true | null {
  const element = plain(node);
  if (!(element instanceof HTMLElement || element instanceof SVGElement) || element.getRootNode() !== document)
    return null;
  if (!element.isConnected || (element instanceof HTMLElement && element.isContentEditable)) return null;
  // Twice, as Playwright does, because a listener may move the focus the first time.
  element.focus();
  element.focus();
  return true;
}
