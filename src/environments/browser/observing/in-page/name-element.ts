/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { Pointed } from '../../../environment.ts';
import { findElementAt, foldText, labelTexts, parentOf } from '../../acting/in-page/describe.ts';

/** Facts of an element at a point of a manual run. */
export interface NamedElement extends Omit<Pointed, 'selector' | 'bid' | 'scale'> {
  /** Selectors that match only this element according to its page, the most stable first. */
  readonly selectors: readonly string[];
}

/** Runs in the page: the control that handles a click on this element; by default the element itself. */
export function findControl(element: Element): Element {
  const controls =
    'a[href], button, input, textarea, select, label, summary, [contenteditable=""], [contenteditable=true], [role=button], [role=link], [role=checkbox], [role=radio], [role=switch], [role=tab], [role=option], [role=menuitem], [role=menuitemcheckbox], [role=menuitemradio], [role=treeitem], [role=combobox], [role=textbox], [onclick]';
  for (let one: Element | null = element; one; ) {
    const { body, documentElement } = plain(document);
    if (plain(one).matches(controls) && one !== body && one !== documentElement) return one;
    one = parentOf(one);
  }
  return element;
}

/** Runs in the page: how an action can name an element, and what a click on it opens. */
export function nameElement(node: Element): NamedElement {
  const element = plain(node);
  const roots: (Document | ShadowRoot)[] = [plain(document)];
  for (const root of roots) {
    for (const one of Array.from(root.querySelectorAll('*'))) {
      const { shadowRoot } = plain(one);
      if (shadowRoot) roots.push(shadowRoot);
    }
  }
  const all = (selector: string): Element[] => {
    try {
      return roots.flatMap((root) => Array.from(root.querySelectorAll(selector)));
    } catch {
      return []; // A tag's name that no selector can say.
    }
  };
  const only = (selector: string): boolean => {
    const matches = all(selector);
    return matches.length === 1 && matches[0] === node;
  };
  const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const tag = element.localName;
  const attribute = (name: string): string => element.getAttribute(name) ?? '';
  const having = (name: string, start = tag): string[] => {
    const value = attribute(name);
    return value === '' || value.length > 80 || /[\n\r]/.test(value) ? [] : [`${start}[${name}=${quote(value)}]`];
  };
  // Ids with counters of frameworks change in the next version of the page.
  const isGenerated = (id: string): boolean => /\d{4,}|[0-9a-f]{8,}|[:]|^(ember|react|radix|mui|headlessui)/i.test(id);
  const byId = element.id === '' ? [] : [`#${CSS.escape(element.id)}`];
  const text = foldText((element as HTMLElement).innerText ?? element.textContent);
  const control = element.matches('a, button, input, textarea, select, label, summary, [role], [onclick]');
  const says = (one: Element): boolean => foldText(plain(one).textContent).toLowerCase().includes(text.toLowerCase());
  const short = text !== '' && text.length <= 40 && (control || element.childElementCount === 0);
  const byText = short && all(tag).filter(says).length === 1 ? [`${tag}:has-text(${quote(text)})`] : [];
  const kind = element instanceof HTMLInputElement ? element.type : '';
  const byName = having('name').flatMap((one) =>
    kind === 'radio' || kind === 'checkbox' ? [...having('value', one), one] : [one],
  );
  const path = (): string[] => {
    let way = '';
    let steps = 0;
    const shortest: string[] = [];
    const { documentElement } = plain(document);
    for (let one: Element | null = node; one && one !== documentElement; one = plain(one).parentElement) {
      const current = plain(one);
      const { parentElement: parent } = current;
      const same = Array.from(parent === null ? [] : plain(parent).children).filter(
        (other) => plain(other).localName === current.localName,
      );
      const place = same.length > 1 ? `:nth-of-type(${same.indexOf(one) + 1})` : '';
      const anchored = one !== node && current.id !== '' && !isGenerated(current.id);
      const step = anchored ? `#${CSS.escape(current.id)}` : `${current.localName}${place}`;
      way = way === '' ? step : `${step} > ${way}`;
      if (shortest.length === 0 && only(way)) shortest.push(way);
      // A selector below a named ancestor is clearer, if the ancestor is near.
      if (anchored && only(way)) return [way];
      steps += 1;
      if (steps > 5 && shortest.length > 0) break;
    }
    return shortest;
  };
  const lasting = [
    ...(isGenerated(element.id) ? [] : byId),
    ...['data-testid', 'data-test-id', 'data-test', 'data-cy', 'data-qa'].flatMap((name) => having(name, '')),
    ...byName,
    ...having('aria-label'),
    ...having('placeholder'),
  ].filter(only);
  const other = [...having('for'), ...having('href'), ...having('title'), ...having('alt'), ...having('type'), ...byId];
  const selectors = [...lasting, ...byText, ...other.filter(only)];

  const { left, top, width, height } = element.getBoundingClientRect();
  const middle = [left + width / 2, top + height / 2] as const;
  const hit = findElementAt(middle);
  const isHitInside = (): boolean => {
    for (let one = hit; one; one = parentOf(one)) if (one === node) return true;
    return false;
  };
  // In these elements, the position of a click matters.
  const spread =
    /^(html|body|canvas|svg|video|audio|iframe|frame|embed|object|map|area|img)$/.test(tag) ||
    element instanceof SVGElement ||
    kind === 'range' ||
    kind === 'image';
  const texts = [
    attribute('aria-label'),
    labelTexts(element),
    attribute('placeholder'),
    attribute('name'),
    element.id,
    tag,
  ];
  const asks = (): NamedElement['asks'] => {
    if (element instanceof HTMLSelectElement) {
      const options = Array.from(element.options, ({ value, label, selected }) => ({ value, label, chosen: selected }));
      return { kind: 'select', options, multiple: element.multiple };
    }
    if (!(element instanceof HTMLInputElement)) return null;
    if (kind === 'file') return { kind: 'file' };
    return /^(date|datetime-local|month|week|time|color)$/.test(kind)
      ? { kind: 'value', type: kind, value: element.value }
      : null;
  };
  return {
    selectors: selectors.length > 0 ? selectors : path(),
    label: texts.map(foldText).find((one) => one !== '') ?? tag,
    steady: !spread && (control || element.matches('[contenteditable]') ? isHitInside() : hit === node),
    secret: kind === 'password',
    draggable: element.closest('[draggable=true]') !== null,
    asks: asks(),
  };
}
