import type { FunctionDeclaration } from '../../functions/declaration.ts';
import type { ReadCall } from '../../tasks/calls.ts';
import type { Problem } from '../../tasks/problem.ts';
import type { Json } from '../../tasks/task.ts';

/** Checks of a text in which an empty text always stands. */
const OF_TEXT = new Set(['page_contains', 'response_includes', 'url_contains']);
/** Patterns that are found in every text. */
const ANYTHING = new Set(['', '.*', '^', '$', '(?s).*', '^.*', '.*$', '^.*$', '[\\s\\S]*', '(?s)^.*$', '.*?']);
const EVERY_PAGE = new Set(['*', 'html', 'body', 'head', ':root', 'html body', 'html > body']);

/** An evaluate call that is satisfied whatever the agent does: its task says nothing about an agent. */
export function constantProblems(call: ReadCall, { name }: Pick<FunctionDeclaration, 'name'>): Problem[] {
  const [first, second] = call.args;
  const index = alwaysTrue(name, first, second);
  if (index === null) return [];
  return [
    {
      path: call.argPaths[index] ?? call.path,
      severity: 'warning',
      code: 'always-true',
      message: name.startsWith('response_')
        ? `Every response satisfies this ${call.function}: it cannot tell a right one from a wrong one`
        : `This ${call.function} is satisfied whatever the agent does`,
    },
  ];
}

/** The index of the argument that makes it so. */
function alwaysTrue(name: string, first: Json | undefined, second: Json | undefined): number | null {
  if (OF_TEXT.has(name)) return isEmpty(first, name === 'page_contains') ? 0 : null;
  if (name === 'response_match') return typeof first === 'string' && ANYTHING.has(first) ? 0 : null;
  // An empty address is compared as it stands.
  if (name === 'url_match') return typeof first === 'string' && first !== '' && ANYTHING.has(first) ? 0 : null;
  if (name === 'text_matches') {
    return typeof second === 'string' && ANYTHING.has(second) && isEveryPage(first) ? 1 : null;
  }
  if (name === 'element_exists') return isEveryPage(first) ? 0 : null;
  if (name === 'history_length') return first === 0 || isLeastOfNothing(first) ? 0 : null;
  return null;
}

/** @param folded white space counts for nothing */
function isEmpty(value: Json | undefined, folded: boolean): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((item) => isEmpty(item as Json, folded));
  return typeof value === 'string' && (folded ? value.trim() : value) === '';
}

function isEveryPage(value: Json | undefined): boolean {
  return typeof value === 'string' && EVERY_PAGE.has(value.trim().toLowerCase());
}

function isLeastOfNothing(value: Json | undefined): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const limits = value as Readonly<Record<string, Json>>;
  return limits['min'] === 0 && limits['max'] === undefined && limits['exact'] === undefined;
}
