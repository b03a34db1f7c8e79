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

/** Pseudo-classes that depend on the state of the page. All others follow from tags, attributes, and positions. */
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
