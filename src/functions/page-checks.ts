import * as z from 'zod';
import { pattern, selector, texts } from './arguments.ts';
import type { Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { findPattern } from './match.ts';
import { pageOf } from './needs.ts';
import { quote, quoteAll } from './words.ts';

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
    doc: 'Whether a person who scrolls could read the text on the page, or all texts of a list.',
    async run(context, wanted): Promise<Verdict> {
      const all = typeof wanted === 'string' ? [wanted] : wanted;
      const text = await pageOf(context).locator('body').innerText();
      const missing = all.filter((one) => !text.includes(one));
      return missing.length === 0
        ? { value: 1, reason: `${quoteAll(all)} is on the page` }
        : { value: 0, reason: `${quoteAll(missing)} is not on the page` };
    },
  }),
  declare({
    name: 'element_exists',
    phase: 'evaluate',
    environments: browser,
    args: z.tuple([selector]),
    parameters: ['selector'],
    doc: 'Whether the selector matches at least one element.',
    async run(context, wanted): Promise<Verdict> {
      const count = await pageOf(context).locator(wanted).count();
      return count > 0
        ? { value: 1, reason: `${count} match \`${wanted}\`` }
        : { value: 0, reason: `nothing matches \`${wanted}\`` };
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
      const found = await pageOf(context).locator(where).allInnerTexts();
      const matches = await findPattern(wanted, found);
      return matches.some((match) => match !== undefined)
        ? { value: 1, reason: `the pattern ${quote(wanted)} is found in \`${where}\`` }
        : { value: 0, reason: `the pattern ${quote(wanted)} is not found in \`${where}\`` };
    },
  }),
];
