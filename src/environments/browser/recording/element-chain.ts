/** A recorded element without its page. */
export interface PlainElement {
  readonly tag: string;
  readonly attributes: readonly (readonly [string, string])[];
  /** Which of `STATES` matched; undefined if none. */
  readonly states?: readonly string[];
}

/** An element on the path from the target of an action to the root, with adjacent siblings. */
export interface ChainLink extends PlainElement {
  readonly before: readonly PlainElement[];
  readonly after: readonly PlainElement[];
  /** The tags of more distant siblings than those in `before` and `after`, in document order. */
  readonly far?: { readonly before: readonly string[]; readonly after: readonly string[] };
  /** Whether it is a child of a shadow root. */
  readonly shadow?: true;
}

/** Pseudo-classes that depend on the state of the page. All others depend on tags, attributes, and positions only. */
export const STATES = [
  ...['checked', 'indeterminate', 'default', 'placeholder-shown', 'empty', 'autofill'],
  ...['valid', 'invalid', 'in-range', 'out-of-range', 'user-valid', 'user-invalid'],
  ...['focus', 'focus-visible', 'focus-within', 'hover', 'active', 'target'],
  ...['modal', 'open', 'popover-open', 'fullscreen', 'playing', 'paused'],
];

/** Replaces each pseudo-class of `STATES` in a selector by a word in an attribute, which `matchesChain` sets. */
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

/** A step of the path from the root to an element: the index of the child, in a shadow root or not. */
export interface PathStep {
  readonly at: number;
  readonly shadow: boolean;
}

/** The path from the root to the element of a chain. */
export function pathOf(chain: readonly ChainLink[]): readonly PathStep[] {
  return chain
    .toReversed()
    .map(({ before, far, shadow }) => ({ at: before.length + (far?.before.length ?? 0), shadow: shadow ?? false }));
}
