/// <reference lib="dom" />
import type { Plain } from '../../../../functions/page/plain.ts';
import type { RecordedDocument, RecordedElement, RecordedMore, RecordedNode } from '../../../recorded.ts';

/** The input of `rebuildDocument`. */
export interface Rebuilding {
  /** A `RecordedDocument` as JSON. */
  readonly json: string;
  /** The texts of style sheets that scripts have added, by name. */
  readonly sheets: Readonly<Record<string, string>>;
  /** The globals of the page's scripts. Reading one is recorded. */
  readonly names: readonly string[];
  /** The URLs of linked style sheets that are the same in the previous page, whose elements can be reused. */
  readonly reusableSheets: readonly string[];
}

/** A frame that must be filled. `taskwrightFrames` has the elements in this order. */
export interface FrameToFill {
  /** Null for a frame of another site, whose document is `remote` of the recording. */
  readonly document: RecordedDocument | null;
  readonly remote: number | null;
}

/**
 * Runs in an empty page without scripts: replaces its document by the recorded one. Creates every node separately,
 * because HTML cannot express every tree. Resolves when the style sheets have loaded.
 */
export async function rebuildDocument(
  { json, sheets, names, reusableSheets: kept }: Rebuilding,
  plain: Plain,
): Promise<readonly FrameToFill[]> {
  /** The page, which may still contain the previous snapshot. */
  const page = plain(document);
  const recorded = JSON.parse(json) as RecordedDocument;
  const HTML = 'http://www.w3.org/1999/xhtml';
  const NAMESPACES: Readonly<Record<string, string>> = {
    svg: 'http://www.w3.org/2000/svg',
    math: 'http://www.w3.org/1998/Math/MathML',
  };
  const ATTRIBUTES: Readonly<Record<string, string>> = {
    xlink: 'http://www.w3.org/1999/xlink',
    xml: 'http://www.w3.org/XML/1998/namespace',
    xmlns: 'http://www.w3.org/2000/xmlns/',
  };
  /** The time limit for loading, in ms. Everything comes from the recording, so it is short. */
  const MAX_LOAD_MS = 1000;
  const frames: Element[] = [];
  const fill: FrameToFill[] = [];
  const loading: Promise<void>[] = [];
  /** Reused elements of the previous page, by their recorded nodes in this one. */
  const reused = new Map<RecordedNode, Element>();
  /** Links that the next page can reuse. */
  const links: HTMLLinkElement[] = [];
  const linked: { readonly element: HTMLLinkElement; readonly came: Promise<void> }[] = [];
  /** Work to do after the tree is complete, and work to do at the very end. */
  const then: (() => void)[] = [];
  const last: (() => void)[] = [];

  // A script that the parser made in a fragment never runs; that the policy forbids it would be reported each time.
  const fragment = create('template');
  fragment.innerHTML = '<script></script>';
  const spent = fragment.content.firstChild as Element;

  /** Creates an HTML element. A frame may show a document of another type, in which `createElement` creates others. */
  function create<Tag extends string>(tag: Tag): Tag extends 'template' ? HTMLTemplateElement : HTMLElement;
  function create(tag: string): HTMLElement {
    return page.contentType === 'text/html'
      ? page.createElement(tag)
      : (page.createElementNS(HTML, tag) as HTMLElement);
  }

  function sheetsOf(wanted: readonly string[] | undefined): CSSStyleSheet[] {
    return (wanted ?? []).map((name) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(sheets[name] ?? '');
      return sheet;
    });
  }

  function setAttribute(given: Element, name: string, value: string): void {
    const element = plain(given);
    const [prefix = '', local] = name.split(':');
    try {
      if (local !== undefined && ATTRIBUTES[prefix] !== undefined)
        element.setAttributeNS(ATTRIBUTES[prefix], name, value);
      else element.setAttribute(name, value);
    } catch {
      // Only the parser accepts names such as `@click`. In a template, nothing it creates is active.
      const made = create('template');
      made.innerHTML = `<i ${name}></i>`;
      const attribute = made.content.firstElementChild?.attributes[0];
      if (!attribute) return;
      attribute.ownerElement?.removeAttributeNode(attribute);
      attribute.value = value;
      element.setAttributeNode(attribute);
    }
  }

  function build(node: RecordedNode): Node {
    if (typeof node === 'string') return page.createTextNode(node);
    if ('comment' in node) return page.createComment(node.comment);
    return buildElement(node);
  }

  function buildElement([tag, attributes, children, more]: RecordedElement): Element {
    const ns = more?.ns;
    const element =
      ns !== undefined
        ? page.createElementNS(NAMESPACES[ns] ?? ns, tag)
        : tag === 'script'
          ? (spent.cloneNode() as Element)
          : create(tag);
    const isFrame = more?.frame !== undefined || more?.remote !== undefined;
    dress(element, attributes);
    if (element instanceof HTMLLinkElement && element.relList.contains('stylesheet')) {
      const came = new Promise<void>((resolve) => {
        element.addEventListener('load', () => resolve());
        element.addEventListener('error', () => resolve());
      });
      linked.push({ element, came });
      if (more === undefined) links.push(element);
    }
    for (const child of children) plain(element).append(build(child));
    if (element instanceof HTMLTemplateElement) {
      for (const child of more?.template ?? []) element.content.append(build(child));
    }
    if (isFrame) {
      frames.push(element);
      fill.push({ document: more?.frame ?? null, remote: more?.remote ?? null });
    }
    if (more !== undefined) bring(element, more);
    return element;
  }

  function dress(element: Element, attributes: readonly string[]): void {
    for (let index = 0; index + 1 < attributes.length; index += 2) {
      const name = attributes[index] ?? '';
      const value = attributes[index + 1] ?? '';
      // The rules come from the recording, whose text differs from that of the file.
      if (name === 'integrity') last.push(() => plain(element).setAttribute(name, value));
      // It would navigate, or forbid what is needed to restore the page.
      else if (name === 'http-equiv' && /^(?:refresh|content-security-policy)$/i.test(value)) continue;
      else setAttribute(element, name, value);
    }
  }

  /**
   * Finds reusable elements: linked style sheets in the head, which would be requested again, and the head and the
   * root, which are like new without attributes and children.
   */
  function keepLinks(): void {
    const before = globalThis as { taskwrightLinks?: readonly HTMLLinkElement[] };
    const { documentElement: oldRoot, head: oldHead } = page;
    const root = recorded.children.find(isElement('html'));
    const head = root?.[2].find(isElement('head'));
    if (kept.length === 0 || root === undefined || head === undefined || oldHead?.parentNode !== oldRoot) return;
    if (page.querySelector('base') !== null || head[2].some(isElement('base'))) return;
    const usable = (before.taskwrightLinks ?? []).filter(
      (link) => link.parentNode === oldHead && link.sheet?.href === link.href && kept.includes(link.href),
    );
    for (const node of head[2]) {
      if (!isElement('link')(node) || node.length > 3) continue;
      const at = usable.findIndex((link) => isDressed(link, node[1]));
      if (at < 0) continue;
      reused.set(node, usable[at] as HTMLLinkElement);
      links.push(usable[at] as HTMLLinkElement);
      // The order must not change.
      usable.splice(0, at + 1);
    }
    if (reused.size === 0) return;
    const staying = new Set<Node>(reused.values());
    for (const [parent, one] of [
      [document, oldRoot],
      [oldRoot, oldHead],
    ] as const) {
      for (const child of [...plain(parent).childNodes]) if (child !== one) child.remove();
    }
    for (const child of [...oldHead.childNodes]) if (!staying.has(child)) child.remove();
    for (const element of [oldRoot, oldHead]) {
      for (const { name } of [...element.attributes]) element.removeAttribute(name);
    }
    reused.set(root, oldRoot).set(head, oldHead);
  }

  function isElement(tag: string): (node: RecordedNode) => node is RecordedElement {
    return (node): node is RecordedElement =>
      typeof node !== 'string' && !('comment' in node) && node[0] === tag && node[3]?.ns === undefined;
  }

  function isDressed(element: Element, attributes: readonly string[]): boolean {
    const has = [...element.attributes].flatMap(({ name, value }) => [name, value]);
    return has.length === attributes.length && has.every((text, index) => text === attributes[index]);
  }

  /** Adds nodes to a parent that contains only reused nodes. */
  function place(parent: Document | Element, nodes: readonly RecordedNode[]): void {
    let next = plain(parent).firstChild;
    for (const node of nodes) {
      const there = reused.get(node);
      if (there === undefined) {
        // A document cannot contain white space outside of the root element.
        if (parent !== document || typeof node !== 'string') plain(parent).insertBefore(build(node), next);
        continue;
      }
      next = there.nextSibling;
      if (links.includes(there as HTMLLinkElement)) continue;
      const [, attributes, children, more] = node as RecordedElement;
      dress(there, attributes);
      place(there, children);
      if (more !== undefined) bring(there, more);
    }
  }

  /** Sets the state that markup does not express. */
  function bring(element: Element, more: RecordedMore): void {
    const { shadow, scroll, rules, canvas } = more;
    if (shadow) {
      const root = element.attachShadow({
        mode: 'open',
        delegatesFocus: shadow.delegatesFocus ?? false,
        slotAssignment: shadow.manual ? 'manual' : 'named',
      });
      for (const child of shadow.children) root.append(build(child));
      root.adoptedStyleSheets = sheetsOf(shadow.sheets);
    }
    then.push(() => bringState(element, more));
    if (rules) {
      then.push(() => {
        const { sheet } = element as HTMLStyleElement;
        if (!sheet) return;
        while (sheet.cssRules.length > 0) sheet.deleteRule(0);
        for (const rule of rules) sheet.insertRule(rule, sheet.cssRules.length);
      });
    }
    if (more.off) {
      last.push(() => {
        const { sheet } = element as HTMLStyleElement;
        if (sheet) sheet.disabled = true;
      });
    }
    if (canvas !== undefined) {
      const picture = new Image();
      picture.src = canvas;
      const drawn = picture
        .decode()
        .then(() => (element as HTMLCanvasElement).getContext('2d')?.drawImage(picture, 0, 0));
      loading.push(
        drawn.then(
          () => undefined,
          () => undefined,
        ),
      );
    }
    if (more.modal)
      then.push(() => {
        element.removeAttribute('open');
        (element as HTMLDialogElement).showModal();
      });
    if (more.popover) then.push(() => (element as HTMLElement).showPopover());
    if (more.focus) last.push(() => plain(element as HTMLElement).focus({ preventScroll: true }));
    if (scroll) last.push(() => plain(element).scrollTo({ left: scroll[0], top: scroll[1], behavior: 'instant' }));
  }

  function bringState(element: Element, more: RecordedMore): void {
    const { value, checked, indeterminate, selected, files } = more;
    const field = element as HTMLInputElement;
    if (value !== undefined) field.value = value;
    if (checked !== undefined) field.checked = checked;
    if (indeterminate) field.indeterminate = true;
    if (selected) {
      const chosen = new Set(selected);
      const list = element as HTMLSelectElement;
      for (const option of list.options) if (list.multiple) option.selected = chosen.has(option.index);
      if (!list.multiple) list.selectedIndex = selected[0] ?? -1;
    }
    if (files) {
      const transfer = new DataTransfer();
      for (const name of files) transfer.items.add(new File([], name));
      field.files = transfer.files;
    }
  }

  const before = globalThis as { taskwrightNames?: readonly string[] };
  for (const name of before.taskwrightNames ?? []) Reflect.deleteProperty(globalThis, name);
  keepLinks();
  if (reused.size === 0) page.replaceChildren();
  page.adoptedStyleSheets = [];
  place(document, recorded.children);
  if (recorded.doctype) {
    const [name, publicId, systemId] = recorded.doctype;
    page.prepend(page.implementation.createDocumentType(name, publicId, systemId));
  }
  page.adoptedStyleSheets = sheetsOf(recorded.sheets);
  try {
    for (const storage of [localStorage, sessionStorage]) if (storage.length > 0) storage.clear();
    for (const [key, value] of Object.entries(recorded.storage?.local ?? {})) localStorage.setItem(key, value);
    for (const [key, value] of Object.entries(recorded.storage?.session ?? {})) sessionStorage.setItem(key, value);
  } catch {
    // A page without an origin has no storage.
  }
  for (const { element, came } of linked) {
    if (element.isConnected && !element.disabled && element.href !== '' && !element.sheet) loading.push(came);
  }
  const late = new Promise((resolve) => setTimeout(resolve, MAX_LOAD_MS));
  if (loading.length > 0) await Promise.race([Promise.all(loading), late]);
  for (const act of [...then, ...last]) {
    try {
      act();
    } catch {
      // The element does not accept this state. It stays as it is.
    }
  }
  const { scroll } = recorded;
  // The scroll position of the previous page may still be in effect.
  const [left, top] = scroll ?? [0, 0];
  page.scrollingElement?.scrollTo({ left, top, behavior: 'instant' });
  const asked: string[] = [];
  Object.assign(globalThis, {
    taskwrightFrames: frames,
    taskwrightAsked: asked,
    taskwrightNames: names,
    taskwrightLinks: links,
  });
  for (const name of names) {
    const ask = (): undefined => {
      asked.push(name);
    };
    try {
      Object.defineProperty(globalThis, name, { configurable: true, get: ask, set: () => undefined });
    } catch {
      // The browser defines this name.
    }
  }
  return fill;
}
