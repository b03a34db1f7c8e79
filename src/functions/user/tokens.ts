/** A piece of JavaScript or TypeScript, as coarse as finding exported names needs it. Offsets in UTF-16 units. */
export interface Token {
  readonly kind: 'word' | 'sign' | 'literal';
  /** Of a literal only what it begins with. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
  /** Whether it is the first on its line. */
  readonly lineStart: boolean;
}

/** Words behind which a `/` begins a pattern and does not divide. */
const BEFORE_PATTERN = new Set(
  'return typeof instanceof in of new delete void throw case do else await yield'.split(' '),
);

/** Splits a program into words, signs and literals; comments and white space fall away. Never throws. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  let lineStart = true;
  const push = (kind: Token['kind'], end: number): void => {
    found.push({ kind, text: kind === 'literal' ? text.charAt(at) : text.slice(at, end), start: at, end, lineStart });
    lineStart = false;
    at = end;
  };
  if (text.startsWith('#!')) at = endOfLine(text, 0);
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '\n' || char === '\r') lineStart = true;
    if (/\s/.test(char) || char === '\ufeff') at++;
    else if (text.startsWith('//', at)) at = endOfLine(text, at);
    else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end < 0 ? text.length : end + 2;
    } else if (char === '"' || char === "'") push('literal', endOfString(text, at));
    else if (char === '`') push('literal', endOfTemplate(text, at));
    else if (char === '/' && beginsPattern(found.at(-1))) push('literal', endOfPattern(text, at));
    else if (/[0-9]/.test(char)) push('literal', at + (/^[0-9a-z_.]+/i.exec(text.slice(at, at + 64))?.[0].length ?? 1));
    else {
      const word = WORD.exec(text.slice(at, at + 256))?.[0];
      push(word ? 'word' : 'sign', at + (word?.length ?? 1));
    }
  }
  return found;
}

const WORD = /^[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/u;

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}

function endOfString(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === quote) return at + 1;
    else if (char === '\n') return at;
  }
  return text.length;
}

/** A template may hold programs in `${…}`, which may hold templates. */
function endOfTemplate(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === '`') return at + 1;
    else if (text.startsWith('${', at)) {
      let depth = 1;
      for (at += 2; at < text.length && depth > 0; at++) {
        const inside = text.charAt(at);
        if (inside === '{') depth++;
        else if (inside === '}') depth--;
        else if (inside === '"' || inside === "'") at = endOfString(text, at) - 1;
        else if (inside === '`') at = endOfTemplate(text, at) - 1;
      }
      at--;
    }
  }
  return text.length;
}

function endOfPattern(text: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === '\n') return at;
    else if (char === '[') inClass = true;
    else if (char === ']') inClass = false;
    else if (char === '/' && !inClass) return at + 1 + (/^[a-z]*/.exec(text.slice(at + 1, at + 12))?.[0].length ?? 0);
  }
  return text.length;
}

function beginsPattern(before: Token | undefined): boolean {
  if (!before) return true;
  if (before.kind === 'word') return BEFORE_PATTERN.has(before.text);
  return before.kind === 'sign' && !')]}'.includes(before.text);
}
