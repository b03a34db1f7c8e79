/** DOM helpers. None of them parses HTML or sets inline styles from strings. */

export type Child = Node | string | null | false | undefined;
export type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** Sets attributes; `true` is an empty attribute, `false`, `null` and `undefined` remove it. */
export function set(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value === true ? '' : value)) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  set(element, attributes);
  append(element, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(element, attributes);
  append(element, children);
  return element;
}

/** Replaces everything inside `parent`. */
export function fill(parent: Element, ...children: readonly Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Updates a text only if it differs, which keeps selections and does not trigger screen readers. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

export function on<K extends keyof HTMLElementEventMap>(
  element: HTMLElement,
  type: K,
  listener: (event: HTMLElementEventMap[K]) => void,
): void {
  element.addEventListener(type, listener);
}

/** A button that looks like a link. */
export function linkButton(text: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const button = el('button', { type: 'button', class: 'link', ...attributes }, text);
  on(button, 'click', (event) => {
    event.stopPropagation();
    press();
  });
  return button;
}

function append(parent: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child !== null && child !== false && child !== undefined) parent.append(child);
  }
}
