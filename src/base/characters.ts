/** Unicode names of characters that look like another character or like nothing, by what they look like and code point. */
const NAMES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  '': {
    173: 'SOFT HYPHEN',
    847: 'COMBINING GRAPHEME JOINER',
    1564: 'ARABIC LETTER MARK',
    4447: 'HANGUL CHOSEONG FILLER',
    4448: 'HANGUL JUNGSEONG FILLER',
    6158: 'MONGOLIAN VOWEL SEPARATOR',
    8203: 'ZERO WIDTH SPACE',
    8204: 'ZERO WIDTH NON-JOINER',
    8205: 'ZERO WIDTH JOINER',
    8206: 'LEFT-TO-RIGHT MARK',
    8207: 'RIGHT-TO-LEFT MARK',
    8234: 'LEFT-TO-RIGHT EMBEDDING',
    8235: 'RIGHT-TO-LEFT EMBEDDING',
    8236: 'POP DIRECTIONAL FORMATTING',
    8237: 'LEFT-TO-RIGHT OVERRIDE',
    8238: 'RIGHT-TO-LEFT OVERRIDE',
    8288: 'WORD JOINER',
    8289: 'FUNCTION APPLICATION',
    8290: 'INVISIBLE TIMES',
    8291: 'INVISIBLE SEPARATOR',
    8292: 'INVISIBLE PLUS',
    8294: 'LEFT-TO-RIGHT ISOLATE',
    8295: 'RIGHT-TO-LEFT ISOLATE',
    8296: 'FIRST STRONG ISOLATE',
    8297: 'POP DIRECTIONAL ISOLATE',
    12644: 'HANGUL FILLER',
    65038: 'VARIATION SELECTOR-15',
    65039: 'VARIATION SELECTOR-16',
    65279: 'ZERO WIDTH NO-BREAK SPACE (BYTE ORDER MARK)',
    65440: 'HALFWIDTH HANGUL FILLER',
  },
  ' ': {
    9: 'TAB',
    10: 'LINE FEED',
    11: 'VERTICAL TAB',
    12: 'FORM FEED',
    13: 'CARRIAGE RETURN',
    133: 'NEXT LINE',
    160: 'NO-BREAK SPACE',
    5760: 'OGHAM SPACE MARK',
    8192: 'EN QUAD',
    8193: 'EM QUAD',
    8194: 'EN SPACE',
    8195: 'EM SPACE',
    8196: 'THREE-PER-EM SPACE',
    8197: 'FOUR-PER-EM SPACE',
    8198: 'SIX-PER-EM SPACE',
    8199: 'FIGURE SPACE',
    8200: 'PUNCTUATION SPACE',
    8201: 'THIN SPACE',
    8202: 'HAIR SPACE',
    8232: 'LINE SEPARATOR',
    8233: 'PARAGRAPH SEPARATOR',
    8239: 'NARROW NO-BREAK SPACE',
    8287: 'MEDIUM MATHEMATICAL SPACE',
    10240: 'BRAILLE PATTERN BLANK',
    12288: 'IDEOGRAPHIC SPACE',
  },
  "'": {
    39: 'APOSTROPHE',
    96: 'GRAVE ACCENT',
    180: 'ACUTE ACCENT',
    697: 'MODIFIER LETTER PRIME',
    699: 'MODIFIER LETTER TURNED COMMA',
    700: 'MODIFIER LETTER APOSTROPHE',
    8216: 'LEFT SINGLE QUOTATION MARK',
    8217: 'RIGHT SINGLE QUOTATION MARK',
    8219: 'SINGLE HIGH-REVERSED-9 QUOTATION MARK',
    8242: 'PRIME',
    8245: 'REVERSED PRIME',
  },
  '"': {
    34: 'QUOTATION MARK',
    8220: 'LEFT DOUBLE QUOTATION MARK',
    8221: 'RIGHT DOUBLE QUOTATION MARK',
    8222: 'DOUBLE LOW-9 QUOTATION MARK',
    8223: 'DOUBLE HIGH-REVERSED-9 QUOTATION MARK',
    8243: 'DOUBLE PRIME',
  },
  ',': { 8218: 'SINGLE LOW-9 QUOTATION MARK' },
  '-': {
    45: 'HYPHEN-MINUS',
    8208: 'HYPHEN',
    8209: 'NON-BREAKING HYPHEN',
    8210: 'FIGURE DASH',
    8211: 'EN DASH',
    8212: 'EM DASH',
    8213: 'HORIZONTAL BAR',
    8259: 'HYPHEN BULLET',
    8722: 'MINUS SIGN',
  },
  '·': { 183: 'MIDDLE DOT', 8226: 'BULLET', 8729: 'BULLET OPERATOR', 8901: 'DOT OPERATOR' },
  '...': { 8230: 'HORIZONTAL ELLIPSIS' },
  '/': { 8260: 'FRACTION SLASH', 8725: 'DIVISION SLASH' },
  ':': { 8758: 'RATIO', 42889: 'MODIFIER LETTER COLON' },
  x: { 215: 'MULTIPLICATION SIGN', 1093: 'CYRILLIC SMALL LETTER HA' },
  A: { 913: 'GREEK CAPITAL LETTER ALPHA', 1040: 'CYRILLIC CAPITAL LETTER A' },
  B: { 914: 'GREEK CAPITAL LETTER BETA', 1042: 'CYRILLIC CAPITAL LETTER VE' },
  C: { 1017: 'GREEK CAPITAL LUNATE SIGMA SYMBOL', 1057: 'CYRILLIC CAPITAL LETTER ES' },
  E: { 917: 'GREEK CAPITAL LETTER EPSILON', 1045: 'CYRILLIC CAPITAL LETTER IE' },
  H: { 919: 'GREEK CAPITAL LETTER ETA', 1053: 'CYRILLIC CAPITAL LETTER EN' },
  I: { 921: 'GREEK CAPITAL LETTER IOTA', 1030: 'CYRILLIC CAPITAL LETTER BYELORUSSIAN-UKRAINIAN I' },
  J: { 1032: 'CYRILLIC CAPITAL LETTER JE' },
  K: { 922: 'GREEK CAPITAL LETTER KAPPA', 1050: 'CYRILLIC CAPITAL LETTER KA', 8490: 'KELVIN SIGN' },
  M: { 924: 'GREEK CAPITAL LETTER MU', 1052: 'CYRILLIC CAPITAL LETTER EM' },
  N: { 925: 'GREEK CAPITAL LETTER NU' },
  O: { 927: 'GREEK CAPITAL LETTER OMICRON', 1054: 'CYRILLIC CAPITAL LETTER O' },
  P: { 929: 'GREEK CAPITAL LETTER RHO', 1056: 'CYRILLIC CAPITAL LETTER ER' },
  S: { 1029: 'CYRILLIC CAPITAL LETTER DZE' },
  T: { 932: 'GREEK CAPITAL LETTER TAU', 1058: 'CYRILLIC CAPITAL LETTER TE' },
  X: { 935: 'GREEK CAPITAL LETTER CHI', 1061: 'CYRILLIC CAPITAL LETTER HA' },
  Y: { 933: 'GREEK CAPITAL LETTER UPSILON', 1059: 'CYRILLIC CAPITAL LETTER U' },
  Z: { 918: 'GREEK CAPITAL LETTER ZETA' },
  a: { 1072: 'CYRILLIC SMALL LETTER A' },
  c: { 1089: 'CYRILLIC SMALL LETTER ES' },
  e: { 1077: 'CYRILLIC SMALL LETTER IE' },
  h: { 1211: 'CYRILLIC SMALL LETTER SHHA' },
  i: { 305: 'LATIN SMALL LETTER DOTLESS I', 1110: 'CYRILLIC SMALL LETTER BYELORUSSIAN-UKRAINIAN I' },
  j: { 1112: 'CYRILLIC SMALL LETTER JE' },
  o: { 959: 'GREEK SMALL LETTER OMICRON', 1086: 'CYRILLIC SMALL LETTER O' },
  p: { 1088: 'CYRILLIC SMALL LETTER ER' },
  s: { 1109: 'CYRILLIC SMALL LETTER DZE' },
  v: { 957: 'GREEK SMALL LETTER NU' },
  y: { 1091: 'CYRILLIC SMALL LETTER U' },
};

const ENTRIES = new Map(
  Object.entries(NAMES).flatMap(([look, names]) =>
    Object.entries(names).map(([code, name]) => [String.fromCodePoint(Number(code)), { look, name }] as const),
  ),
);

/** Characters that no font shows. */
const INVISIBLE = /^[\p{Cc}\p{Default_Ignorable_Code_Point}]$/u;

/** What a character looks like in most fonts: `'` for `’`, a space for all white space, nothing for what is invisible. */
export function lookOf(character: string): string {
  return ENTRIES.get(character)?.look ?? (INVISIBLE.test(character) ? '' : character);
}

/**
 * Names a character, with its combining marks: `a space`, `“a”`, `“ж” (U+0436)`, `“é” (U+0065 U+0301)`, and a character that
 * cannot be told by its look `U+00A0 NO-BREAK SPACE`.
 */
export function describeCharacter(character: string): string {
  if (character === ' ') return 'a space';
  const codes = Array.from(character, (one) => {
    const hex = one.codePointAt(0)?.toString(16).toUpperCase() ?? '';
    return `U+${hex.padStart(4, '0')}`;
  }).join(' ');
  const name = ENTRIES.get(character)?.name;
  if (name !== undefined) return `${codes} ${name}`;
  if (INVISIBLE.test(character)) return `${codes} (${/\p{Cc}/u.test(character) ? 'a control character' : 'invisible'})`;
  if (/^\p{M}/u.test(character)) return `${codes} (a combining mark)`;
  if (/^[\x21-\x7E]$/.test(character)) return `“${character}”`;
  return `“${character}” (${codes}${/^[\uFF01-\uFF5E]$/.test(character) ? ', full-width' : ''})`;
}
