import type { Frame, Page } from 'playwright-core';
import * as z from 'zod';
import { pattern, selector, texts } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { nearest, roleName } from './nearest.ts';
import { nearestElement } from './nearest-element.ts';
import { pageOf } from './needs.ts';
import { fold } from './page/page-text.ts';
import { type ReadPage, readPage } from './page/read-page.ts';
import { readText } from './page/read-text.ts';
import { findPattern } from './pattern.ts';
import { excerpt, list, otherCase, quote, quoteAll } from './words.ts';

const browser = ['browser'] as const;

/** Checks of what a person can read and find on the page. */
export const pageChecks = [
  declare({
    name: 'page_contains',
    aliases: ['contains_text'],
    phase: 'evaluate',
    environments: browser,
    args: z.tuple([texts]),
    parameters: ['text'],
    doc: 'Whether a person who scrolls could read the text on the page, or all texts of a list. Upper and lower case differ.',
    async run(context, wanted): Promise<Verdict> {
      const page = pageOf(context);
      const all = typeof wanted === 'string' ? [wanted] : wanted;
      const text = fold((await readPage(page, { explain: false })).text);
      const missing = all.filter((one) => !text.includes(fold(one)));
      if (missing.length === 0) return { value: 1, reason: `${quoteAll(all)} can be read on the page` };
      const read = await readPage(page, { explain: true });
      return { value: 0, reason: missing.map((one) => whyMissing(one, read, all.length > 1)).join('; ') };
    },
  }),
  declare({
    name: 'element_exists',
    phase: 'evaluate',
    environments: browser,
    args: z.tuple([selector]),
    parameters: ['selector'],
    doc: 'Whether the selector matches at least one element of the page or its frames.',
    async run(context, wanted): Promise<Verdict> {
      const page = pageOf(context);
      const count = await countMatches(page, wanted);
      if (count > 0) {
        return { value: 1, reason: `${count === 1 ? 'one element matches' : `${count} elements match`} \`${wanted}\`` };
      }
      return { value: 0, reason: `no element matches \`${wanted}\`${await nearestElement(page, wanted)}` };
    },
  }),
  declare({
    name: 'text_matches',
    phase: 'evaluate',
    environments: browser,
    args: z.tuple([selector, pattern]),
    parameters: ['selector', 'pattern'],
    doc: "Whether the pattern (Python's notation) is found in the visible text of an element that the selector matches.",
    async run(context, where, wanted): Promise<Verdict> {
      const page = pageOf(context);
      const found = await textsOf(page, where);
      if (found.length === 0) {
        return { value: 0, reason: `no element matches \`${where}\`${await nearestElement(page, where)}` };
      }
      const matches = findPattern(wanted, found);
      const at = matches.findIndex((match) => match !== undefined);
      if (at >= 0) return { value: 1, reason: `\`${where}\` reads ${excerpt(found[at] ?? '')}` };
      const readable = found.filter((text) => text !== '');
      if (readable.length === 0)
        return { value: 0, reason: `\`${where}\` shows no text, so ${quote(wanted)} is not found in it` };
      const more = readable.length > 3 ? ` and ${readable.length - 3} more` : '';
      return {
        value: 0,
        reason: `${quote(wanted)} is not found in \`${where}\`, which reads ${list(
          readable.slice(0, 3).map((text) => excerpt(text)),
          'or',
        )}${more}`,
      };
    },
  }),
];

/** Folded visible text of each element that matches, over all frames. */
async function textsOf(page: Page, selector: string): Promise<string[]> {
  const found: string[] = [];
  for (const frame of page.frames()) {
    const read = await frame.locator(selector).evaluateAll(readText, { explain: false });
    const visible = read.texts.length > 0 && (await canBeSeen(frame));
    found.push(...read.texts.map((text) => (visible ? fold(text) : '')));
  }
  return found;
}

async function canBeSeen(frame: Frame): Promise<boolean> {
  const parent = frame.parentFrame();
  if (!parent) return true;
  return (await (await frame.frameElement()).isVisible()) && canBeSeen(parent);
}

async function countMatches(page: Page, selector: string): Promise<number> {
  let count = 0;
  for (const frame of page.frames()) count += await frame.locator(selector).count();
  return count;
}

function whyMissing(text: string, { text: shownText, hidden, shown }: ReadPage, several: boolean): string {
  const subject = several ? `${quote(text)} is ` : '';
  const wanted = fold(text);
  const concealed = findHidden(wanted, hidden);
  if (concealed !== undefined) {
    if (concealed.startsWith('only ')) return `${subject}not on the page, ${concealed}`;
    return `${subject}there, but hidden (${concealed})`;
  }
  const cased = otherCase(wanted, fold(shownText));
  if (cased !== '') return `${subject}not on the page${cased}`;
  const like = nearest(wanted, shown, (element) => element.text);
  if (!like) return `${subject}not on the page`;
  const named = shown.find((element) => element.text === like.text && roleName(element) !== '') ?? like;
  return `${subject}not on the page; nearest: ${[roleName(named), excerpt(named.text)].filter(Boolean).join(' ')}`;
}

/** Why the text cannot be read, where it stands in what is hidden, also across several pieces that follow each other. */
function findHidden(wanted: string, hidden: ReadPage['hidden']): string | undefined {
  const alone = hidden.find((piece) => fold(piece.text).includes(wanted));
  if (alone) return alone.why;
  for (let at = 0; at < hidden.length; at++) {
    const why = hidden[at]?.why;
    let joined = '';
    for (let end = at; end < hidden.length && hidden[end]?.why === why && joined.length < wanted.length + 200; end++) {
      joined += hidden[end]?.text ?? '';
      if (fold(joined).includes(wanted)) return why;
    }
  }
  return undefined;
}
