/** Playwright's selector engines; each may also be asked for without shadow roots (`css:light=`). */
const ENGINES = new Set(
  'css xpath text id role nth visible data-testid data-test-id data-test aria-ref _react _vue'.split(' '),
);

/** Says what is wrong with a selector (CSS, or Playwright's with its `engine=` prefix), or null. Asks no browser. */
export function selectorProblem(selector: string): string | null {
  if (selector.trim() === '') return 'the selector is empty';
  for (const part of parts(selector)) {
    const problem = partProblem(part.trim());
    if (problem) return problem;
  }
  return null;
}

/** `a >> b`: split outside of quotes, as Playwright does. */
function parts(selector: string): string[] {
  const found: string[] = [];
  let quote = '';
  let start = 0;
  for (let at = 0; at < selector.length; at++) {
    const char = selector.charAt(at);
    if (char === '\\') at++;
    else if (quote !== '') quote = char === quote ? '' : quote;
    else if (char === '"' || char === "'" || char === '`') {
      // In a text such as `text=it's` a quote in the middle is a letter.
      if (!/^\s*[\w-]+=[^"'`]/.test(selector.slice(start, at + 1))) quote = char;
    } else if (selector.startsWith('>>', at)) {
      found.push(selector.slice(start, at));
      at++;
      start = at + 1;
    }
  }
  found.push(selector.slice(start));
  return found;
}

function partProblem(part: string): string | null {
  if (part === '') return 'a part between two >> is empty';
  const engine = /^\*?([\w:+-]+)\s*=(.*)$/s.exec(part);
  if (engine) {
    const [, name = '', body = ''] = engine;
    if (name.startsWith('internal:')) return null;
    const plain = name.replace(/:light$/, '');
    if (!ENGINES.has(plain)) return `there is no selector engine \`${name}\``;
    if (plain === 'css') return new CssReader(body).problem();
    return null;
  }
  const quoted = /^(["']).*\1$/s.test(part) && part.length > 1;
  if (quoted || /^\(*\/\//.test(part) || part.startsWith('..')) return null;
  return new CssReader(part).problem();
}

class SelectorError extends Error {}

const NAME =
  /-?(?:[\p{L}_\u0080-\u{10ffff}]|\\[^\n])(?:[\w\u0080-\u{10ffff}-]|\\[^\n])*|--(?:[\w\u0080-\u{10ffff}-]|\\[^\n])*/uy;
/** Pseudo-classes whose arguments are selectors. */
const OF_SELECTORS = new Set(['is', 'not', 'where', 'has', 'matches']);

/** Reads CSS selectors by their grammar, just to find where they break it. */
class CssReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  problem(): string | null {
    try {
      this.#list(false);
      if (this.#at < this.#text.length) this.#fail();
      return null;
    } catch (error) {
      if (error instanceof SelectorError) return error.message;
      throw error;
    }
  }

  #fail(message?: string): never {
    const found = this.#text.charAt(this.#at);
    throw new SelectorError(
      message ??
        (found === '' ? 'the selector ends too early' : `\`${found}\` at position ${this.#at} is not expected`),
    );
  }

  get #char(): string {
    return this.#text.charAt(this.#at);
  }

  #space(): boolean {
    const found = /(?:\s|\/\*[\s\S]*?\*\/)*/y;
    found.lastIndex = this.#at;
    const length = found.exec(this.#text)?.[0].length ?? 0;
    this.#at += length;
    return length > 0;
  }

  #name(): void {
    NAME.lastIndex = this.#at;
    const found = NAME.exec(this.#text);
    if (!found) this.#fail();
    this.#at += found[0].length;
  }

  /** `a, b`; with `relative` a combinator may stand first, as in `:has(> a)`. */
  #list(relative: boolean): void {
    do {
      this.#space();
      this.#complex(relative);
      this.#space();
    } while (this.#take(','));
  }

  #take(char: string): boolean {
    if (this.#char !== char) return false;
    this.#at++;
    return true;
  }

  #complex(relative: boolean): void {
    if (relative && '>+~'.includes(this.#char) && this.#char !== '') {
      this.#at++;
      this.#space();
    }
    this.#compound();
    for (;;) {
      const space = this.#space();
      const char = this.#char;
      if (char === '' || char === ',' || char === ')') return;
      if ('>+~'.includes(char)) {
        this.#at++;
        this.#space();
      } else if (!space) this.#fail();
      this.#compound();
    }
  }

  #compound(): void {
    const start = this.#at;
    if (this.#char === '*') this.#at++;
    else if (NAME_START.test(this.#char)) this.#name();
    for (;;) {
      if (this.#take('#') || this.#take('.')) this.#name();
      else if (this.#take('[')) this.#attribute();
      else if (this.#take(':')) this.#pseudo();
      else break;
    }
    if (this.#at === start) this.#fail();
  }

  #attribute(): void {
    this.#space();
    this.#name();
    this.#space();
    if (this.#take(']')) return;
    if ('~|^$*'.includes(this.#char) && this.#char !== '') this.#at++;
    if (!this.#take('=')) this.#fail();
    this.#space();
    if (this.#char === '"' || this.#char === "'") this.#string();
    else this.#name();
    if (this.#space() && /[is]/i.test(this.#char)) {
      this.#at++;
      this.#space();
    }
    if (!this.#take(']')) this.#fail(this.#char === '' ? 'a `[` is not closed' : undefined);
  }

  #string(): void {
    const quote = this.#char;
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      if (this.#char === '\\') this.#at++;
      else if (this.#char === quote) {
        this.#at++;
        return;
      }
    }
    this.#fail('a quote is not closed');
  }

  #pseudo(): void {
    if (this.#char === ':') this.#fail('a pseudo-element (`::`) is no element');
    const start = this.#at;
    this.#name();
    const name = this.#text.slice(start, this.#at).toLowerCase();
    if (!this.#take('(')) return;
    if (OF_SELECTORS.has(name)) {
      this.#space();
      this.#list(name === 'has');
      this.#space();
      if (!this.#take(')')) this.#fail(this.#char === '' ? 'a `(` is not closed' : undefined);
      return;
    }
    this.#space();
    if (this.#char === ')') this.#fail(`\`:${name}()\` needs an argument`);
    let depth = 1;
    for (; this.#at < this.#text.length; this.#at++) {
      if (this.#char === '\\') this.#at++;
      else if (this.#char === '"' || this.#char === "'") {
        this.#string();
        this.#at--;
      } else if (this.#char === '(') depth++;
      else if (this.#char === ')' && --depth === 0) {
        this.#at++;
        return;
      }
    }
    this.#fail('a `(` is not closed');
  }
}

const NAME_START = /[-\p{L}_\\\u0080-\u{10ffff}]/u;
