/// <reference lib="dom" />
import type { Point } from '../../../../actions/action.ts';
import { plain } from '../../../../functions/page/plain.ts';
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
export function describeElement(element: Element, states: readonly string[]): ElementFacts {
  const NEAR = 100;
  const FAR = 10_000;
  // `matches` throws for pseudo-classes that the browser does not know.
  const knownStates = states.filter((state) => CSS.supports(`selector(:${state})`));
  const any = `:is(${knownStates.map((state) => `:${state}`).join()})`;
  const describePlain = (node: Element): PlainElement => {
    const one = plain(node);
    return {
      tag: one.localName,
      attributes: Array.from(one.attributes, (attribute) => [attribute.name, attribute.value.slice(0, 1000)] as const),
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
    const parent: Element | null = parentOf(one);
    chain.push({
      ...describePlain(one),
      before: before.near.reverse(),
      after: after.near,
      ...(before.far.length + after.far.length > 0 ? { far: { before: before.far.reverse(), after: after.far } } : {}),
      ...(parent !== plain(one).parentElement ? { shadow: true } : {}),
    });
    one = parent;
  }
  const own = plain(element);
  const role = roleOf(own);
  const label = labelOf(own, role);
  const whole = own.getBoundingClientRect();
  const box = { x: whole.x, y: whole.y, width: whole.width, height: whole.height };
  const first = Array.from(own.getClientRects()).find((rect) => rect.width * rect.height > 0.99) ?? whole;
  const point = { x: first.x + first.width / 2, y: first.y + first.height / 2 };
  return { label: label === '' ? role : `${role} “${label}”`, box, point, chain };
}

const ROLES: Readonly<Record<string, string>> = {
  a: 'link',
  select: 'list',
  textarea: 'field',
  img: 'image',
  summary: 'button',
};

/** The role of an element in words for users. */
function roleOf(element: Element): string {
  const role = element.getAttribute('role');
  if (role !== null) return role;
  if (element.localName !== 'input') return ROLES[element.localName] ?? element.localName;
  const type = element.getAttribute('type') ?? 'text';
  if (/^(button|submit|reset|image)$/.test(type)) return 'button';
  return /^(checkbox|radio)$/.test(type) ? type : 'field';
}

/** The first text that names an element for users; empty if it has none. */
function labelOf(element: Element, role: string): string {
  const isField = ['input', 'textarea', 'select'].includes(element.localName);
  const texts = [
    element.getAttribute('aria-label'),
    labelTexts(element),
    role === 'button' && isField ? (element as HTMLInputElement).value : null,
    isField ? null : ((element as HTMLElement).innerText ?? element.textContent),
    ...['placeholder', 'title', 'alt', 'name'].map((name) => element.getAttribute(name)),
    element.id,
  ];
  const label = texts.map(foldText).find((text) => text !== '') ?? '';
  return label.length > 60 ? `${label.slice(0, 59)}…` : label;
}

/** The texts of the `<label>` elements of a field; empty for other elements. */
export function labelTexts(element: Element): string {
  const labels = 'labels' in element ? Array.from((element as HTMLInputElement).labels ?? []) : [];
  return labels.map((label) => label.textContent).join(' ');
}

export function foldText(text: string | null): string {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

/** The parent of an element; the host of a shadow root for what is in it. */
export function parentOf(element: Element): Element | null {
  const { parentElement }: Element = plain(element);
  const root = plain(element).getRootNode();
  return parentElement ?? (root instanceof ShadowRoot ? root.host : null);
}

/** Runs in the page: the focused element, in open shadow roots too; null if it is the page itself. */
export function findFocusedElement(): Element | null {
  const { activeElement, body, documentElement } = plain(document);
  let element = activeElement;
  for (let inner = element; inner; inner = plain(inner).shadowRoot?.activeElement ?? null) element = inner;
  return element === body || element === documentElement ? null : element;
}

/** Runs in the page: the first element of the document, without its shadow roots, that a CSS selector matches. */
export function findBySelector(selector: string): Element | null {
  return plain(document).querySelector(selector);
}

/** Runs in the page: the element at a point of its viewport, in open shadow roots too. */
export function findElementAt([x, y]: readonly [number, number]): Element | null {
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

/** An option of a list, as an action can name it. */
export interface ListOption {
  readonly value: string;
  readonly label: string;
  readonly text: string;
  /** Whether it is disabled, by itself or by its group, in a list that is not. */
  readonly isDisabled: boolean;
}

/** Runs in the page: the options of a list; null for other elements. */
export function listOptions(element: Element): ListOption[] | null {
  if (!(element instanceof HTMLSelectElement)) return null;
  return Array.from(element.options, (option) => ({
    value: option.value,
    label: option.label,
    text: option.text.trim(),
    isDisabled: option.closest('option:disabled, optgroup:disabled') !== null && !element.matches(':disabled'),
  }));
}

/** Runs in the page: whether a field, such as a date field, discards invalid input. */
export function hasFixedForm(element: Element): boolean {
  return (
    element instanceof HTMLInputElement && /^(date|datetime-local|month|week|time|color|number)$/.test(element.type)
  );
}

/** Runs in the page: candidate selectors of its elements, for suggestions. */
export function listSelectors(): string[] {
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
