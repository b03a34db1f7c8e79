/// <reference lib="dom" />
import type { Plain } from '../../../functions/page/plain.ts';

/** An element as it was when it was acted on, without the page. */
export interface PlainElement {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
  /** Which of `STATES` it was in; absent where it was in none. */
  readonly states?: readonly string[];
}

/** One element of the way from the element acted on to the root, with the siblings around it. */
export interface ChainLink extends PlainElement {
  readonly before: readonly PlainElement[];
  readonly after: readonly PlainElement[];
  /** Tags of the siblings further away than those in `before` and `after`, in document order. */
  readonly far?: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** It is a direct child of a shadow root. */
  readonly shadow?: true;
}

/** Pseudo-classes that depend on the moment. All others follow from tags, attributes, and positions. */
export const STATES = [
  ...['checked', 'indeterminate', 'default', 'placeholder-shown', 'empty', 'autofill'],
  ...['valid', 'invalid', 'in-range', 'out-of-range', 'user-valid', 'user-invalid'],
  ...['focus', 'focus-visible', 'focus-within', 'hover', 'active', 'target'],
  ...['modal', 'open', 'popover-open', 'fullscreen', 'playing', 'paused'],
];

/** The selector with each pseudo-class of `STATES` as a word of an attribute, which `matchesChain` sets. */
export function withoutStates(selector: string, attribute: string): string {
  const part = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\\.|::?([a-z-]+)(?![\w(-])/gis;
  return selector.replace(part, (whole, name?: string) =>
    name !== undefined && !whole.startsWith('::') && STATES.includes(name.toLowerCase())
      ? `[${attribute}~="${name.toLowerCase()}"]`
      : whole,
  );
}

/** The arguments of `matchesChain`. */
export interface ChainQuestion {
  /** The element first, the root last. */
  readonly chain: readonly ChainLink[];
  readonly selector: string;
  /** The attribute that holds an element's states. */
  readonly attribute: string;
}

/** Runs in an empty page of ours: whether a selector matches the element of a chain, which is rebuilt apart from any page. */
export function matchesChain({ chain, selector, attribute }: ChainQuestion): boolean {
  const made = document.implementation.createHTMLDocument('');
  made.documentElement.remove();
  const build = (plain: PlainElement): Element => {
    const element = made.createElement(/^[a-z][^\s/>]*$/i.test(plain.tag) ? plain.tag : 'unknown');
    for (const [name, value] of plain.attributes) {
      try {
        element.setAttribute(name, value);
      } catch {
        // Names such as `@click` cannot be set by a script, and no selector asks for them.
      }
    }
    if (plain.states) element.setAttribute(attribute, plain.states.join(' '));
    return element;
  };
  const bare = (tag: string): Element => build({ tag, attributes: [] });
  let parent: Element | null = null;
  let target: Element | null = null;
  for (const link of [...chain].reverse()) {
    const element = build(link);
    const { before = [], after = [] } = link.far ?? {};
    const siblings = [
      ...before.map(bare),
      ...link.before.map(build),
      element,
      ...link.after.map(build),
      ...after.map(bare),
    ];
    // What stands in a form can hide its methods.
    if (parent) Element.prototype.append.apply(parent, siblings);
    else made.append(element);
    parent = element;
    target = element;
  }
  return target !== null && Element.prototype.matches.call(target, selector);
}

/** A step on the way from the root down to an element: its place among the children, in a shadow root or not. */
export interface WayStep {
  readonly at: number;
  readonly shadow: boolean;
}

/** The way from the root to the element of a chain. */
export function wayOf(chain: readonly ChainLink[]): readonly WayStep[] {
  return chain
    .toReversed()
    .map(({ before, far, shadow }) => ({ at: before.length + (far?.before.length ?? 0), shadow: shadow ?? false }));
}

/** Runs in a rebuilt page: the element at the end of a way that begins at the document; null where there is none. */
export function elementOnWay(way: readonly WayStep[], plain: Plain): Element | null {
  let element: Element | null = plain(document).documentElement;
  for (const { at, shadow } of way.slice(1)) {
    if (element === null) return null;
    const parent: ParentNode | null = shadow ? plain(element).shadowRoot : plain(element);
    element = parent?.children[at] ?? null;
  }
  return element;
}

/** Runs in a rebuilt page: whether an element has the tag and the attributes of a link. */
export function isLike(element: Element, link: ChainLink, plain: Plain): boolean {
  if (link.tag !== plain(element).localName) return false;
  return link.attributes.every(([name, value]) => plain(element).getAttribute(name)?.slice(0, 1000) === value);
}

/** Runs in a rebuilt page: whether a CSS selector matches an element. */
export function matchesSelector(element: Element, selector: string, plain: Plain): boolean {
  return plain(element).matches(selector);
}
