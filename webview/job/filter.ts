import type { JobCell } from '../../src/presentation/jobs/messages.ts';

/** The words of a filter, in lower case. */
export function wordsOf(filter: string): readonly string[] {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .filter((term) => term !== '');
}

/** Whether each word is in the task, the result, or the reasons of a run. */
export function matches(
  terms: readonly string[],
  { task, title }: { readonly task: string; readonly title: string },
  { accessibleText, reasons }: JobCell,
): boolean {
  if (terms.length === 0) return true;
  const text = `${task} ${title} ${accessibleText} ${reasons}`.toLowerCase();
  return terms.every((term) => text.includes(term));
}
