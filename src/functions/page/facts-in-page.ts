/// <reference lib="dom" />
import type { FactQuery } from './fact.ts';
import type { PageText, ReadOptions } from './page-text.ts';
import type { Plain } from './plain.ts';

/** What stands alone beside this function in the page. */
export interface FactReaders {
  readText(roots: readonly Element[] | null, options: ReadOptions, plain: Plain): PageText;
  plain: Plain;
  fold(text: string): string;
  namesOnPage(kind: 'id' | 'class', plain: Plain): string[];
  nameSought(selector: string): { readonly kind: 'id' | 'class' } | null;
}

/**
 * Reads in the page, and at once, what `read-fact.ts` would read of it through Playwright. Stands alone. Null where that could
 * come to something else: a frame is to be read, or the page's own document lacks a part of what Playwright sees (shadow
 * roots), which whoever calls it knows. Throws where a selector is not the browser's to read.
 */
export function readFacts(queries: readonly (FactQuery | null)[], readers: FactReaders): readonly unknown[] | null {
  const { readText, fold, namesOnPage, nameSought, plain } = readers;
  const namesOf = (selector: string): string[] => {
    const sought = nameSought(selector);
    return sought === null ? [] : namesOnPage(sought.kind, plain);
  };
  const facts: unknown[] = [];
  for (const query of queries) {
    if (query === null) facts.push(null);
    else if (query.kind === 'url') facts.push(location.href);
    else if (query.kind === 'text') {
      const { texts, frames } = readText(null, { explain: false }, plain);
      if (frames > 0) return null;
      const text = fold(texts.join('\n'));
      if (query.texts.every((one) => text.includes(fold(one)))) facts.push({ page: null });
      else {
        const { hidden, shown, ...read } = readText(null, { explain: true }, plain);
        facts.push({ page: { text: read.texts.join('\n'), hidden, shown } });
      }
    } else {
      const found = [...plain(document).querySelectorAll(query.selector)];
      const names = found.length > 0 ? [] : namesOf(query.selector);
      if (query.kind === 'elements') facts.push({ count: found.length, names });
      else {
        const texts = found.length === 0 ? [] : readText(found, { explain: false }, plain).texts;
        facts.push({ texts: texts.map(fold), names });
      }
    }
  }
  return facts;
}
