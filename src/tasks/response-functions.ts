// Written by npm run build from the declarations in src/functions/.

/** The built-in evaluate functions that judge only the response. */
export const RESPONSE_FUNCTIONS: ReadonlySet<string> = new Set([
  'response_includes',
  'response_is',
  'response_match',
  'exact_match',
  'contains',
  'contains_any',
  'contains_all',
  'numeric_match',
  'f1_score',
  'match_single',
  'match_all',
  'match_fuzzy',
  'match_regex',
  'match_diff',
]);
