import type { Json, JsonObject } from '../../base/json.ts';
import type { FunctionDeclaration } from '../../functions/declaration.ts';
import { normalize } from '../../functions/graders/text.ts';
import { checksResponseOnly } from '../../tasks/answers.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import { changeTo } from '../../tasks/value-fixes.ts';

/** Functions that an empty text always satisfies. */
const OF_TEXT = new Set(['page_contains', 'response_includes', 'url_contains', 'contains', 'match_single']);
/** Patterns that match every text. */
const ANYTHING = new Set(['', '.*', '^', '$', '(?s).*', '^.*', '.*$', '^.*$', '[\\s\\S]*', '(?s)^.*$', '.*?']);
const EVERY_PAGE = new Set(['*', 'html', 'body', 'head', ':root', 'html body', 'html > body']);

/** Functions that search for each text of a list. */
const OF_LIST = new Set(['contains_any', 'contains_all', 'match_all']);

/** Evaluate calls whose result does not depend on the agent, or that do not check what they appear to. */
export function constantProblems(call: ReadCall, declaration: Pick<FunctionDeclaration, 'name'>): Problem[] {
  const always = alwaysTrueProblems(call, declaration);
  return always.length > 0 ? always : [...neverTrueProblems(call, declaration), ...lettersProblems(call, declaration)];
}

/** An evaluate call that always succeeds, so the task does not measure the agent. */
function alwaysTrueProblems(call: ReadCall, { name }: Pick<FunctionDeclaration, 'name'>): Problem[] {
  const [first, second] = call.args;
  const index = alwaysTrue(name, first, second);
  if (index === null) return [];
  return [
    {
      path: call.argPaths[index] ?? call.path,
      severity: 'warning',
      code: 'always-true',
      message: checksResponseOnly(name)
        ? `Every response satisfies this ${call.function}, so it cannot distinguish correct from incorrect ones`
        : `This ${call.function} always succeeds, whatever the agent does`,
    },
  ];
}

/** An evaluate call that can never succeed. */
function neverTrueProblems(
  { function: called, args, argPaths, path }: ReadCall,
  { name }: { name: string },
): Problem[] {
  const [first, second] = args;
  const nothing = (name === 'contains_any' || name === 'match_all') && hasNoItems(first);
  const wordless = name === 'f1_score' && normalize(String(first)) === '';
  const beyond = name === 'numeric_match' && typeof second === 'number' && second < 0;
  if (!nothing && !wordless && !beyond) return [];
  return [
    {
      path: argPaths[beyond ? 1 : 0] ?? path,
      severity: 'warning',
      code: 'never-true',
      message: `No response satisfies this ${called}: ${beyond ? 'a distance is never negative' : 'there is no text to search for'}`,
    },
  ];
}

/** A text in place of a list: HUD searches for each of its characters. */
function lettersProblems({ function: called, args, argPaths, path }: ReadCall, { name }: { name: string }): Problem[] {
  const [first] = args;
  if (!OF_LIST.has(name) || args.length > 2 || typeof first !== 'string' || first === '') return [];
  if (name === 'match_all' && args.length > 1) return [];
  const at = argPaths[0] ?? path;
  return [
    {
      path: at,
      severity: 'warning',
      code: 'letters-of-text',
      message: `${called} searches for each character of this string, as in HUD. Write ${JSON.stringify([first])}`,
      fixes: [changeTo(at, [first])],
    },
  ];
}

function hasNoItems(value: Json | undefined): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0);
}

/** The index of the argument that causes it. */
function alwaysTrue(name: string, first: Json | undefined, second: Json | undefined): number | null {
  if (OF_TEXT.has(name)) return isEmpty(first, name === 'page_contains' || name === 'match_single') ? 0 : null;
  if (name === 'contains_all') return hasNoItems(first) || isEmpty(first, false) ? 0 : null;
  if (name === 'contains_any') return Array.isArray(first) && first.includes('') ? 0 : null;
  if (name === 'match_all') return Array.isArray(first) && isEmpty(first as Json, false) ? 0 : null;
  if (name === 'response_match' || name === 'match_regex')
    return typeof first === 'string' && ANYTHING.has(first) ? 0 : null;
  // An empty address is compared literally.
  if (name === 'url_match') return typeof first === 'string' && first !== '' && ANYTHING.has(first) ? 0 : null;
  if (name === 'text_matches') {
    return typeof second === 'string' && ANYTHING.has(second) && isEveryPage(first) ? 1 : null;
  }
  if (name === 'element_exists') return isEveryPage(first) ? 0 : null;
  if (name === 'history_length') return first === 0 || isLeastOfNothing(first) ? 0 : null;
  return null;
}

/** @param folded whether white space is ignored */
function isEmpty(value: Json | undefined, folded: boolean): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isEmpty(item as Json, folded));
  return typeof value === 'string' && (folded ? value.trim() : value) === '';
}

function isEveryPage(value: Json | undefined): boolean {
  return typeof value === 'string' && EVERY_PAGE.has(value.trim().toLowerCase());
}

function isLeastOfNothing(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const limits = value as JsonObject;
  return limits['min'] === 0 && limits['max'] === undefined && limits['exact'] === undefined;
}
