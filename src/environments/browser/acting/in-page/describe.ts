/// <reference lib="dom" />
import type { Point } from '../../../../actions/action.ts';
import type { Plain } from '../../../../functions/page/plain.ts';
import type { Box } from '../../../environment.ts';
import type { ChainLink, PlainElement } from '../../recording/element-chain.ts';

/** The recorded facts of an element that an action acted on. */
export interface ElementFacts {
  /** `button “Apply”` */
  readonly label: string;
  /** In the viewport of its own frame. */
  readonly box: Box;
  /** The click point in the same viewport: the center of its first line, if it has several. */
  readonly point: Point;
  /** The element first, the root last; a shadow root's host is the parent of what is in it. */
  readonly chain: readonly ChainLink[];
}

/** Runs in the page: reads all recorded facts of an element. `states`: pseudo-classes to record. */
export function describeElement(element: Element, states: readonly string[], plain: Plain): ElementFacts {
  const NEAR = 100;
  const FAR = 10_000;
  const clip = (text: string, limit: number): string => (text.length > limit ? text.slice(0, limit) : text);
  // `matches` throws for pseudo-classes that the browser does not know.
  const knownStates = states.filter((state) => CSS.supports(`selector(:${state})`));
  const any = `:is(${knownStates.map((state) => `:${state}`).join()})`;
  const describePlain = (node: Element): PlainElement => {
    const one = plain(node);
    return {
      tag: one.localName,
      attributes: Array.from(one.attributes, (attribute) => [attribute.name, clip(attribute.value, 1000)] as const),
      ...(one.matches(any) ? { states: knownStates.filter((state) => one.matches(`:${state}`)) } : {}),
    };
  };
  const siblingsOf = (start: Element, next: (one: Element) => Element | null) => {
    const near: PlainElement[] = [];
    const far: string[] = [];
    for (let one = next(start); one && far.length < FAR; one = next(one)) {
      if (near.length < NEAR) near.push(describePlain(one));
      else far.push(plain(one).localName);
    }
    return { near, far };
  };
  const chain: ChainLink[] = [];
  for (let one: Element | null = element; one && chain.length < 200; ) {
    const before = siblingsOf(one, (other) => plain(other).previousElementSibling);
    const after = siblingsOf(one, (other) => plain(other).nextElementSibling);
    const root = plain(one).getRootNode();
    const { parentElement }: Element = plain(one);
    const inShadow = parentElement === null && root instanceof ShadowRoot;
    chain.push({
      ...describePlain(one),
      before: before.near.reverse(),
      after: after.near,
      ...(before.far.length + after.far.length > 0 ? { far: { before: before.far.reverse(), after: after.far } } : {}),
      ...(inShadow ? { shadow: true } : {}),
    });
    one = parentElement ?? (root instanceof ShadowRoot ? root.host : null);
  }
  const roles: Record<string, string> = {
    a: 'link',
    select: 'list',
    textarea: 'field',
    img: 'image',
    summary: 'button',
  };
  const itself = plain(element);
  const type = itself.getAttribute('type') ?? 'text';
  const role =
    itself.getAttribute('role') ??
    (itself.localName === 'input'
      ? /^(button|submit|reset|image)$/.test(type)
        ? 'button'
        : /^(checkbox|radio)$/.test(type)
          ? type
          : 'field'
      : (roles[itself.localName] ?? itself.localName));
  const labels = 'labels' in itself ? Array.from((itself as HTMLInputElement).labels ?? []) : [];
  const field = itself.localName === 'input' || itself.localName === 'textarea' || itself.localName === 'select';
  const texts = [
    itself.getAttribute('aria-label'),
    labels.map((label) => label.textContent ?? '').join(' '),
    role === 'button' && field ? (itself as HTMLInputElement).value : null,
    field ? null : ((itself as HTMLElement).innerText ?? itself.textContent),
    itself.getAttribute('placeholder'),
    itself.getAttribute('title'),
    itself.getAttribute('alt'),
    itself.getAttribute('name'),
    itself.id,
  ];
  const name = texts.map((text) => (text ?? '').replace(/\s+/g, ' ').trim()).find((text) => text !== '') ?? '';
  const label = name.length > 60 ? `${name.slice(0, 59)}…` : name;
  const whole = itself.getBoundingClientRect();
  const box = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  const first = Array.from(itself.getClientRects()).find((rect) => rect.width * rect.height > 0.99) ?? whole;
  const point = { x: first.x + first.width / 2, y: first.y + first.height / 2 };
  return { label: label === '' ? role : `${role} “${label}”`, box, point, chain };
}

/** Runs in the page: the focused element, in open shadow roots too; null if it is the page itself. */
export function findFocusedElement(_argument: null, plain: Plain): Element | null {
  const { activeElement, body, documentElement } = plain(document);
  let element = activeElement;
  for (let inner = element; inner; inner = plain(inner).shadowRoot?.activeElement ?? null) element = inner;
  return element === body || element === documentElement ? null : element;
}

/** Runs in the page: the element at a point of its viewport, in open shadow roots too. */
export function findElementAt([x, y]: readonly [number, number], plain: Plain): Element | null {
  let element = plain(document).elementFromPoint(x, y);
  for (let root = element && plain(element).shadowRoot; root; root = element && plain(element).shadowRoot) {
    const inner = root.elementFromPoint(x, y);
    if (!inner || inner === element) break;
    element = inner;
  }
  return element;
}

/**
 * Runs in the page: the value of a field; null for other elements. Includes passwords, which the agent has typed
 * itself.
 */
export function readFieldValue(element: Element): string | null {
  if (
    element instanceof HTMLInputElement ||
    element instanceof HTMLTextAreaElement ||
    element instanceof HTMLSelectElement
  ) {
    return element.value;
  }
  return element instanceof HTMLElement && element.isContentEditable ? element.innerText : null;
}

/** Runs in the page: the options of a list; null for other elements. */
export function listOptions(element: Element): { value: string; label: string; text: string }[] | null {
  if (!(element instanceof HTMLSelectElement)) return null;
  return Array.from(element.options, ({ value, label, text }) => ({ value, label, text: text.trim() }));
}

/** Runs in the page: whether a field, such as a date field, discards invalid input. */
export function hasFixedForm(element: Element): boolean {
  return (
    element instanceof HTMLInputElement && /^(date|datetime-local|month|week|time|color|number)$/.test(element.type)
  );
}

/** Runs in the page: candidate selectors of its elements, for suggestions. */
export function listSelectors(_argument: null, plain: Plain): string[] {
  const names = new Set<string>();
  const candidates = plain(document).querySelectorAll('[id], [name], [data-testid]');
  for (const element of Array.from(candidates).slice(0, 2000).map(plain)) {
    if (element.id !== '') names.add(`#${element.id}`);
    const name = element.getAttribute('name');
    if (name) names.add(`[name="${name}"]`);
    const test = element.getAttribute('data-testid');
    if (test) names.add(`[data-testid="${test}"]`);
  }
  return [...names];
}

/** Runs in the page: resolves when nothing has scrolled for a few frames. */
export function awaitScrollEnd(limit: number): Promise<void> {
  return new Promise((resolve) => {
    const startTime = performance.now();
    let quiet = 0;
    const onScroll = (): void => {
      quiet = 0;
    };
    document.addEventListener('scroll', onScroll, true);
    const check = (): void => {
      quiet += 1;
      if (quiet < 3 && performance.now() - startTime < limit) requestAnimationFrame(check);
      else {
        document.removeEventListener('scroll', onScroll, true);
        resolve();
      }
    };
    requestAnimationFrame(check);
  });
}
