/// <reference lib="dom" />
import { plain } from '../../../../functions/page/plain.ts';
import type { RecordedDocument, RecordedElement, RecordedMore, RecordedNode } from '../../../recorded.ts';
import { drawCanvas, type LaterWork, restoreState } from './restore-state.ts';
import type { ReusedElements } from './reuse-elements.ts';

/** A frame that must be filled. `taskwrightFrames` has the elements in this order. */
export interface FrameToFill {
  /** Null for a frame of another site, whose document is `remote` of the recording. */
  readonly document: RecordedDocument | null;
  readonly remote: number | null;
}

const HTML = 'http://www.w3.org/1999/xhtml';
const NAMESPACES: Readonly<Record<string, string>> = {
  svg: 'http://www.w3.org/2000/svg',
  math: 'http://www.w3.org/1998/Math/MathML',
};
const ATTRIBUTE_NAMESPACES: Readonly<Record<string, string>> = {
  xlink: 'http://www.w3.org/1999/xlink',
  xml: 'http://www.w3.org/XML/1998/namespace',
  xmlns: 'http://www.w3.org/2000/xmlns/',
};

/** Builds the nodes of a recorded document, each one separately, because HTML cannot express every tree. */
export class NodeBuilder implements LaterWork {
  readonly frameElements: Element[] = [];
  readonly frames: FrameToFill[] = [];
  /** Links that the next page can reuse. */
  readonly links: HTMLLinkElement[];
  readonly afterTree: (() => void)[] = [];
  readonly atEnd: (() => void)[] = [];
  readonly #page = plain(document);
  readonly #reusedElements: ReusedElements;
  readonly #sheets: Readonly<Record<string, string>>;
  readonly #inertScript: Element;
  readonly #linkedSheets: { readonly element: HTMLLinkElement; readonly loading: Promise<void> }[] = [];
  readonly #pictures: Promise<void>[] = [];

  /** `sheets`: the texts of style sheets that scripts have added, by name. */
  constructor(sheets: Readonly<Record<string, string>>, reusedElements: ReusedElements) {
    this.#sheets = sheets;
    this.#reusedElements = reusedElements;
    this.links = [...reusedElements.links];
    // A script that the parser made in a fragment never runs; that the policy forbids it would be reported each time.
    const fragment = this.#create('template');
    fragment.innerHTML = '<script></script>';
    this.#inertScript = fragment.content.firstChild as Element;
  }

  /** Adds nodes to a parent that contains only reused nodes. */
  addNodes(parent: Document | Element, nodes: readonly RecordedNode[]): void {
    let next = plain(parent).firstChild;
    for (const node of nodes) {
      const element = this.#reusedElements.byNode.get(node);
      if (element === undefined) {
        // A document cannot contain white space outside of the root element.
        if (parent !== document || typeof node !== 'string') plain(parent).insertBefore(this.#build(node), next);
        continue;
      }
      next = element.nextSibling;
      if (this.links.includes(element as HTMLLinkElement)) continue;
      const [, attributes, children, more] = node as RecordedElement;
      this.#setAttributes(element, attributes);
      this.addNodes(element, children);
      if (more !== undefined) this.#addMore(element, more);
    }
  }

  sheetsOf(names: readonly string[] = []): CSSStyleSheet[] {
    return names.map((name) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(this.#sheets[name] ?? '');
      return sheet;
    });
  }

  /** Resolves when pictures and the style sheets that are used have loaded. */
  async load(): Promise<void> {
    const usedSheets = this.#linkedSheets.filter(
      ({ element }) => element.isConnected && !element.disabled && element.href !== '' && !element.sheet,
    );
    await Promise.all([...this.#pictures, ...usedSheets.map(({ loading }) => loading)]);
  }

  /** Creates an HTML element. A frame may show a document of another type, in which `createElement` creates others. */
  #create<Tag extends string>(tag: Tag): Tag extends 'template' ? HTMLTemplateElement : HTMLElement;
  #create(tag: string): HTMLElement {
    return this.#page.contentType === 'text/html'
      ? this.#page.createElement(tag)
      : (this.#page.createElementNS(HTML, tag) as HTMLElement);
  }

  #build(node: RecordedNode): Node {
    if (typeof node === 'string') return this.#page.createTextNode(node);
    if ('comment' in node) return this.#page.createComment(node.comment);
    return this.#buildElement(node);
  }

  #buildElement([tag, attributes, children, more]: RecordedElement): Element {
    const element = this.#createFor(tag, more?.ns);
    this.#setAttributes(element, attributes);
    if (element instanceof HTMLLinkElement && element.relList.contains('stylesheet')) {
      const loading = new Promise<void>((resolve) => {
        for (const event of ['load', 'error']) element.addEventListener(event, () => resolve());
      });
      this.#linkedSheets.push({ element, loading });
      if (more === undefined) this.links.push(element);
    }
    for (const child of children) plain(element).append(this.#build(child));
    if (more !== undefined) this.#addMore(element, more);
    return element;
  }

  #createFor(tag: string, namespace: string | undefined): Element {
    if (namespace !== undefined) return this.#page.createElementNS(NAMESPACES[namespace] ?? namespace, tag);
    return tag === 'script' ? (this.#inertScript.cloneNode() as Element) : this.#create(tag);
  }

  #setAttributes(element: Element, attributes: readonly string[]): void {
    for (let index = 0; index + 1 < attributes.length; index += 2) {
      const name = attributes[index] ?? '';
      const value = attributes[index + 1] ?? '';
      // The rules come from the recording, whose text differs from that of the file.
      if (name === 'integrity') this.atEnd.push(() => plain(element).setAttribute(name, value));
      // It would navigate, or forbid what is needed to restore the page.
      else if (name === 'http-equiv' && /^(?:refresh|content-security-policy)$/i.test(value)) continue;
      else this.#setAttribute(plain(element), name, value);
    }
  }

  #setAttribute(element: Element, name: string, value: string): void {
    const [prefix = '', local] = name.split(':');
    const namespace = local === undefined ? undefined : ATTRIBUTE_NAMESPACES[prefix];
    try {
      if (namespace !== undefined) element.setAttributeNS(namespace, name, value);
      else element.setAttribute(name, value);
    } catch {
      // Only the parser accepts names such as `@click`. In a template, nothing it creates is active.
      const template = this.#create('template');
      template.innerHTML = `<i ${name}></i>`;
      const attribute = template.content.firstElementChild?.attributes[0];
      if (!attribute) return;
      attribute.ownerElement?.removeAttributeNode(attribute);
      attribute.value = value;
      element.setAttributeNode(attribute);
    }
  }

  /** Adds what an element has besides attributes and children. */
  #addMore(element: Element, more: RecordedMore): void {
    const { shadow, template = [], frame = null, remote = null, canvas } = more;
    if (element instanceof HTMLTemplateElement) {
      for (const child of template) element.content.append(this.#build(child));
    }
    if (frame !== null || remote !== null) {
      this.frameElements.push(element);
      this.frames.push({ document: frame, remote });
    }
    if (shadow) {
      const root = element.attachShadow({
        mode: 'open',
        delegatesFocus: shadow.delegatesFocus ?? false,
        slotAssignment: shadow.manual ? 'manual' : 'named',
      });
      for (const child of shadow.children) root.append(this.#build(child));
      root.adoptedStyleSheets = this.sheetsOf(shadow.sheets);
    }
    if (canvas !== undefined) this.#pictures.push(drawCanvas(element as HTMLCanvasElement, canvas));
    restoreState(element, more, this);
  }
}
