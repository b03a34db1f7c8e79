import * as z from 'zod';
import { pattern, selector, texts } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { differenceOfPlace } from './differences.ts';
import { FAILED_ON_MASK, UNNAMED } from './masked.ts';
import { nearest, nearestElement, roleName } from './nearest.ts';
import { NotRecorded } from './not-recorded.ts';
import { fold } from './page/page-text.ts';
import { factOf } from './page/read-fact.ts';
import type { ReadPage } from './page/read-page.ts';
import { findPattern } from './pattern.ts';
import { patternDifference } from './pattern-differences.ts';
import { anyText, blankTexts, onEveryPage } from './trivial.ts';
import { excerpt, hintFirst, list, otherCase, quote, quoteAll } from './words.ts';

const text = (texts: string | readonly string[]) =>
  ({ kind: 'text', texts: typeof texts === 'string' ? [texts] : texts }) as const;
const elements = (wanted: string) => ({ kind: 'elements', selector: wanted }) as const;
const textsOf = (where: string) => ({ kind: 'texts', selector: where }) as const;

/** Evaluate functions of the text and the elements of the page. */
export const pageFunctions = [
  declare({
    name: 'page_contains',
    aliases: ['contains_text'],
    phase: 'evaluate',
    needs: ['page'],
    reads: ['page'],
    args: z.tuple([texts]),
    parameters: ['text'],
    doc: 'Checks whether the text, or all texts in a list, can be read on the page, which may need scrolling. Case-sensitive.',
    ofResponse: 'response_includes',
    trivial: blankTexts,
    pageFact: text,
    async run(context, expected): Promise<Verdict> {
      const query = text(expected);
      const { page } = await factOf(context, query);
      const all = query.texts;
      const readable = fold(page?.text ?? '');
      const missing = page === null ? [] : all.filter((one) => !readable.includes(fold(one)));
      if (page === null || missing.length === 0) {
        return { value: 1, reason: `${quoteAll(all)} can be read on the page` };
      }
      if (context.recording && page.text.includes(UNNAMED)) throw new NotRecorded(FAILED_ON_MASK);
      return { value: 0, reason: missing.map((one) => explainMissing(one, page, all.length > 1)).join('; ') };
    },
  }),
  declare({
    name: 'element_exists',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['page'],
    args: z.tuple([selector]),
    parameters: ['selector'],
    doc: 'Checks whether the selector matches at least one element of the page or its frames.',
    trivial: onEveryPage,
    pageFact: elements,
    async run(context, selector): Promise<Verdict> {
      const { count, names } = await factOf(context, elements(selector));
      if (count > 0) {
        return {
          value: 1,
          reason: `${count === 1 ? 'one element matches' : `${count} elements match`} \`${selector}\``,
        };
      }
      return { value: 0, reason: hintFirst(nearestElement(selector, names), `no element matches \`${selector}\``) };
    },
  }),
  declare({
    name: 'text_matches',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['page'],
    args: z.tuple([selector, pattern]),
    parameters: ['selector', 'pattern'],
    doc: 'Checks whether the pattern (Python syntax) matches the visible text of an element that the selector matches.',
    trivial: (where, wanted) => (onEveryPage(where) === null ? null : anyText(wanted, 1)),
    pageFact: textsOf,
    async run(context, where, pattern): Promise<Verdict> {
      const { texts: elementTexts, names } = await factOf(context, textsOf(where));
      if (elementTexts.length === 0) {
        return { value: 0, reason: hintFirst(nearestElement(where, names), `no element matches \`${where}\``) };
      }
      const matches = findPattern(pattern, elementTexts);
      const at = matches.findIndex((match) => match !== undefined);
      if (at >= 0) return { value: 1, reason: `the text of \`${where}\` is ${excerpt(elementTexts[at] ?? '')}` };
      const readable = elementTexts.filter((text) => text !== '');
      if (readable.length === 0)
        return { value: 0, reason: `\`${where}\` shows no text, so the pattern ${quote(pattern)} does not match` };
      const more = readable.length > 3 ? ` and ${readable.length - 3} more` : '';
      const there = list(
        readable.slice(0, 3).map((text) => excerpt(text)),
        'or',
      );
      const failure = `the pattern ${quote(pattern)} does not match the text of \`${where}\`, which is ${there}${more}`;
      return { value: 0, reason: hintFirst(patternDifference(pattern, readable), failure) };
    },
  }),
];

function explainMissing(text: string, page: ReadPage, several: boolean): string {
  const subject = several ? `${quote(text)} is ` : '';
  const expected = fold(text);
  const cause = findHidden(expected, page.hiddenTexts);
  if (cause !== undefined) {
    if (cause.startsWith('only ')) return `${subject}not on the page, ${cause}`;
    return `${subject}on the page, but hidden (${cause})`;
  }
  const readable = fold(page.text);
  const hint =
    otherCase(expected, readable) || differenceOfPlace(expected, readable) || nearestText(expected, page.shownElements);
  // One of several texts is told apart by the text itself.
  if (several) return `${subject}not on the page${hint === '' ? '' : ` (${hint})`}`;
  return hintFirst(hint, 'not on the page');
}

/** `nearest: button “Place order”`; empty if nothing on the page is similar. */
function nearestText(expected: string, shownElements: ReadPage['shownElements']): string {
  const like = nearest(expected, shownElements, ({ text }) => text);
  if (like === undefined) return '';
  const element = shownElements.find((one) => one.text === like.text && roleName(one) !== '') ?? like;
  return `nearest: ${[roleName(element), excerpt(element.text)].filter(Boolean).join(' ')}`;
}

/** Why the text cannot be read, if hidden text contains it, even across adjacent pieces. */
function findHidden(expected: string, pieces: ReadPage['hiddenTexts']): string | undefined {
  const alone = pieces.find((piece) => fold(piece.text).includes(expected));
  if (alone) return alone.why;
  for (let at = 0; at < pieces.length; at++) {
    const why = pieces[at]?.why;
    let text = '';
    for (let end = at; end < pieces.length && pieces[end]?.why === why && text.length < expected.length + 200; end++) {
      text += pieces[end]?.text ?? '';
      if (fold(text).includes(expected)) return why;
    }
  }
  return undefined;
}
