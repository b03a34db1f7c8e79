import type { Cursor } from '../../../tasks/rows.ts';
import type { CompletionContext } from './context.ts';
import type { CompletionProposal } from './item.ts';
import { pagesOf } from './values.ts';

/** Maximum number of characters of a page to search. */
const MAX_PAGE = 500_000;
const MAX_SELECTORS = 1_000;

interface Selector {
  readonly text: string;
  readonly detail: string;
  /** Ids come first. */
  readonly rank: number;
}

/** Selectors of elements on the pages that the task's setup opens, read from their source; nothing is executed. */
export async function selectors(cursor: Cursor, context: CompletionContext): Promise<CompletionProposal[]> {
  const { before } = cursor;
  // Another selector engine, or an incomplete one that names no element.
  if (/^\s*[\w-]+=(?!\])/.test(before.slice(before.lastIndexOf('>>') + 2)) || before.trimStart().startsWith('//'))
    return [];
  const { pages, html } = pagesOf(cursor.task);
  const files = pages.filter((page) => !/^[a-z][a-z0-9+.-]*:/i.test(page)).map((page) => page.replace(/[?#].*$/s, ''));
  const sources = [...html.map((text) => ({ text, page: 'inline page' }))];
  for (const page of new Set(files)) {
    const text = await context.page(page);
    if (text !== null) sources.push({ text, page });
  }
  // Replaces the text of the last element.
  const last = /(?:\[[^\]]*|[#.]?[\w-]*)$/.exec(before)?.[0] ?? '';
  const prefix = before.slice(0, before.length - last.length);
  const inside = /[\w\])]$/.test(prefix);
  const texts = new Set<string>();
  const offers: CompletionProposal[] = [];
  for (const { text, page } of sources) {
    for (const { text: selector, detail, rank } of selectorsIn(text.slice(0, MAX_PAGE))) {
      // Directly after a tag, only a restriction of it can follow.
      if (texts.has(selector) || (inside && /^\w/.test(selector)) || offers.length >= MAX_SELECTORS) continue;
      texts.add(selector);
      offers.push({
        label: selector,
        kind: 'selector',
        signature: detail === '' ? undefined : ` ${detail}`,
        detail: page,
        filter: prefix + selector,
        pieces: [{ value: prefix + selector }],
        rank,
      });
    }
  }
  return offers;
}

const NAMING = ['data-testid', 'data-test', 'name', 'aria-label', 'placeholder', 'href', 'type', 'role'];

/**
 * `#id`, `[data-testid="x"]`, `.class`, and tag names of an HTML source, with the first words of each element's text.
 */
function* selectorsIn(html: string): Generator<Selector> {
  const text = html.replace(/<!--[\s\S]*?(?:-->|$)|(<(script|style)\b[^>]*>)[\s\S]*?(?:<\/\2\s*>|$)/gi, '$1');
  const tags = new Set<string>();
  for (const match of text.matchAll(
    /<([a-z][a-z0-9-]*)((?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?|\s|\/)*)>([^<]{0,60})/gi,
  )) {
    const [, name = '', attributeText = '', content = ''] = match;
    const tag = name.toLowerCase();
    if (['html', 'head', 'meta', 'link', 'title', 'script', 'style', 'body', 'br'].includes(tag)) continue;
    const attributes = new Map(
      [...attributeText.matchAll(/([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g)].map(
        ([, key = '', double, single, bare]) => [key.toLowerCase(), double ?? single ?? bare ?? ''] as const,
      ),
    );
    const words = content.replace(/\s+/g, ' ').trim();
    const detail = `<${tag}>${words === '' ? '' : ` ${words.length > 30 ? `${words.slice(0, 29)}…` : words}`}`;
    const id = attributes.get('id');
    if (id) yield { text: /^[A-Za-z_][\w-]*$/.test(id) ? `#${id}` : `[id="${id}"]`, detail, rank: 1 };
    for (const key of NAMING) {
      const value = attributes.get(key);
      if (value && !/["\\]/.test(value)) yield { text: `[${key}="${value}"]`, detail, rank: 3 };
    }
    for (const one of (attributes.get('class') ?? '').split(/\s+/)) {
      if (/^[A-Za-z_][\w-]*$/.test(one)) yield { text: `.${one}`, detail, rank: 2 };
    }
    tags.add(tag);
  }
  for (const tag of tags) yield { text: tag, detail: '', rank: 4 };
}
