/** Replaces a typed password, which has no name, in the recording of a masked run. */
export const UNNAMED = '<secret>…</secret>';

/** Why a call has no value that failed on a mask. */
export const FAILED_ON_MASK =
  'it read text that the recording masks, such as a typed password, so its value is not known. Run the task again to evaluate it';
