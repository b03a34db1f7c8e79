import { describeCharacter } from '../base/characters.ts';
import {
  type Change,
  firstDifference,
  MAX_LENGTH,
  type Outline,
  outline,
  outlinePattern,
  placeOf,
  unescapeBlanks,
} from '../base/look-alikes.ts';
import { describeDifference, differenceOf } from './differences.ts';
import { findForReason, hasPatternSyntax, type PatternFlags } from './pattern.ts';
import { excerpt } from './words.ts';

const LEADING = /^((?:\(\?[a-z]+\))?(?:\^|\\A)?)\s+/;
const TRAILING = /\s+(\$|\\Z)?$/;
/** How many places are tried for the one on which a match depends. */
const MAX_TRIES = 20;

/**
 * Names the character for which a pattern matches none of the texts, if it matches one that looks the same: `character 4 is
 * U+00A0 NO-BREAK SPACE, expected a space`, `character 9 of the pattern is a space; …`. Otherwise empty.
 */
export function patternDifference(pattern: string, texts: readonly string[], flags?: PatternFlags): string {
  const trimmed = pattern.replace(LEADING, '$1').replace(TRAILING, '$1');
  const blank = firstDifference(trimmed, pattern);
  if (blank !== null && findMatch(trimmed, texts, flags) !== null) {
    const place = `${placeOf(pattern, blank.at)} of the pattern`;
    return `${place} is ${describeCharacter(blank.actual)}; without white space around it, the pattern matches`;
  }
  if (texts.some((text) => text.length > MAX_LENGTH)) return '';
  for (const detail of ['lines', 'words'] as const) {
    const patternOutline = outlinePattern(pattern, detail);
    const isMatch = (one: string): boolean => findMatch(one, texts, flags) !== null;
    if (patternOutline.text !== pattern && isMatch(patternOutline.text)) {
      const change = neededChange(patternOutline, patternOutline.changes, isMatch);
      return change === undefined ? '' : describePatternChange(change, pattern);
    }
    const outlines = texts.map((text) => outline(text, detail));
    for (const source of new Set([pattern, patternOutline.text])) {
      const difference = textDifference(source, texts, outlines, flags);
      if (difference !== '') return difference;
    }
  }
  return '';
}

/** As `differenceOf` or, if the text has pattern syntax, `patternDifference`. */
export function valueDifference(expected: string, value: string): string {
  return differenceOf(expected, value) || (hasPatternSyntax(expected) ? patternDifference(expected, [value]) : '');
}

function textDifference(
  pattern: string,
  texts: readonly string[],
  outlines: readonly Outline[],
  flags: PatternFlags | undefined,
): string {
  const match = findMatch(
    pattern,
    outlines.map(({ text }) => text),
    flags,
  );
  const [text, whole] = match === null ? [] : [texts[match.index], outlines[match.index]];
  if (match === null || text === undefined || whole === undefined) return '';
  const end = match.at + match.text.length;
  const inMatch = whole.changes.filter(
    ({ outlineAt, after }) => outlineAt <= end && outlineAt + after.length >= match.at,
  );
  const change = neededChange(
    whole,
    inMatch.length > 0 ? inMatch : whole.changes,
    (one) => findMatch(pattern, [one], flags) !== null,
  );
  if (change === undefined) return '';
  return `${texts.length > 1 ? `${excerpt(text)}: ` : ''}${describeChange(change, text)}`;
}

/** The first change without which there is no match. */
function neededChange(
  { text }: Outline,
  changes: readonly Change[],
  isMatch: (text: string) => boolean,
): Change | undefined {
  return (
    changes
      .slice(0, MAX_TRIES)
      .find(
        ({ outlineAt, before, after }) =>
          !isMatch(text.slice(0, outlineAt) + before + text.slice(outlineAt + after.length)),
      ) ?? changes[0]
  );
}

function describePatternChange({ at, before, after }: Change, pattern: string): string {
  const text = unescapeBlanks(before);
  // Without the backslash that keeps a character from being syntax.
  return describeChange({ at, before: text, after: after.replace(/^\\/, '') }, pattern, ' of the pattern');
}

function describeChange({ at, before, after }: Omit<Change, 'outlineAt'>, text: string, owner = ''): string {
  const difference = firstDifference(after, before);
  if (difference === null) return '';
  const place = { ...difference, at: at + difference.at };
  if (!before.endsWith(after.slice(difference.at))) return describeDifference(place, text, owner);
  const subject = `${placeOf(text, place.at)}${owner} is ${describeCharacter(place.actual)}`;
  return `${subject}; the pattern matches without it`;
}

/** The first text with a match, and the match; null if there is none. */
function findMatch(
  pattern: string,
  texts: readonly string[],
  flags: PatternFlags | undefined,
): { readonly index: number; readonly text: string; readonly at: number } | null {
  const matches = findForReason(pattern, texts, flags);
  const index = matches.findIndex((match) => match !== undefined);
  const text = matches[index];
  return text === undefined ? null : { index, text, at: texts[index]?.indexOf(text) ?? 0 };
}
