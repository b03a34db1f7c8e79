import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { compilePattern, findPattern } from '../../../src/functions/pattern.ts';
import { randomFrom } from '../../random.ts';
import { caseCount } from '../../sample.ts';

const COUNT = caseCount(1500, 50_000);

const LITERALS = [
  'a',
  'b',
  'A',
  'i',
  'I',
  'k',
  's',
  'ı',
  'İ',
  'ſ',
  '\u212a',
  'ß',
  'ẞ',
  'σ',
  'ς',
  'Σ',
  'µ',
  '1',
  '٣',
  ' ',
  '\n',
  '_',
  '-',
  'é',
  '\\.',
  '\\n',
  '\\x41',
  '\\u0131',
  '{',
];
const SETS = [
  '.',
  '\\w',
  '\\W',
  '\\d',
  '\\s',
  '\\S',
  '[ab]',
  '[^a]',
  '[a-k]',
  '[A-Z]',
  '[^a-z]',
  '[\\w-]',
  '[\\W_]',
  '[i]',
  '[^I]',
  '[s-ſ]',
  '[α-ω]',
  '[]a]',
  '[^]a]',
  '[a-]',
];
const ANCHORS = ['^', '$', '\\b', '\\B', '\\A', '\\Z'];
const REPEATS = [
  '*',
  '+',
  '?',
  '{2}',
  '{0}',
  '{1,2}',
  '{,2}',
  '{0,1}',
  '{1,}',
  '*?',
  '+?',
  '??',
  '{0,2}?',
  '*+',
  '++',
  '?+',
];
const TEXTS = [
  '',
  'a',
  'ab',
  'aab',
  'abab',
  'A',
  'i',
  'I',
  'ı',
  'İ',
  'iı İI',
  'sſS',
  'k\u212aK',
  'ßẞ',
  'σςΣ',
  'µμ',
  'a1 b2',
  'a\nb\n',
  'a b_',
  '-',
  'éÉ',
  '١٣',
  'aa bb',
  '{2}',
  ']',
];

/** Python's answers: what each pattern finds in each text, or false where it refuses the pattern. */
const PYTHON = `
import json, re, signal, sys, warnings
warnings.simplefilter('ignore')
def late(*_): raise TimeoutError
signal.signal(signal.SIGALRM, late)
# Possessive groups of zero width are wrong in older versions (CPython gh-106052).
unsure = re.compile(r'[)](?:[?*+]|[{][^}]*[}])[+]') if sys.version_info < (3, 11, 5) else None
def found(pattern, texts):
    if unsure and unsure.search(pattern): return None
    try: compiled = re.compile(pattern)
    except (re.error, OverflowError): return False
    signal.alarm(2)
    try: return [(m := compiled.search(text)) and m.group() for text in texts]
    except TimeoutError: return None
    finally: signal.alarm(0)
given = json.load(sys.stdin)
json.dump([found(pattern, given['texts']) for pattern in given['patterns']], sys.stdout)
`;

/** Makes a pattern: nested groups of all kinds, with references, flags, repeats. */
class PatternMaker {
  readonly #random: () => number;
  #groups = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  make(): string {
    return `${this.#chance(0.4) ? this.#one(['(?i)', '(?ai)', '(?a)', '(?s)', '(?m)', '(?im)', '(?is)']) : ''}${this.#alternatives(2)}`;
  }

  #alternatives(depth: number): string {
    const count = this.#chance(0.3) ? 1 + this.#upTo(3) : 1;
    return Array.from({ length: count }, () => this.#sequence(depth)).join('|');
  }

  #sequence(depth: number): string {
    return Array.from(
      { length: this.#upTo(4) },
      () => this.#atom(depth) + (this.#chance(0.35) ? this.#one(REPEATS) : ''),
    ).join('');
  }

  #atom(depth: number): string {
    const kind = this.#random();
    if (depth > 0 && kind < 0.3) return this.#group(depth - 1);
    if (this.#groups > 0 && kind < 0.38) return `\\${1 + this.#upTo(this.#groups)}`;
    if (kind < 0.46) return this.#one(ANCHORS);
    return this.#one(kind < 0.65 ? SETS : LITERALS);
  }

  #group(depth: number): string {
    const open = this.#one([
      '(',
      '(',
      '(',
      '(?:',
      '(?:',
      '(?=',
      '(?!',
      '(?<=',
      '(?<!',
      '(?>',
      '(?i:',
      '(?-i:',
      '(?s:',
      '(?a:',
    ]);
    const inner = open.startsWith('(?<')
      ? this.#one(['a', 'ab', '[ab]', 'a|b', '\\w', '(a)'])
      : this.#alternatives(depth);
    if (open === '(' || inner === '(a)') this.#groups += 1;
    return `${open}${inner})`;
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }

  #upTo(end: number): number {
    return Math.floor(this.#random() * end);
  }

  #one<T>(choices: readonly T[]): T {
    return choices[this.#upTo(choices.length)] as T;
  }
}

describe('a generated pattern', () => {
  it(`finds what CPython finds, is refused as there, or is untranslatable (${COUNT} patterns)`, {
    timeout: 600_000,
  }, () => {
    const random = randomFrom(Number(process.env['TASKWRIGHT_TEST_SEED'] ?? 4));
    const patterns = Array.from({ length: COUNT }, () => new PatternMaker(random).make());
    const python = spawnSync('python3', ['-c', PYTHON], {
      input: JSON.stringify({ patterns, texts: TEXTS }),
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    });
    expect(python.stderr).toBe('');
    const answers: (readonly (string | null)[] | false | null)[] = JSON.parse(python.stdout);
    const different: unknown[] = [];
    let [same, refused, untranslatable] = [0, 0, 0];
    for (const [index, pattern] of patterns.entries()) {
      const answer = answers[index];
      const compiled = compilePattern(pattern);
      // What takes longer than seconds in Python is no pattern to compare.
      if (answer === null || answer === undefined) continue;
      if (!compiled.ok && compiled.problem === 'untranslatable') untranslatable += 1;
      else if (!compiled.ok || answer === false) {
        if (!compiled.ok && answer === false) refused += 1;
        else different.push([pattern, compiled.ok ? 'read here' : compiled.message]);
      } else {
        const found = findPattern(pattern, TEXTS).map((text) => text ?? null);
        const at = found.findIndex((text, place) => text !== answer[place]);
        if (at < 0) same += 1;
        else different.push([pattern, TEXTS[at], `here ${found[at]}, in Python ${answer[at]}`]);
      }
    }
    process.stdout.write(
      `${COUNT} patterns: ${same} find the same, ${refused} are refused, ${untranslatable} are untranslatable\n`,
    );
    expect(different).toEqual([]);
    // What cannot be said here is the exception.
    expect(same).toBeGreaterThan(COUNT / 2);
  });
});
