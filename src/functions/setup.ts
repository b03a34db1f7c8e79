import { stripVTControlCharacters } from 'node:util';
import type { Locator } from 'playwright-core';
import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { MAX_TIMEOUT_MS } from '../base/time-limit.ts';
import { address, cookies, selector } from './arguments.ts';
import type { FunctionContext } from './declaration.ts';
import { declare } from './declare.ts';
import { nearestElement } from './nearest.ts';
import { openIn, pageOf } from './needs.ts';
import { namesOf } from './page/read-fact.ts';

const ON_PAGE = { phase: 'setup', needs: ['page'] } as const;

/** Setup functions of browser environments. */
export const setupFunctions = [
  declare({
    name: 'goto',
    ...ON_PAGE,
    inRemoteBrowser: true,
    args: z.tuple([address]),
    parameters: ['url'],
    doc: 'Opens a URL, or a page file next to the task. A URL without a scheme gets `http://`.',
    run: (context, url) => openIn(context, { url }),
  }),
  declare({
    name: 'load_html_content',
    ...ON_PAGE,
    inRemoteBrowser: true,
    args: z.tuple([z.string()]),
    parameters: ['html'],
    doc: 'Opens the given HTML as a page with its own origin, so that cookies and storage work.',
    run: (context, html) => openIn(context, { html }),
  }),
  declare({
    name: 'set_cookies',
    ...ON_PAGE,
    args: z.tuple([cookies]),
    parameters: ['cookies'],
    doc: 'Sets cookies: a list of `{name, value, url?, domain?, path?, ...}` or an object of names and values. The default is the URL of the current page.',
    async run(context, list) {
      const page = pageOf(context);
      await page.context().addCookies(
        list.map(({ url, domain, path, ...cookie }) => {
          if (domain !== undefined) return { ...defined(cookie), domain, path: path ?? '/' };
          const address = url ?? page.url();
          if (!/^https?:/.test(address)) {
            throw new Error(
              `the cookie \`${cookie.name}\` has no URL: open a page first (goto), or set a \`url\` or a \`domain\` for the cookie`,
            );
          }
          if (path === undefined) return { ...defined(cookie), url: address };
          return { ...defined(cookie), domain: new URL(address).hostname, path };
        }),
      );
    },
  }),
  declare({
    name: 'set_local_storage',
    ...ON_PAGE,
    args: z.tuple([z.record(z.string(), z.string())]),
    parameters: ['items'],
    doc: 'Sets items in the local storage of the current page.',
    async run(context, items) {
      const page = pageOf(context);
      if (!/^https?:/.test(page.url())) {
        throw new Error('local storage belongs to an origin: open a page first (goto or load_html_content)');
      }
      await page.evaluate((entries) => {
        for (const [key, value] of entries) localStorage.setItem(key, value);
      }, Object.entries(items));
    },
  }),
  declare({
    name: 'click',
    ...ON_PAGE,
    args: z.tuple([selector]),
    parameters: ['selector'],
    doc: 'Clicks an element.',
    run: (context, target) =>
      onElement(context, target, (element) => element.click({ timeout: context.actionTimeout })),
  }),
  declare({
    name: 'type',
    ...ON_PAGE,
    args: z.tuple([selector, z.string()]),
    parameters: ['selector', 'text'],
    doc: 'Replaces the content of a field by typing the text.',
    async run(context, target, text) {
      await onElement(context, target, async (field) => {
        await field.fill('', { timeout: context.actionTimeout });
        await field.pressSequentially(text, { timeout: context.actionTimeout + 50 * text.length });
      });
    },
  }),
  declare({
    name: 'press',
    ...ON_PAGE,
    args: z.union([z.tuple([z.string().min(1)]), z.tuple([selector, z.string().min(1)])], {
      error: 'expected a key, or a selector and a key',
    }),
    parameters: ['selector?', 'key'],
    doc: "Presses a key or a key combination (Playwright's names: `Enter`, `Control+A`) in an element, or in the focused element.",
    async run(context, ...args) {
      if (args.length === 1) await pageOf(context).keyboard.press(args[0]);
      else await onElement(context, args[0], (element) => element.press(args[1], { timeout: context.actionTimeout }));
    },
  }),
  declare({
    name: 'wait_for_element',
    ...ON_PAGE,
    args: z.tuple([selector, z.number().positive().optional()]),
    parameters: ['selector', 'timeout_ms?'],
    workMs: ([, timeout]) => (typeof timeout === 'number' ? timeout : 0),
    doc: 'Waits until an element is visible.',
    async run(context, target, timeout) {
      const limit = Math.min(timeout ?? context.actionTimeout, MAX_TIMEOUT_MS);
      await onElement(context, target, (element) => element.waitFor({ state: 'visible', timeout: limit }));
    },
  }),
  declare({
    name: 'browser.maximize',
    ...ON_PAGE,
    args: z.tuple([]),
    parameters: [],
    doc: 'Does nothing, because the browser of the environment has no window.',
    async run() {},
  }),
];

/** Acts on the first element that matches. Throws if there is none, or with the reason why it is not actionable. */
async function onElement(
  context: FunctionContext,
  target: string,
  act: (element: Locator) => Promise<void>,
): Promise<void> {
  const page = pageOf(context);
  const all = page.locator(target);
  try {
    await act(all.first());
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'TimeoutError') throw error;
    if ((await all.count()) === 0) {
      const nearest = nearestElement(target, await namesOf(page, target));
      throw new Error(`no element matches \`${target}\`${nearest}`, { cause: error });
    }
    // The last lines of Playwright's log say what it waited for.
    const waiting = stripVTControlCharacters(error.message)
      .split('\n')
      .map((line) => line.replace(/^\s*-?\s*/, '').trim())
      .findLast((line) => /^element (?:is|was)|intercepts pointer events/.test(line));
    throw new Error(`timed out waiting for \`${target}\`${waiting ? `: ${waiting}` : ''}`, { cause: error });
  }
}
