import type { Cookie } from 'playwright-core';
import * as z from 'zod';
import { historyLength, namesAndValues, pattern, texts } from './arguments.ts';
import type { FunctionContext, Verdict } from './declaration.ts';
import { declare } from './declare.ts';
import { differenceIn, differenceOf } from './differences.ts';
import { pageOf } from './needs.ts';
import { factOf } from './page/read-fact.ts';
import { matchesValue } from './pattern.ts';
import { valueDifference } from './pattern-differences.ts';
import { always, anyUrl, emptyTexts } from './trivial.ts';
import { excerpt, firstHint, hintFirst, list, otherCase, quote } from './words.ts';

const address = () => ({ kind: 'url' }) as const;

/** Evaluate functions of the state of the browser: URL, cookies, history. */
export const browserFunctions = [
  declare({
    name: 'url_match',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['url'],
    args: z.tuple([pattern]),
    parameters: ['pattern'],
    doc: 'Checks whether the URL of the active page equals the given URL or matches the pattern (Python syntax).',
    trivial: anyUrl,
    pageFact: address,
    async run(context, expected): Promise<Verdict> {
      const url = await factOf(context, address());
      if (sameAddress(expected, url)) return { value: 1, reason: `the URL is ${url}` };
      if (!isAddress(expected) && matchesValue(expected, url)) {
        return { value: 1, reason: `the pattern ${quote(expected)} matches ${url}` };
      }
      const failure = isAddress(expected)
        ? `expected the URL ${expected}, but the page is at ${url}`
        : `the pattern ${quote(expected)} does not match the URL ${url}`;
      return { value: 0, reason: hintFirst(valueDifference(expected, url), failure) };
    },
  }),
  declare({
    name: 'url_contains',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['url'],
    args: z.tuple([z.string()]),
    parameters: ['text'],
    doc: 'Checks whether the URL of the active page contains the text.',
    trivial: emptyTexts,
    pageFact: address,
    async run(context, text): Promise<Verdict> {
      const url = await factOf(context, address());
      if (url.includes(text)) return { value: 1, reason: `the URL ${url} contains ${quote(text)}` };
      const hint = otherCase(text, url) || differenceIn([text], url);
      return { value: 0, reason: hintFirst(hint, `${quote(text)} is not in the URL ${url}`) };
    },
  }),
  declare({
    name: 'cookie_exists',
    aliases: ['cookies_exist'],
    phase: 'evaluate',
    needs: ['page'],
    reads: ['cookies'],
    args: z.tuple([texts]),
    parameters: ['name'],
    doc: 'Checks whether a cookie with the name exists, or cookies with all names in a list.',
    async run(context, expected): Promise<Verdict> {
      const names = typeof expected === 'string' ? [expected] : expected;
      const cookies = await pageOf(context).context().cookies();
      const missing = names.filter((name) => !cookies.some((cookie) => cookie.name === name));
      return missing.length === 0
        ? { value: 1, reason: `there ${names.length > 1 ? 'are the cookies' : 'is the cookie'} ${codes(names)}` }
        : { value: 0, reason: describeMissing(missing, cookies) };
    },
  }),
  declare({
    name: 'cookie_match',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['cookies'],
    args: z.union([z.tuple([z.string(), pattern]), z.tuple([namesAndValues])], {
      error: 'expected a name and a value (or pattern), or one list [name, value, name, value, ...]',
    }),
    parameters: ['name', 'value'],
    doc: 'Checks whether the cookie has the value, or its value matches the pattern (Python syntax). `[n1, v1, n2, v2]` checks several cookies.',
    async run(context, ...args): Promise<Verdict> {
      const flat = typeof args[0] === 'string' ? (args as readonly string[]) : args[0];
      const cookies = await pageOf(context).context().cookies();
      const good: string[] = [];
      for (let index = 0; index < flat.length; index += 2) {
        const [name, value] = [flat[index] ?? '', flat[index + 1] ?? ''];
        const same = cookies.filter((cookie) => cookie.name === name);
        if (same.length === 0) return { value: 0, reason: describeMissing([name], cookies) };
        let isMatch = false;
        for (const cookie of same) isMatch ||= matchesValue(value, cookie.value);
        if (!isMatch) {
          const values = list(same.map((cookie) => excerpt(cookie.value)));
          const hint = firstHint(same, (cookie) => valueDifference(value, cookie.value));
          return { value: 0, reason: hintFirst(hint, `cookie \`${name}\` is ${values}, expected ${quote(value)}`) };
        }
        good.push(name);
      }
      return { value: 1, reason: `${codes(good)} as expected` };
    },
  }),
  declare({
    name: 'history_length',
    phase: 'evaluate',
    needs: ['page'],
    reads: ['history'],
    args: z.tuple([historyLength]),
    parameters: ['length'],
    doc: "Checks whether the tab's history has at least the given number of entries. `{exact, min, max}` sets other limits.",
    trivial(expected) {
      const { min, max, exact } = typeof expected === 'number' ? { min: expected } : expected;
      return min === 0 && max === undefined && exact === undefined
        ? always('a history never has fewer than 0 entries')
        : null;
    },
    async run(context, expected): Promise<Verdict> {
      const count = await historyEntries(context);
      const limits = typeof expected === 'number' ? { min: expected } : expected;
      const bounds = Object.entries(limits).map(([limit, count]) =>
        limit === 'exact' ? `exactly ${count}` : limit === 'min' ? `at least ${count}` : `at most ${count}`,
      );
      const fits =
        (limits.exact === undefined || count === limits.exact) &&
        (limits.min === undefined || count >= limits.min) &&
        (limits.max === undefined || count <= limits.max);
      const entries = `the tab's history has ${count} ${count === 1 ? 'entry' : 'entries'}`;
      return fits ? { value: 1, reason: entries } : { value: 0, reason: `${entries}, expected ${list(bounds)}` };
    },
  }),
];

async function historyEntries(context: FunctionContext): Promise<number> {
  if (context.recording) return context.recording.history;
  const page = pageOf(context);
  const session = await page.context().newCDPSession(page);
  try {
    const { entries } = await session.send('Page.getNavigationHistory');
    // A tab begins at about:blank, which is not a visit.
    return entries[0]?.url === 'about:blank' ? entries.length - 1 : entries.length;
  } finally {
    await session.detach();
  }
}

/** Whether the text is a URL without any pattern syntax. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:[^\\^$*()[\]{}|]*$/i.test(text);
}

function sameAddress(expected: string, url: string): boolean {
  return expected === url || (URL.canParse(expected) && new URL(expected).href === url);
}

function codes(names: readonly string[]): string {
  return list(names.map((name) => `\`${name}\``));
}

function describeMissing(names: readonly string[], cookies: readonly Cookie[]): string {
  const hint = firstHint(names, (name) => firstHint(cookies, (cookie) => differenceOf(name, cookie.name)));
  const failure = `${names.length > 1 ? 'cookies' : 'cookie'} ${codes(names)} missing${describeOthers(cookies)}`;
  return hintFirst(hint, failure);
}

function describeOthers(cookies: readonly Cookie[]): string {
  const names = [...new Set(cookies.map((cookie) => cookie.name))];
  if (names.length === 0) return '; there are no cookies';
  const examples = names.slice(0, 8).map((name) => `\`${name}\``);
  const more = names.length > examples.length ? ` and ${names.length - examples.length} more` : '';
  return `; there ${names.length === 1 ? 'is' : 'are'} ${examples.join(', ')}${more}`;
}
