import { PatternCharacters } from './pattern-characters.ts';

/** A piece of the translation, with the smallest and the largest number of characters that it can match. */
interface Piece {
  readonly text: string;
  readonly min: number;
  readonly max: number;
  /** Whether it is a repeat without a limit, beside nothing that must match: repeated, it matches a text in very many ways. */
  readonly isElastic?: boolean;
  /** An anchor, which Python does not allow to be repeated. */
  readonly anchor?: boolean;
  /** Whether it matches the empty string last. Repeats of other pieces differ between the languages. */
  readonly emptyLast: boolean;
  /** Begins with a class that CPython treats as a narrower one at the beginning of a pattern. */
  readonly narrowed?: boolean;
}

type Flags = Readonly<Record<'i' | 'm' | 's' | 'x' | 'a', boolean>>;

/** The RegExp never gets the flag `m`, so these are the ends of the whole text. */
const START = '^';
const END = '$';

/** A piece that matches a position. */
function anchorPiece(text: string): Piece {
  return { text, min: 0, max: 0, anchor: true, emptyLast: true };
}

/** A piece that matches one character. */
function characterPiece(text: string, narrowed = false): Piece {
  return { text, min: 1, max: 1, emptyLast: true, narrowed };
}

/** The piece of a group that consumes no characters. */
function assertionPiece(group: Piece): Piece {
  return { ...group, min: 0, max: 0, emptyLast: true, narrowed: false, isElastic: false };
}

/** A pattern in JavaScript's notation. */
export interface TranslatedPattern {
  readonly pattern: string;
  readonly flags: string;
  /** Whether a repeat is in another one so that the time of a search can double with each character, as in `(a+)+`. */
  readonly hasNestedRepeats: boolean;
}

/** Translates a pattern of Python's module `re` into the source and flags of a RegExp. Throws PatternError. */
export function translatePattern(source: string, dotAll = false): TranslatedPattern {
  const translator = new Translator(source, dotAll);
  // Never with the flag `i`, because Python ignores case differently.
  const pattern = translator.translate();
  return { pattern, flags: 'v', hasNestedRepeats: translator.hasNestedRepeats };
}

class Translator extends PatternCharacters {
  hasNestedRepeats = false;
  #flags: Flags;
  /** Those of the whole pattern. */
  #global: Flags;
  /** Python's numbers of groups → name in the translation and width; null while a group is open. */
  readonly #groups: { name: string; width: Piece | null }[] = [];
  readonly #numbers = new Map<string, number>();
  /** Groups that have certainly matched at the current position. */
  #certain: ReadonlySet<number> = new Set();
  #helpers = 0;
  /** For each look-behind around the position, the number of groups before it. */
  readonly #behind: number[] = [];

  constructor(source: string, dotAll: boolean) {
    super(source);
    this.#flags = { i: false, m: false, s: dotAll, x: false, a: false };
    this.#global = this.#flags;
  }

  protected override get asciiOnly(): boolean {
    return this.#flags.a;
  }

  protected override get ignoreCase(): boolean {
    return this.#flags.i;
  }

  translate(): string {
    this.#globalFlags();
    this.#global = this.#flags;
    const whole = this.#alternatives();
    if (this.at < this.chars.length) this.refuse('unbalanced parenthesis');
    if (whole.narrowed) {
      this.refuseTranslation(
        'CPython reads a class at the beginning of (?a:…) or (?u:…) with the flags of the whole pattern',
        0,
      );
    }
    return whole.text;
  }

  /** `(?im)` at the very start. */
  #globalFlags(): void {
    for (;;) {
      if (this.skipComment()) continue;
      const [whole, on = ''] = /^\(\?([aiLmsux]+)\)/.exec(this.ahead(16)) ?? [];
      if (whole === undefined) return;
      this.#flags = this.#withFlags(this.#flags, on, '');
      this.at += whole.length;
    }
  }

  #withFlags(flags: Flags, on: string, off: string): Flags {
    if (on.includes('L')) this.refuse("bad inline flags: cannot use 'L' flag with a str pattern");
    const next: Record<keyof Flags, boolean> = { ...flags };
    for (const flag of on) if (flag in next) next[flag as keyof Flags] = true;
    if (on.includes('u')) next.a = false;
    for (const flag of off) if (flag in next) next[flag as keyof Flags] = false;
    return next;
  }

  #alternatives(): Piece {
    const before = this.#certain;
    const all: Piece[] = [];
    const sure: ReadonlySet<number>[] = [];
    do {
      this.#certain = before;
      all.push(this.#sequence());
      sure.push(this.#certain);
    } while (this.take('|'));
    const [first = before, ...rest] = sure;
    this.#certain = new Set([...first].filter((group) => rest.every((other) => other.has(group))));
    return {
      text: all.map((one) => one.text).join('|'),
      min: Math.min(...all.map((one) => one.min)),
      max: Math.max(...all.map((one) => one.max)),
      emptyLast: all.every((one, index) => one.min > 0 || (index === all.length - 1 && one.emptyLast)),
      narrowed: all.some((one) => one.narrowed),
      isElastic: all.some((one) => one.isElastic),
    };
  }

  #sequence(): Piece {
    let text = '';
    let min = 0;
    let max = 0;
    let emptyLast = true;
    let narrowed = false;
    const elasticMins: number[] = [];
    while (this.at < this.chars.length && !this.peek('|') && !this.peek(')')) {
      if (this.#skip()) continue;
      const start = this.at;
      const piece = this.#repetition(start);
      emptyLast &&= piece.emptyLast;
      if (text === '') narrowed = piece.narrowed === true;
      // An empty group is nothing to CPython.
      if (piece.text !== '(?:)') text += piece.text;
      min += piece.min;
      max += piece.max;
      if (piece.isElastic) elasticMins.push(piece.min);
    }
    const isElastic = elasticMins.some((own) => own === min);
    return { text, min, max, emptyLast, narrowed, isElastic };
  }

  /** Skips comments and, in verbose patterns, white space. */
  #skip(): boolean {
    return this.skipComment() || (this.#flags.x && this.#skipVerbose());
  }

  #skipVerbose(): boolean {
    const char = this.chars[this.at] ?? '';
    if (/[ \t\n\r\f\v]/.test(char)) this.at++;
    else if (char === '#') while (this.at < this.chars.length && this.chars[this.at] !== '\n') this.at++;
    else return false;
    return true;
  }

  #repetition(start: number): Piece {
    const before = this.#certain;
    const atom = this.#atom();
    let piece = atom;
    for (let count = 0; ; count++) {
      while (this.#skip());
      const repeat = this.#repeat();
      if (!repeat) return piece;
      if (count > 0) this.refuse('multiple repeat');
      if (atom.anchor) this.refuse('nothing to repeat', start);
      const { min, max } = repeat;
      const times = max === min ? `{${min}}` : `{${min},${max === Number.POSITIVE_INFINITY ? '' : max}}`;
      const repetition = `(?:${atom.text})${times}`;
      const isEmpty = atom.min === 0 && atom.max > 0;
      if (isEmpty && !atom.emptyLast && min !== max) {
        this.refuseTranslation('JavaScript repeats groups that can match nothing differently', start);
      }
      // A group in it may not have matched, or may have matched the empty string last.
      if (min === 0 || (atom.min === 0 && max > 1)) this.#certain = before;
      piece = {
        text: repetition,
        min: atom.min * min,
        max: atom.max === 0 || max === 0 ? 0 : atom.max * max,
        emptyLast: atom.emptyLast,
        isElastic: atom.isElastic === true || (atom.max > 0 && max === Number.POSITIVE_INFINITY),
      };
      if (atom.isElastic && max === Number.POSITIVE_INFINITY && !this.peek('+')) this.hasNestedRepeats = true;
      if (this.take('?')) piece = { ...piece, text: `${repetition}?`, emptyLast: piece.max === 0 || min === max };
      else if (this.take('+')) piece = { ...piece, text: this.#atomic(repetition), isElastic: false };
    }
  }

  #repeat(): { min: number; max: number } | undefined {
    if (this.take('*')) return { min: 0, max: Number.POSITIVE_INFINITY };
    if (this.take('+')) return { min: 1, max: Number.POSITIVE_INFINITY };
    if (this.take('?')) return { min: 0, max: 1 };
    const braces = /^\{(\d*)(,?)(\d*)\}/.exec(this.ahead(32));
    if (!braces || (braces[1] === '' && braces[2] === '')) return undefined;
    const [whole, low = '', comma, high = ''] = braces;
    const min = low === '' ? 0 : Number(low);
    const max = comma === '' ? min : high === '' ? Number.POSITIVE_INFINITY : Number(high);
    if (max < min) this.refuse('min repeat greater than max repeat');
    this.at += whole.length;
    return { min, max };
  }

  /** An atomic group. A lookahead never backtracks, and the backreference consumes its match. */
  #atomic(text: string): string {
    if (this.#behind.length > 0) {
      this.refuseTranslation('JavaScript has no possessive repeats in a look-behind', this.at);
    }
    const name = `atomic${this.#helpers++}_`;
    return `(?=(?<${name}>${text}))\\k<${name}>`;
  }

  #atom(): Piece {
    const start = this.at;
    const char = this.chars[this.at++] ?? '';
    switch (char) {
      case '.':
        return characterPiece(this.#flags.s ? '[^]' : '[^\\n]');
      case '^':
        return anchorPiece(this.#flags.m ? `(?:${START}|(?<=\\n))` : START);
      case '$':
        return anchorPiece(this.#flags.m ? `(?=\\n|${END})` : `(?=\\n?${END})`);
      case '(':
        return this.#group(start);
      case '[':
        return characterPiece(this.characterClass(start), this.#isNarrowed(start));
      case '\\':
        return this.#escape(start);
      case '*':
      case '+':
      case '?':
        return this.refuse('nothing to repeat', start);
      default:
        this.at = start;
        if (char === '{' && this.#repeat()) return this.refuse('nothing to repeat', start);
        this.at = start + 1;
        return characterPiece(this.single(char));
    }
  }

  /** Whether a class matches less with the flags of the whole pattern than with those of its group. */
  #isNarrowed(start: number): boolean {
    if (this.#flags.a === this.#global.a) return false;
    const source = this.chars.slice(start, this.at).join('');
    const isComplement = this.#flags.a !== source.startsWith('[^');
    return (isComplement ? /\\[DWS]/ : /\\[dws]/).test(source);
  }

  #group(start: number): Piece {
    if (!this.take('?')) return this.#capture(undefined, start);
    if (this.take('P')) {
      if (this.take('<')) return this.#capture(this.groupName('>'), start);
      if (this.take('=')) return this.#reference(this.groupName(')'), start);
      return this.refuse(`unknown extension ?P${this.chars[this.at] ?? ''}`, start + 1);
    }
    if (this.take(':')) return this.#inner('(?:', start);
    if (this.take('=')) return assertionPiece(this.#inner('(?=', start));
    if (this.take('!')) return this.#negative(() => this.#inner('(?!', start));
    if (this.take('<=')) return this.#lookbehind('(?<=', start);
    if (this.take('<!')) return this.#negative(() => this.#lookbehind('(?<!', start));
    if (this.take('>')) {
      const inner = this.#inner('(?:', start);
      return { ...inner, text: this.#atomic(inner.text), emptyLast: true, narrowed: false, isElastic: false };
    }
    if (this.peek('(')) this.refuseTranslation('JavaScript has no conditional groups (?(…)…|…)', start);
    return this.#flagGroup(start);
  }

  /** A negative assertion: groups in it have not matched if it holds. */
  #negative(read: () => Piece): Piece {
    const before = this.#certain;
    const piece = read();
    this.#certain = before;
    return assertionPiece(piece);
  }

  #lookbehind(open: string, start: number): Piece {
    this.#behind.push(this.#groups.length);
    const inner = this.#inner(open, start);
    this.#behind.pop();
    if (inner.min !== inner.max) this.refuse('look-behind requires fixed-width pattern', start);
    return assertionPiece(inner);
  }

  /** `(?i:…)`, `(?s-m:…)` */
  #flagGroup(start: number): Piece {
    const [whole = ')', on = '', off = '', end] = /^([aiLmsux]*)(?:-([imsx]+))?([:)])/.exec(this.ahead(24)) ?? [];
    if (whole === ')' || whole === ':') {
      return this.refuse(`unknown extension ?${this.chars[this.at] ?? ''}`, start + 1);
    }
    if (end === ')') this.refuse('global flags not at the start of the expression', start);
    this.at += whole.length;
    const outer = this.#flags;
    this.#flags = this.#withFlags(outer, on, off);
    const piece = this.#inner('(?:', start);
    this.#flags = outer;
    return piece;
  }

  #inner(open: string, start: number): Piece {
    const outer = this.#flags;
    const inner = this.#alternatives();
    this.#flags = outer;
    if (!this.take(')')) this.refuse('missing ), unterminated subpattern', start);
    return { ...inner, text: `${open}${inner.text})` };
  }

  #capture(name: string | undefined, start: number): Piece {
    if (name !== undefined && this.#numbers.has(name)) {
      this.refuse(`redefinition of group name '${name}'`, start + 4);
    }
    // All groups are named, so that helper groups do not shift the numbers.
    const group = { name: `group${this.#groups.length + 1}_`, width: null as Piece | null };
    this.#groups.push(group);
    const number = this.#groups.length;
    if (name !== undefined) this.#numbers.set(name, number);
    const piece = this.#inner(`(?<${group.name}>`, start);
    group.width = piece;
    this.#certain = new Set([...this.#certain, number]);
    return piece;
  }

  #reference(which: string | number, start: number): Piece {
    const number = typeof which === 'number' ? which : this.#numbers.get(which);
    if (number === undefined) this.refuse(`unknown group name '${which}'`, start + 4);
    const group = this.#groups[number - 1];
    if (!group) this.refuse(`invalid group reference ${number}`, start + 1);
    if (!group.width) this.refuse('cannot refer to an open group', start);
    if (this.#behind.some((before) => number > before)) {
      this.refuse('cannot refer to group defined in the same lookbehind subpattern', start);
    }
    if (!this.#certain.has(number)) {
      this.refuseTranslation(
        'in JavaScript, a reference to a group that did not match matches the empty string',
        start,
      );
    }
    if (this.#flags.i) this.refuseTranslation('JavaScript ignores case in references differently', start);
    return { text: `\\k<${group.name}>`, min: group.width.min, max: group.width.max, emptyLast: true };
  }

  #escape(start: number): Piece {
    const char = this.chars[this.at] ?? this.refuse('bad escape (end of pattern)', start);
    const anchor = this.#anchors()[char];
    if (anchor !== undefined) {
      this.at++;
      return anchorPiece(anchor);
    }
    const set = this.shorthand(char);
    if (set !== undefined) return characterPiece(set, this.#isNarrowed(start));
    const ahead = this.ahead(3);
    if (/^[1-9]/.test(ahead) && !/^[0-7]{3}$/.test(ahead)) {
      const digits = /^\d{1,2}/.exec(ahead)?.[0] ?? '';
      this.at += digits.length;
      return this.#reference(Number(digits), start);
    }
    return characterPiece(this.single(this.escapedCharacter(start)));
  }

  /** The anchors that are written as escapes. */
  #anchors(): Readonly<Record<string, string>> {
    const { w } = this.classes();
    return {
      A: START,
      Z: END,
      b: `(?:(?<=[${w}])(?![${w}])|(?<![${w}])(?=[${w}]))`,
      // In an empty string, Python (up to 3.13) finds no match.
      B: `(?:(?<=[${w}])(?=[${w}])|(?!^$)(?<![${w}])(?![${w}]))`,
    };
  }
}
