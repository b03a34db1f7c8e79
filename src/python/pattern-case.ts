/** Lowercase characters that Python's module `re` treats as equal when it ignores case (`re._casefix`). */
const EQUIVALENT = [
  'iı',
  'sſ',
  'µμ',
  '\u0345ι\u1fbe',
  '\u0390\u1fd3',
  '\u03b0\u1fe3',
  'βϐ',
  'εϵ',
  'θϑ',
  'κϰ',
  'πϖ',
  'ρϱ',
  'ςσ',
  'φϕ',
  'в\u1c80',
  'д\u1c81',
  'о\u1c82',
  'с\u1c83',
  'т\u1c84\u1c85',
  'ъ\u1c86',
  'ѣ\u1c87',
  '\u1c88\ua64b',
  '\u1e61\u1e9b',
  '\ufb05\ufb06',
];

/** The last character that has another case. */
const LAST_CASED = 0x1e943;

interface Cases {
  readonly lower: ReadonlyMap<number, number>;
  /** The other characters with a given lowercase form. */
  readonly others: ReadonlyMap<number, readonly number[]>;
  readonly equivalent: ReadonlyMap<number, readonly number[]>;
}

let unicode: Cases | undefined;
let ascii: Cases | undefined;

function casesOf(lower: ReadonlyMap<number, number>, equivalent: Cases['equivalent']): Cases {
  const others = new Map<number, number[]>();
  for (const [upper, low] of lower) others.set(low, [...(others.get(low) ?? []), upper]);
  return { lower, others, equivalent };
}

function unicodeCases(): Cases {
  const lower = new Map<number, number>();
  for (let code = 0x41; code <= LAST_CASED; code += 1) {
    const text = String.fromCodePoint(code);
    // Python maps a character to a single character: İ to i, without the combining dot.
    const low = code === 0x130 ? 0x69 : (text.toLowerCase().codePointAt(0) ?? code);
    if (low !== code) lower.set(code, low);
  }
  const equivalent = new Map<number, readonly number[]>();
  for (const group of EQUIVALENT) {
    const codes = [...group].map(codeOf);
    for (const code of codes) equivalent.set(code, codes);
  }
  return casesOf(lower, equivalent);
}

function asciiCases(): Cases {
  return casesOf(new Map(Array.from({ length: 26 }, (_, index) => [0x41 + index, 0x61 + index])), new Map());
}

/** All characters outside of a range that equal one in the range if Python ignores case. */
export function otherCases(from: string, to: string, asciiOnly: boolean): readonly string[] {
  unicode ??= unicodeCases();
  ascii ??= asciiCases();
  const { lower, others, equivalent } = asciiOnly ? ascii : unicode;
  const [first, last] = [codeOf(from), codeOf(to)];
  const codes = new Set<number>();
  const add = (low: number): void => {
    for (const one of equivalent.get(low) ?? [low])
      for (const code of [one, ...(others.get(one) ?? [])]) codes.add(code);
  };
  if (first === last) add(lower.get(first) ?? first);
  else {
    for (const [upper, low] of lower) {
      if ((upper >= first && upper <= last) || (low >= first && low <= last)) add(low);
    }
    for (const low of equivalent.keys()) if (low >= first && low <= last) add(low);
  }
  return [...codes].filter((code) => code < first || code > last).map((code) => String.fromCodePoint(code));
}

function codeOf(char: string): number {
  return char.codePointAt(0) ?? 0;
}
