import { findBuiltin } from '../../functions/catalogue.ts';
import { UNNAMED } from '../../functions/masked.ts';
import type { Call } from '../../tasks/task.ts';
import { MASKED } from '../masking/mask-page.ts';
import type { Snapshot } from './recording.ts';

/** A mask, with or without a name. */
const MASK = /<secret>[^<]*<\/secret>/;
/** The unnamed mask in text, and in URLs. */
const UNNAMED_FORMS = [UNNAMED, encodeURI(UNNAMED)];

/**
 * Whether the text that a call failed on is a mask, so that its value has no meaning for the run. A built-in function can
 * compare a secret that has a name: its arguments have the same mask.
 */
export function isFailureOnMask({ function: name }: Call, value: number, reason: string): boolean {
  if (value === 1) return false;
  return findBuiltin(name) === undefined ? MASK.test(reason) : UNNAMED_FORMS.some((form) => reason.includes(form));
}

/** What the recording masks of the response and the actions, if the call can read it. */
export function masksBesidePage({ function: name }: Call, { response, actions }: Snapshot): readonly string[] {
  const builtin = findBuiltin(name);
  const isMasked =
    builtin === undefined
      ? MASK.test(JSON.stringify([response, actions]))
      : builtin.needs.length === 0 && response?.includes(UNNAMED) === true;
  return isMasked ? [MASKED] : [];
}
