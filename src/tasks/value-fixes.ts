import type { Json } from '../base/json.ts';
import { didYouMean, nearestWord } from '../base/nearest.ts';
import type { Path } from '../base/path.ts';
import { digitsOf, isNumber } from '../base/raw-number.ts';
import type { ValueFix } from './change.ts';

/** Replaces the value. */
export function changeTo(path: Path, value: Json, safe = false): ValueFix {
  const json = JSON.stringify(value);
  const title = json.length > 60 ? 'Change it' : `Change to ${json}`;
  return { title, changes: [{ set: path, value }], ...(safe ? { safe } : {}) };
}

/** Removes a member or an item. */
export function removal(path: Path, title = `Remove “${path.at(-1)}”`): ValueFix {
  return { title, changes: [{ remove: path }] };
}

/** The text that a value probably stands for: a number or boolean that lacks its quotes. */
export function asText(value: Json): string | undefined {
  return isNumber(value) ? digitsOf(value) : typeof value === 'boolean' ? String(value) : undefined;
}

/** Changes a value to the text that it probably stands for, or else removes it. */
export function toTextOrNothing(path: Path, value: Json): ValueFix {
  const text = asText(value);
  return text === undefined ? removal(path) : changeTo(path, text);
}

/** For an unknown key: the known key that is closest to it, if any, and the possible fixes. */
export function suggestKey(
  at: Path,
  validKeys: readonly string[],
  present: Readonly<Record<string, unknown>>,
): { readonly hint: string; readonly fixes: readonly ValueFix[] } {
  const near = nearestWord(
    String(at.at(-1)),
    validKeys.filter((name) => !(name in present)),
  );
  const renaming = near === null ? [] : [{ title: `Change to “${near}”`, changes: [{ rename: at, key: near }] }];
  return { hint: didYouMean(near), fixes: [...renaming, removal(at)] };
}
