import { Lines } from '../../../src/base/lines.ts';
import { type CompletionContext, type CompletionItem, completions } from '../../../src/language/typing/completion.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { atMark } from '../tasks/cursor.ts';

const context: CompletionContext = {
  own: new Map(),
  pages: async () => [],
  page: async () => null,
  used: () => ({ tags: new Set(), urls: new Set() }),
};

/** What is offered at the `|`, in the order in which an editor shows it. */
export async function listCompletions(
  file: string,
  markedText: string,
  around: Partial<CompletionContext> = {},
): Promise<CompletionItem[]> {
  const { text, offset } = atMark(markedText);
  const read = readTasks(file, text);
  const items = await completions(read, new Lines(text).position(offset), { ...context, ...around });
  return items.sort((a, b) => (a.sort < b.sort ? -1 : 1));
}

export async function labels(
  file: string,
  markedText: string,
  around: Partial<CompletionContext> = {},
): Promise<string[]> {
  return (await listCompletions(file, markedText, around)).map(({ label }) => label);
}

/** The text after one of the offers was taken; holes as in snippets. */
export async function accept(
  file: string,
  markedText: string,
  label: string,
  around: Partial<CompletionContext> = {},
): Promise<string> {
  const items = await listCompletions(file, markedText, around);
  const item = items.find((candidate) => candidate.label === label);
  if (item === undefined) return `not offered: ${items.map((candidate) => candidate.label).join(', ')}`;
  const { text, offset } = atMark(markedText);
  const lines = new Lines(text);
  const start = lines.offset(item.range.start);
  const end = lines.offset(item.range.end);
  const typed = text.slice(start, offset).replace(/^["']/, '');
  if (!item.filter.startsWith(typed)) return `hidden: “${typed}” does not begin “${item.filter}”`;
  const before = item.also === undefined ? start : lines.offset(item.also.range.start);
  return text.slice(0, before) + (item.also?.text ?? '') + text.slice(before, start) + item.text + text.slice(end);
}
