import { describeCharacter } from '../base/characters.ts';
import { type Difference, findLookAlike, firstDifference, looksAlike, placeOf } from '../base/look-alikes.ts';
import { excerpt, quote } from './words.ts';

/**
 * Names the first difference of two texts of which a reason quotes the same: `character 4 is U+00A0 NO-BREAK SPACE, expected
 * a space`. Empty if the quotes differ. `ignoresCase`: upper and lower case are no difference.
 */
export function differenceOf(expected: string, actual: string, ignoresCase = false): string {
  const isHidden = looksAlike(expected, actual, ignoresCase) || excerpt(expected) === excerpt(actual);
  const difference = isHidden ? firstDifference(expected, actual, 0, ignoresCase) : null;
  return difference === null ? '' : describeDifference(difference, actual);
}

/**
 * Names how the place in the text differs that looks like one of the missing parts: `character 14 is U+00A0 NO-BREAK SPACE,
 * expected a space`. Empty if there is none. The characters are those of the text.
 */
export function differenceIn(missing: readonly string[], text: string, ignoresCase = false): string {
  const place = findLookAlike(missing, text, ignoresCase);
  const difference = place && firstDifference(place.part, text, place.at, ignoresCase);
  if (place === null || difference === null || difference.expected === '') return '';
  return `${missing.length > 1 ? `${quote(place.part)}: ` : ''}${describeDifference(difference, text)}`;
}

/** As `differenceIn`, for a text in which nobody counts characters: they are those of the missing part. */
export function differenceOfPlace(part: string, text: string): string {
  const place = findLookAlike([part], text);
  return place === null ? '' : differenceIn([part], text.slice(place.at));
}

/** `character 4 is U+00A0 NO-BREAK SPACE, expected a space`. `owner`: what the character is of, if that is not clear. */
export function describeDifference({ at, actual, expected }: Difference, text: string, owner = ''): string {
  const isNormalization = actual !== '' && actual.normalize() === expected.normalize();
  const expectation = expected === '' ? 'the end' : describeCharacter(expected);
  const subject = `${isNormalization ? 'different Unicode normalization: ' : ''}${placeOf(text, at)}${owner}`;
  return `${subject} is ${actual === '' ? 'missing' : describeCharacter(actual)}, expected ${expectation}`;
}
