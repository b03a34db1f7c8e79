import { lookOf } from './characters.ts';

/** A part of a text that its outline does not have as it is. Offsets are those of strings. */
export interface Change {
  /** Where `before` begins in the text. */
  readonly at: number;
  readonly before: string;
  /** Where `after` begins in the outline. */
  readonly outlineAt: number;
  readonly after: string;
}

/** What a person sees of a text. Texts that look alike have equal outlines. */
export interface Outline {
  readonly text: string;
  /** In the order of the text. */
  readonly changes: readonly Change[];
}

/** `lines`: line breaks differ from other white space. `words`: all white space is the same, and none at the ends. */
export type Detail = 'lines' | 'words';

const BLANK = String.raw`\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800`;
const LINE_BREAKS = String.raw`[\n\r\x85\u2028\u2029]`;
const IN_LINE = `[[${BLANK}]--${LINE_BREAKS}]`;
const JAMO = String.raw`[\u1100-\u115E][\u1161-\u11A7][\u11A8-\u11FF]?`;
/** Characters that may look like others: those with marks, and those outside of ASCII. */
const SHAPES = String.raw`${JAMO}|[\x21-\x7E]\p{M}+|\x60|[^\x21-\x7E${BLANK}]\p{M}*`;
/** Not before most characters of a text, which stay as they are, so that a large file is read in less than a second. */
const ORDINARY = String.raw`(?!(?<=[^]) [\x21-\x7E])`;

/** The parts that an outline replaces: white space and invisible characters, and what may look like another character. */
const PARTS: Readonly<Record<Detail, RegExp>> = {
  // White space before a line break cannot be seen.
  lines: new RegExp(`${ORDINARY}(?!\\n)(?:${IN_LINE}*(?:\\r\\n|${LINE_BREAKS})|${IN_LINE}+|${SHAPES})`, 'gv'),
  words: new RegExp(`${ORDINARY}(?:[${BLANK}]+|${SHAPES})`, 'gv'),
};

/** The same in a pattern, where white space may be an escape sequence. All other ones stay as they are. */
const PATTERN_PARTS: Readonly<Record<Detail, RegExp>> = {
  lines: new RegExp(
    String.raw`(?:\\[tfv]|${IN_LINE})*(?:\\r\\n|\\[nr]|\r\n|${LINE_BREAKS})|(?:\\[tfv]|${IN_LINE})+|\\.|${SHAPES}`,
    'gsv',
  ),
  words: new RegExp(String.raw`(?:\\[nrtfv]|[${BLANK}])+|\\.|${SHAPES}`, 'gsv'),
};

/** The length up to which texts are compared by their look. An agent can write longer ones whose outlines fill the memory. */
export const MAX_LENGTH = 1_000_000;

/** The outline of a text: what looks alike is the same, and invisible characters are left out. */
export function outline(text: string, detail: Detail): Outline {
  return replaceParts(text, PARTS[detail], (part, ends) => outlinePart(part, detail, ends));
}

/** The pattern (Python syntax) that matches the outlines of the texts that the given one matches, as far as that is possible. */
export function outlinePattern(pattern: string, detail: Detail): Outline {
  return replaceParts(pattern, PATTERN_PARTS[detail], (part, ends) => {
    if (/^\\[^nrtfv]/.test(part)) return part;
    const look = outlinePart(unescapeBlanks(part), detail, ends);
    // A full-width parenthesis does not become a group.
    return look === part ? part : look.replace(/[\\^$.*+?()[\]{}|-]/g, '\\$&');
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', f: '\f', v: '\v' };

/** A part of a pattern with white space in place of its escape sequences. */
export function unescapeBlanks(part: string): string {
  return part.replace(/\\([nrtfv])/g, (_, name: string) => ESCAPES[name] ?? '');
}

/** Where a part is: at the beginning or the end of its text. */
interface Ends {
  readonly isFirst: boolean;
  readonly isLast: boolean;
}

function replaceParts(text: string, parts: RegExp, replace: (part: string, ends: Ends) => string): Outline {
  const changes: Change[] = [];
  let end = 0;
  let outlineText = '';
  for (const { 0: before, index: at } of text.matchAll(parts)) {
    const after = replace(before, { isFirst: at === 0, isLast: at + before.length === text.length });
    if (after === before) continue;
    outlineText += text.slice(end, at);
    changes.push({ at, before, outlineAt: outlineText.length, after });
    outlineText += after;
    end = at + before.length;
  }
  return { text: outlineText + text.slice(end), changes };
}

const STARTS_BLANK = new RegExp(`^[${BLANK}]`, 'v');
const ENDS_LINE = new RegExp(`${LINE_BREAKS}$`, 'v');

function outlinePart(part: string, detail: Detail, { isFirst, isLast }: Ends): string {
  if (!STARTS_BLANK.test(part)) {
    const looks = Array.from(part, lookOf).join('');
    return Array.from(looks.normalize('NFKC'), lookOf).join('');
  }
  if (detail === 'lines' && ENDS_LINE.test(part)) return '\n';
  if (isLast || (isFirst && detail === 'words')) return '';
  return Array.from(part).some((one) => lookOf(one) === ' ') ? ' ' : '';
}

/** Whether a person cannot tell the texts apart. White space at the ends cannot be seen. */
export function looksAlike(a: string, b: string, ignoresCase = false): boolean {
  if (Math.max(a.length, b.length) > MAX_LENGTH) return false;
  const [outlineA, outlineB] = [outline(a, 'words').text, outline(b, 'words').text];
  return ignoresCase ? outlineA.toLowerCase() === outlineB.toLowerCase() : outlineA === outlineB;
}

/** The first of the parts that looks like a place in the text, and the offset of that place; null if none does. */
export function findLookAlike(
  parts: readonly string[],
  text: string,
  ignoresCase = false,
): { readonly part: string; readonly at: number } | null {
  if (text.length > MAX_LENGTH) return null;
  for (const detail of ['lines', 'words'] as const) {
    const whole = outline(text, detail);
    for (const part of parts) {
      const partText = outline(part, detail).text;
      const at = ignoresCase ? indexIgnoringCase(whole.text, partText) : whole.text.indexOf(partText);
      if (at >= 0 && partText !== '') return { part, at: sourceOffset(whole.changes, at) };
    }
  }
  return null;
}

function indexIgnoringCase(text: string, part: string): number {
  const lowerCase = text.toLowerCase();
  // The lowercase text may be longer, and then the offsets differ.
  return lowerCase.length === text.length ? lowerCase.indexOf(part.toLowerCase()) : -1;
}

/** The offset in the text of an offset in its outline. */
function sourceOffset(changes: readonly Change[], offset: number): number {
  const index = changes.findLastIndex(({ outlineAt, after }) => outlineAt + after.length <= offset);
  const change = changes[index];
  const at =
    change === undefined ? offset : change.at + change.before.length + offset - change.outlineAt - change.after.length;
  return Math.min(at, changes[index + 1]?.at ?? at);
}

/** A character with its combining marks, or nothing at the end of a text. */
const CHARACTER = new RegExp(`${JAMO}|[^]\\p{M}*|$`, 'uy');
/** Belongs to the character before it. */
const CONTINUED = /^[\p{M}\u1161-\u11FF\uDC00-\uDFFF]/u;

/** A place at which two texts differ. */
export interface Difference {
  /** Its offset in the actual text. */
  readonly at: number;
  /** The characters there; empty if the text ends. */
  readonly actual: string;
  readonly expected: string;
}

/** The first difference of the expected text and the actual text from an offset on; null if there is none. */
export function firstDifference(expected: string, actual: string, from = 0, ignoresCase = false): Difference | null {
  const fold = (unit: string | undefined): string | undefined => (ignoresCase ? unit?.toLowerCase() : unit);
  let at = 0;
  while (at < expected.length && fold(expected[at]) === fold(actual[from + at])) at++;
  if (at === expected.length && from + at >= actual.length) return null;
  while (
    at > 0 &&
    (CONTINUED.test(expected.slice(at, at + 1)) || CONTINUED.test(actual.slice(from + at, from + at + 1)))
  ) {
    at--;
  }
  return { at: from + at, actual: characterAt(actual, from + at), expected: characterAt(expected, at) };
}

function characterAt(text: string, at: number): string {
  CHARACTER.lastIndex = at;
  return CHARACTER.exec(text)?.[0] ?? '';
}

/** The place of an offset: `character 4`, in later lines `line 3, character 4`. Both count from 1, in code points. */
export function placeOf(text: string, at: number): string {
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  const character = `character ${[...(lines.at(-1) ?? '')].length + 1}`;
  return lines.length === 1 ? character : `line ${lines.length}, ${character}`;
}
