/// <reference lib="dom" />
import type { RecordedMore } from '../../../recorded.ts';

/** What is collected while a document is recorded. */
export interface Capture {
  readonly gaps: Set<string>;
  readonly styles: Record<string, string>;
  readonly frames: Element[];
}

/** Up to this number of rules, all are serialized each time to detect changes. */
const FEW_RULES = 40;

/** The style sheets of a document and its frames, each of whose texts is returned once. */
export class StyleSheets {
  /** The prefix of their names. */
  readonly #prefix: string;
  readonly #storedSheets = new WeakMap<CSSStyleSheet, { name: string; count: number; text: string }>();
  readonly #styleElements = new WeakMap<CSSStyleSheet, { text: string; count: number; isSame: boolean }>();
  #count = 0;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The names of the style sheets that scripts have added to a document or a shadow root. */
  adoptedNames(root: DocumentOrShadowRoot, sheetNames: Record<string, string>, capture: Capture): string[] {
    return Array.from(root.adoptedStyleSheets).flatMap((sheet) => this.#store(sheet, sheetNames, capture) ?? []);
  }

  /** The state of a `<style>` or `<link>` element. `sheetNames` gets the names of linked and imported style sheets, by URL. */
  stateOf(
    element: HTMLStyleElement | HTMLLinkElement,
    sheetNames: Record<string, string>,
    capture: Capture,
  ): RecordedMore {
    const { sheet } = element;
    if (!sheet) return {};
    const off = sheet.disabled && !element.hasAttribute('disabled') ? { off: true as const } : {};
    if (element instanceof HTMLLinkElement) {
      const name = this.#store(sheet, sheetNames, capture);
      if (name !== null && sheet.href !== null) sheetNames[sheet.href] = name;
      return off;
    }
    this.#storeImports(sheet.cssRules, sheetNames, capture);
    const rules = this.#changedRules(sheet, element.textContent ?? '');
    return rules === null ? off : { ...off, rules };
  }

  /** The name of a style sheet, whose text is returned the first time; null if the browser hides the rules. */
  #store(sheet: CSSStyleSheet, sheetNames: Record<string, string>, capture: Capture): string | null {
    let rules: CSSRuleList;
    try {
      rules = sheet.cssRules;
    } catch {
      capture.gaps.add(`the style sheet ${sheet.href} of another site`);
      return null;
    }
    this.#storeImports(rules, sheetNames, capture);
    let entry = this.#storedSheets.get(sheet);
    const text = entry?.count === rules.length && rules.length > FEW_RULES ? entry.text : textOf([...rules]);
    if (entry?.text !== text) {
      entry = { name: `${this.#prefix}${this.#count++}`, count: rules.length, text };
      this.#storedSheets.set(sheet, entry);
      capture.styles[entry.name] = text;
    }
    return entry.name;
  }

  #storeImports(rules: CSSRuleList, sheetNames: Record<string, string>, capture: Capture): void {
    for (const rule of rules) {
      if (!(rule instanceof CSSImportRule)) continue;
      const name = rule.styleSheet && this.#store(rule.styleSheet, sheetNames, capture);
      if (name && rule.styleSheet?.href) sheetNames[rule.styleSheet.href] = name;
    }
  }

  /** The rules of a style element if a script has changed them; null if they are those of its text. */
  #changedRules(sheet: CSSStyleSheet, text: string): string[] | null {
    const rules = [...sheet.cssRules];
    let state = this.#styleElements.get(sheet);
    if (state?.text !== text || state.count !== rules.length || rules.length <= FEW_RULES) {
      const original = new CSSStyleSheet();
      original.replaceSync(text);
      // A constructed style sheet does not support @import.
      const comparable = rules.filter((rule) => !(rule instanceof CSSImportRule));
      state = { text, count: rules.length, isSame: textOf(comparable) === textOf([...original.cssRules]) };
      this.#styleElements.set(sheet, state);
    }
    return state.isSame ? null : rules.map((rule) => rule.cssText);
  }
}

function textOf(rules: readonly CSSRule[]): string {
  return rules.map((rule) => rule.cssText).join('\n');
}
