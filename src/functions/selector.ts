/** Says what is wrong with a selector (CSS, or Playwright's with its `engine=` prefix), or null. */
export function selectorProblem(selector: string): string | null {
  if (selector.trim() === '') return 'the selector is empty';
  return null;
}
