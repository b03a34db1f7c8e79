/// <reference lib="dom" />
import type { Plain } from '../../../../functions/page/plain.ts';
import type { RecordedDocument, RecordedElement, RecordedMore, RecordedNode } from '../../../recorded.ts';

/** The result of `captureDocument`, besides the document itself. */
export interface Captured {
  readonly title: string;
  readonly gaps: readonly string[];
  /** Style sheets that were not returned before, by name. */
  readonly styles: Readonly<Record<string, string>>;
  /** The number of frames of other sites, which are read separately. `taskwrightFrames` has their elements. */
  readonly frames: number;
}

/**
 * Runs in our isolated world, once per document, and returns a function that records the document. That function
 * returns the document and additional facts, both as JSON. `prefix`: the prefix for names of its style sheets, which is
 * unique among the documents of a task.
 */
export function captureDocument(prefix: string, plain: Plain): () => readonly [document: string, rest: string] {
  const HTML = 'http://www.w3.org/1999/xhtml';
  const NAMESPACES: Readonly<Record<string, string>> = {
    'http://www.w3.org/2000/svg': 'svg',
    'http://www.w3.org/1998/Math/MathML': 'math',
  };
  /** Up to this number of rules, all are serialized each time to detect changes. */
  const FEW_RULES = 40;
  const MAX_PIXELS = 4_000_000;
  const watched = new WeakSet<Node>();
  const scrolled = new WeakSet<Node>();
  const sheets = new WeakMap<CSSStyleSheet, { name: string; count: number; text: string }>();
  const written = new WeakMap<CSSStyleSheet, { text: string; count: number; same: boolean }>();
  let named = 0;

  return () => {
    const gaps = new Set<string>();
    const styles: Record<string, string> = {};
    const frames: Element[] = [];

    /** Tracks scrolled elements by events, because checking every element is slow. */
    function watch(root: Document | ShadowRoot): void {
      if (watched.has(root)) return;
      watched.add(root);
      const itself = plain(root);
      itself.addEventListener('scroll', ({ target }) => scrolled.add(target as Node), { capture: true, passive: true });
      for (const one of itself.querySelectorAll('*')) {
        const { scrollTop, scrollLeft } = plain(one);
        if (scrollTop !== 0 || scrollLeft !== 0) scrolled.add(one);
      }
    }

    function textOf(rules: CSSRuleList): string {
      return Array.from(rules, (rule) => rule.cssText).join('\n');
    }

    /** The name of a style sheet, whose text is returned the first time; null if the browser hides the rules. */
    function store(sheet: CSSStyleSheet, linked: Record<string, string>): string | null {
      let rules: CSSRuleList;
      try {
        rules = sheet.cssRules;
      } catch {
        gaps.add(`the style sheet ${sheet.href} of another site`);
        return null;
      }
      for (const rule of rules) {
        if (!(rule instanceof CSSImportRule)) continue;
        const inner = rule.styleSheet && store(rule.styleSheet, linked);
        if (inner && rule.styleSheet?.href) linked[rule.styleSheet.href] = inner;
      }
      let known = sheets.get(sheet);
      const text = known?.count === rules.length && rules.length > FEW_RULES ? known.text : textOf(rules);
      if (known?.text !== text) {
        known = { name: `${prefix}${named++}`, count: rules.length, text };
        sheets.set(sheet, known);
        styles[known.name] = text;
      }
      return known.name;
    }

    /** The rules of a style element if a script has changed them; null if they are those of its text. */
    function changedRules(sheet: CSSStyleSheet, text: string): string[] | null {
      const rules = sheet.cssRules;
      const known = written.get(sheet);
      let same = known?.same;
      if (known?.text !== text || known.count !== rules.length || rules.length <= FEW_RULES) {
        const plain = new CSSStyleSheet();
        plain.replaceSync(text);
        // A constructed style sheet does not support @import, which always comes first.
        const rest = Array.from(rules).filter((rule) => !(rule instanceof CSSImportRule));
        same =
          rest.length === plain.cssRules.length &&
          rest.map((rule) => rule.cssText).join('\n') === textOf(plain.cssRules);
        written.set(sheet, { text, count: rules.length, same });
      }
      return same === true ? null : Array.from(rules, (rule) => rule.cssText);
    }

    function styleOf(element: HTMLStyleElement | HTMLLinkElement, linked: Record<string, string>): RecordedMore {
      const { sheet } = element;
      if (!sheet) return {};
      const off = sheet.disabled && !element.hasAttribute('disabled') ? { off: true as const } : {};
      if (element instanceof HTMLLinkElement) {
        const name = store(sheet, linked);
        if (name !== null && sheet.href !== null) linked[sheet.href] = name;
        return off;
      }
      keepImports(sheet, linked);
      const rules = changedRules(sheet, element.textContent ?? '');
      return rules === null ? off : { ...off, rules };
    }

    function keepImports(sheet: CSSStyleSheet, linked: Record<string, string>): void {
      for (const rule of sheet.cssRules) {
        if (!(rule instanceof CSSImportRule)) return;
        const name = rule.styleSheet && store(rule.styleSheet, linked);
        if (name && rule.styleSheet?.href) linked[rule.styleSheet.href] = name;
      }
    }

    function ofInput(input: HTMLInputElement): RecordedMore {
      const more: RecordedMore = {};
      if (input.type === 'file') {
        if (input.files && input.files.length > 0) more.files = Array.from(input.files, (file) => file.name);
        return more;
      }
      if (input.type === 'checkbox' || input.type === 'radio') {
        if (input.checked !== input.defaultChecked) more.checked = input.checked;
        if (input.indeterminate) more.indeterminate = true;
      } else if (input.value !== input.defaultValue) more.value = input.value;
      return more;
    }

    function ofCanvas(canvas: HTMLCanvasElement): RecordedMore {
      if (canvas.width * canvas.height === 0) return {};
      if (canvas.width * canvas.height > MAX_PIXELS) gaps.add('the picture of a large canvas');
      else {
        try {
          return { canvas: canvas.toDataURL() };
        } catch {
          gaps.add('a canvas with pictures of another site');
        }
      }
      return {};
    }

    function ofFrame(frame: HTMLIFrameElement | HTMLFrameElement): RecordedMore {
      let inner: Document | null = null;
      try {
        inner = frame.contentDocument;
      } catch {
        // The style sheet is from another site.
      }
      if (inner && plain(inner).documentElement) return { frame: ofDocument(inner) };
      frames.push(frame);
      return { remote: frames.length - 1 };
    }

    function ofHtml(element: Element, linked: Record<string, string>): RecordedMore {
      switch (element.localName) {
        case 'input':
          return ofInput(element as HTMLInputElement);
        case 'textarea': {
          const { value, defaultValue } = element as HTMLTextAreaElement;
          return value === defaultValue ? {} : { value };
        }
        case 'select':
          return { selected: Array.from((element as HTMLSelectElement).selectedOptions, ({ index }) => index) };
        case 'style':
        case 'link':
          return styleOf(element as HTMLStyleElement | HTMLLinkElement, linked);
        case 'canvas':
          return ofCanvas(element as HTMLCanvasElement);
        case 'img': {
          const { naturalWidth, naturalHeight, currentSrc } = element as HTMLImageElement;
          return naturalWidth === 0 || currentSrc.startsWith('data:') ? {} : { image: [naturalWidth, naturalHeight] };
        }
        case 'iframe':
        case 'frame':
          return ofFrame(element as HTMLIFrameElement);
        case 'template':
          return { template: nodesOf((element as HTMLTemplateElement).content, linked) };
        case 'dialog':
          return element.matches(':modal') ? { modal: true } : {};
        case 'video':
        case 'audio':
        case 'object':
        case 'embed':
          gaps.add(`what <${element.localName}> shows`);
          return {};
        default:
          return {};
      }
    }

    function ofShadow(root: ShadowRoot, linked: Record<string, string>): RecordedMore {
      watch(root);
      const names = Array.from(root.adoptedStyleSheets).flatMap((sheet) => store(sheet, linked) ?? []);
      return {
        shadow: {
          children: nodesOf(root, linked),
          ...(names.length > 0 ? { sheets: names } : {}),
          ...(root.delegatesFocus ? { delegatesFocus: true } : {}),
          ...(root.slotAssignment === 'manual' ? { manual: true } : {}),
        },
      };
    }

    function elementOf(given: Element, linked: Record<string, string>): RecordedElement {
      const element = plain(given);
      const attributes: string[] = [];
      for (const { name, value } of element.attributes) attributes.push(name, value);
      const html = element.namespaceURI === HTML;
      let more: RecordedMore | null = null;
      const add = (facts: RecordedMore): void => {
        for (const _ in facts) {
          more = { ...more, ...facts };
          return;
        }
      };
      if (html) add(ofHtml(element, linked));
      else add({ ns: NAMESPACES[element.namespaceURI ?? ''] ?? element.namespaceURI ?? '' });
      if (element.shadowRoot) add(ofShadow(element.shadowRoot, linked));
      if (html && element.hasAttribute('popover') && element.matches(':popover-open')) add({ popover: true });
      if (scrolled.has(given) && (element.scrollTop !== 0 || element.scrollLeft !== 0)) {
        add({ scroll: [element.scrollLeft, element.scrollTop] });
      }
      const { activeElement } = plain(element.getRootNode() as Document | ShadowRoot);
      if (activeElement === given && given !== plain(element.ownerDocument).body) add({ focus: true });
      const children = nodesOf(given, linked);
      return more === null
        ? [element.localName, attributes, children]
        : [element.localName, attributes, children, more];
    }

    function nodesOf(parent: ParentNode, linked: Record<string, string>): RecordedNode[] {
      const nodes: RecordedNode[] = [];
      for (let node = plain(parent).firstChild; node; node = plain(node).nextSibling) {
        const { nodeType } = plain(node);
        if (nodeType === Node.ELEMENT_NODE) nodes.push(elementOf(node as Element, linked));
        else if (nodeType === Node.COMMENT_NODE) nodes.push({ comment: node.nodeValue ?? '' });
        else if (nodeType !== Node.DOCUMENT_TYPE_NODE) nodes.push(node.nodeValue ?? '');
      }
      return nodes;
    }

    function storageOf(of: Window): RecordedDocument['storage'] {
      try {
        const { localStorage, sessionStorage } = of;
        return localStorage.length + sessionStorage.length === 0
          ? undefined
          : { local: { ...localStorage }, session: { ...sessionStorage } };
      } catch {
        return undefined; // A page without an origin has none.
      }
    }

    function ofDocument(of: Document): RecordedDocument {
      watch(of);
      const linked: Record<string, string> = {};
      const itself = plain(of);
      const { doctype, scrollingElement, defaultView } = itself;
      const children = nodesOf(of, linked);
      const names = Array.from(itself.adoptedStyleSheets).flatMap((sheet) => store(sheet, linked) ?? []);
      const storage = defaultView === null ? undefined : storageOf(defaultView);
      const { scrollLeft = 0, scrollTop = 0 } = scrollingElement ?? {};
      return {
        url: itself.URL,
        doctype: doctype && [doctype.name, doctype.publicId, doctype.systemId],
        quirks: itself.compatMode !== 'CSS1Compat',
        children,
        ...(scrollLeft !== 0 || scrollTop !== 0 ? { scroll: [scrollLeft, scrollTop] } : {}),
        ...(names.length > 0 ? { sheets: names } : {}),
        ...(Object.keys(linked).length > 0 ? { linked } : {}),
        ...(storage === undefined ? {} : { storage }),
      };
    }

    const recorded = ofDocument(document);
    Object.assign(globalThis, { taskwrightFrames: frames });
    return [
      JSON.stringify(recorded),
      JSON.stringify({
        title: plain(document).title,
        gaps: [...gaps],
        styles,
        frames: frames.length,
      } satisfies Captured),
    ];
  };
}
