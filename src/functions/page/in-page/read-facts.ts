/// <reference lib="dom" />
import type { FactQuery } from '../../fact-query.ts';
import { finalName } from '../final-name.ts';
import { fold } from '../page-text.ts';
import { plain } from '../plain.ts';
import { listNames } from './list-names.ts';
import { readText } from './read-text.ts';

/**
 * Reads in one call what `read-fact.ts` reads through Playwright. Returns null if the two could differ because there is
 * a frame to read. The caller makes sure that the document has no shadow roots. Throws if the browser cannot parse a
 * selector.
 */
export function readFacts(queries: readonly (FactQuery | null)[]): readonly unknown[] | null {
  const facts: unknown[] = [];
  for (const query of queries) {
    if (query === null) facts.push(null);
    else if (query.kind === 'url') facts.push(location.href);
    else if (query.kind === 'text') {
      const { texts, frames } = readText(null, { explain: false });
      if (frames.length > 0) return null;
      const text = fold(texts.join('\n'));
      if (query.texts.every((one) => text.includes(fold(one)))) facts.push({ page: null });
      else {
        const { hiddenTexts, shownElements, ...read } = readText(null, { explain: true });
        facts.push({ page: { text: read.texts.join('\n'), hiddenTexts, shownElements } });
      }
    } else {
      const elements = [...plain(document).querySelectorAll(query.selector)];
      const names = elements.length > 0 ? [] : namesOf(query.selector);
      if (query.kind === 'elements') facts.push({ count: elements.length, names });
      else {
        const texts = elements.length === 0 ? [] : readText(elements, { explain: false }).texts;
        facts.push({ texts: texts.map(fold), names });
      }
    }
  }
  return facts;
}

function namesOf(selector: string): string[] {
  const name = finalName(selector);
  return name === null ? [] : listNames(name.kind);
}
