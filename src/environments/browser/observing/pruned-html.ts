import { strip } from '../../../python/strip.ts';
import type { Task } from '../../../tasks/task.ts';
import type { DomSnapshot } from './dom-snapshot.ts';

/** An element that is printed. */
interface Element {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (Element | string)[];
}

type Nodes = DomSnapshot['documents'][number]['nodes'];
type Rare = { readonly index: readonly number[]; readonly value: readonly number[] };

/** Types of DOM nodes. */
const ELEMENT = 1;
const TEXT = 3;
const FRAGMENT = 11;

/** Elements without an end tag, as Beautiful Soup prints them. */
const VOID = new Set(
  `area base basefont bgsound br col command embed frame hr image img input isindex keygen link menuitem meta nextid
  param source spacer track wbr`.split(/\s+/),
);
/** Elements whose white space is kept. */
const LITERAL = new Set(['pre', 'textarea']);
const REMOVED = new Set(['style', 'link', 'script', 'br']);
/** Of these only the content is printed. */
const DOCUMENT = new Set(['html', 'body']);
/** Of these only the content is printed if they have no attribute but their id. */
const STRUCTURE = new Set(['div', 'span', 'i', 'p']);
/** Attributes that are lists of words: of all elements, and of some. */
const WORD_LISTS = new Set(
  `class accesskey dropzone a.rel a.rev area.rel form.accept-charset iframe.sandbox object.archive output.for td.headers
  th.headers`.split(/\s+/),
);

export interface PrunedHtmlOptions {
  /** The id of an element by its backend node id. */
  bidOf(backendNodeId: number): string | undefined;
  /** Whether the values of password fields are printed. */
  readonly passwords: boolean;
}

/**
 * Prints a page as `pruned_html` of OpenEnv's `browsergym_env`: the DOM with the ids of elements and the current values of
 * controls, without scripts, styles, and elements that only give structure. Beautiful Soup
 * parses and prints it twice there, so attributes are sorted, and text is stripped.
 */
export function prunedHtml(snapshot: DomSnapshot, options: PrunedHtmlOptions): string {
  const pieces: string[] = [];
  for (const node of contentOf(snapshot, 0, options)) print(node, 0, false, pieces);
  return pieces.join('');
}

/**
 * Whether the values of password fields are printed: as in BrowserGym, unless the agent types placeholders there, whose values
 * it must not know.
 */
export function showsPasswords({ env, sensitive_data: sensitive }: Task): boolean {
  return env.type === 'browsergym' && Object.keys(sensitive).length === 0;
}

/** The pruned content of a document and its frames. */
function contentOf(snapshot: DomSnapshot, document: number, options: PrunedHtmlOptions): readonly (Element | string)[] {
  const nodes = snapshot.documents[document]?.nodes;
  if (nodes === undefined) return [];
  const dom = new SnapshotNodes(snapshot.strings, nodes);

  const elementOf = (node: number, literal: boolean): readonly (Element | string)[] => {
    const name = dom.name(node);
    if (REMOVED.has(name)) return [];
    const frame = dom.frame(node);
    const content = [
      ...(frame === undefined ? [] : contentOf(snapshot, frame, options)),
      ...contentIn(node, literal || LITERAL.has(name)),
    ];
    if (DOCUMENT.has(name)) return content;
    const attributes = dom.liveAttributes(node, options.passwords);
    const bid = options.bidOf(nodes.backendNodeId?.[node] ?? -1);
    if (bid !== undefined && attributes.size === 0 && STRUCTURE.has(name)) return content;
    if (bid !== undefined) attributes.set('bid', bid);
    return [{ name, attributes, children: VOID.has(name) ? [] : content }];
  };

  const contentIn = (parent: number, literal: boolean): readonly (Element | string)[] => {
    const content: (Element | string)[] = [];
    let text = '';
    const endText = (): void => {
      const printable = literal ? text : strip(text);
      if (printable !== '') content.push(printable.replaceAll('\n', ' '));
      text = '';
    };
    for (const node of dom.children(parent)) {
      const type = dom.type(node);
      // A pseudo-element has no valid tag, so it is text. Texts around a comment count as one text.
      if (type === TEXT) text += dom.value(node);
      else if (type === ELEMENT && dom.name(node).startsWith('::')) text += `<${dom.name(node)}>`;
      else if (type === ELEMENT || type === FRAGMENT) {
        endText();
        content.push(...(type === ELEMENT ? elementOf(node, literal) : contentIn(node, literal)));
      }
    }
    endText();
    return content;
  };
  return contentIn(0, false);
}

/** The nodes of one document of a snapshot, by their index. */
class SnapshotNodes {
  readonly #strings: readonly string[];
  readonly #nodes: Nodes;
  readonly #children: readonly number[][];
  readonly #typedValues: ReadonlyMap<number, string>;
  readonly #checkedInputs: ReadonlySet<number>;
  readonly #selectedOptions: ReadonlySet<number>;

  constructor(strings: readonly string[], nodes: Nodes) {
    this.#strings = strings;
    this.#nodes = nodes;
    this.#children = (nodes.nodeType ?? []).map(() => []);
    nodes.parentIndex?.forEach((parent, node) => {
      this.#children[parent]?.push(node);
    });
    const texts = (rare: Rare | undefined) =>
      (rare?.index ?? []).map((node, at) => [node, this.#text(rare?.value[at])] as const);
    this.#typedValues = new Map([...texts(nodes.inputValue), ...texts(nodes.textValue)]);
    this.#checkedInputs = new Set(nodes.inputChecked?.index);
    this.#selectedOptions = new Set(nodes.optionSelected?.index);
  }

  children(node: number): readonly number[] {
    return this.#children[node] ?? [];
  }

  type(node: number): number {
    return this.#nodes.nodeType?.[node] ?? 0;
  }

  name(node: number): string {
    return this.#text(this.#nodes.nodeName?.[node]).toLowerCase();
  }

  value(node: number): string {
    return this.#text(this.#nodes.nodeValue?.[node]);
  }

  /** The document in a frame. */
  frame(node: number): number | undefined {
    const { index = [], value = [] } = this.#nodes.contentDocumentIndex ?? {};
    const at = index.indexOf(node);
    return at < 0 ? undefined : value[at];
  }

  /** The attributes of an element, with `value` and `checked` as they are now. */
  liveAttributes(node: number, passwords: boolean): Map<string, string> {
    const name = this.name(node);
    const attributes = this.#attributes(node);
    const value = this.#liveValue(node, name, attributes);
    const hidden = !passwords && name === 'input' && attributes.get('type')?.toLowerCase() === 'password';
    if (value !== undefined) attributes.set('value', hidden ? '•'.repeat(value.length) : value);
    if (name === 'input') {
      attributes.delete('checked');
      if (this.#checkedInputs.has(node)) attributes.set('checked', '');
    }
    for (const [key, text] of attributes) {
      const isList = WORD_LISTS.has(key) || WORD_LISTS.has(`${name}.${key}`);
      attributes.set(key, isList ? (text.match(/\S+/g) ?? []).join(' ') : text.replaceAll('\n', ' '));
    }
    return attributes;
  }

  #attributes(node: number): Map<string, string> {
    const pairs = this.#nodes.attributes?.[node] ?? [];
    const attributes = new Map<string, string>();
    for (let i = 0; i + 1 < pairs.length; i += 2)
      attributes.set(this.#text(pairs[i]).toLowerCase(), this.#text(pairs[i + 1]));
    return attributes;
  }

  /** The property `value` of an element; undefined if it has none. */
  #liveValue(node: number, name: string, attributes: ReadonlyMap<string, string>): string | undefined {
    const attribute = attributes.get('value');
    switch (name) {
      case 'input': {
        const usual = /^(checkbox|radio)$/i.test(attributes.get('type') ?? '') ? 'on' : '';
        return this.#typedValues.get(node) ?? attribute ?? usual;
      }
      case 'textarea':
        return this.#typedValues.get(node) ?? '';
      case 'select': {
        const selection = this.#options(node).find((option) => this.#selectedOptions.has(option));
        return selection === undefined ? '' : this.#optionValue(selection);
      }
      case 'option':
        return this.#optionValue(node);
      case 'button':
      case 'data':
      case 'param':
        return attribute ?? '';
      case 'output':
        return this.#content(node);
      case 'li':
        return String(Number.parseInt(attribute ?? '', 10) || 0);
      case 'meter':
      case 'progress':
        return String(Number.parseFloat(attribute ?? '') || 0);
      default:
        return undefined;
    }
  }

  #options(node: number): readonly number[] {
    return this.children(node).flatMap((child) => (this.name(child) === 'option' ? [child] : this.#options(child)));
  }

  #optionValue(option: number): string {
    const text = (): string =>
      this.#content(option)
        .replace(/[\t\n\f\r ]+/g, ' ')
        .trim();
    return this.#attributes(option).get('value') ?? text();
  }

  #content(node: number): string {
    return this.type(node) === TEXT
      ? this.value(node)
      : this.children(node)
          .map((child) => this.#content(child))
          .join('');
  }

  #text(index: number | undefined): string {
    return this.#strings[index ?? -1] ?? '';
  }
}

/** Prints as `prettify` of Beautiful Soup does: a line for each tag and each text, but literal elements as they are. */
function print(node: Element | string, depth: number, literal: boolean, pieces: string[]): void {
  const put = (text: string, before: boolean, after: boolean): void => {
    pieces.push(`${before ? ' '.repeat(depth) : ''}${text}${after ? '\n' : ''}`);
  };
  if (typeof node === 'string') {
    put(escapeText(node), !literal, !literal);
    return;
  }
  const { name, attributes, children } = node;
  const pairs = [...attributes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const start = [name, ...pairs.map(([key, value]) => `${key}=${quoteValue(value)}`)].join(' ');
  if (VOID.has(name)) {
    put(`<${start}/>`, !literal, !literal);
    return;
  }
  const within = literal || LITERAL.has(name);
  put(`<${start}>`, !literal, !within);
  for (const child of children) print(child, depth + 1, within, pieces);
  put(`</${name}>`, !within, !literal);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function quoteValue(value: string): string {
  const text = escapeText(value);
  if (!text.includes('"')) return `"${text}"`;
  return text.includes("'") ? `"${text.replaceAll('"', '&quot;')}"` : `'${text}'`;
}
