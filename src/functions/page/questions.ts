import type { Locator, Page } from 'playwright-core';
import type { Json } from '../../base/json.ts';
import { jsonSchema } from '../../base/json-validator.ts';
import { withLimit } from '../../base/timeout.ts';
import { untilAborted } from '../../base/until-aborted.ts';
import { storageOf } from './in-page/storage.ts';
import { callIn } from './page-calls.ts';
import type { PageLink } from './page-link.ts';

/** The parts of a page's state; `state` returns all of them. */
const STATE = ['url', 'title', 'cookies', 'localStorage', 'sessionStorage'] as const;
/** The queries of a page, which do not change it. */
export const PAGE_QUESTIONS = [...STATE, 'state', 'content'] as const;

/** Methods of Playwright that find elements in a page or in other elements. */
export const FINDERS = [
  'locator',
  'getByText',
  'getByRole',
  'getByLabel',
  'getByPlaceholder',
  'getByTestId',
  'getByTitle',
];
/** Methods that choose one of the elements that a locator finds. */
export const NARROWERS = ['first', 'last', 'nth'];
/** Queries of any number of elements. */
const OF_ALL = ['count', 'allTextContents', 'allInnerTexts'];
/** Queries of a single element. */
const OF_ONE = [
  ...['textContent', 'innerText', 'innerHTML', 'inputValue', 'getAttribute', 'boundingBox'],
  ...['isVisible', 'isHidden', 'isChecked', 'isEnabled', 'isDisabled', 'isEditable'],
];

/** Whether a chain of calls ends in a query. */
export function isQuery(links: readonly PageLink[]): boolean {
  const [first] = links;
  const last = links.at(-1)?.name ?? '';
  if (links.length === 1) return PAGE_QUESTIONS.some((name) => name === first?.name);
  return OF_ALL.includes(last) || OF_ONE.includes(last);
}

/** The time limit of a query in ms. */
const ANSWER_LIMIT = 5_000;

/** Evaluates a query that does not change the page. Rejects if the query is not allowed or times out. */
export async function askPage(page: Page, links: readonly PageLink[]): Promise<Json> {
  const untilAnswered = (stop: AbortSignal): Promise<unknown> => untilAborted(answer(page, links), stop);
  const onLate = (): Error => new Error('The page did not answer in time.');
  return jsonSchema.parse((await withLimit(ANSWER_LIMIT, undefined, untilAnswered, onLate)) ?? null);
}

async function answer(page: Page, links: readonly PageLink[]): Promise<unknown> {
  const [first] = links;
  if (first === undefined) throw unavailable('page');
  return links.length > 1 ? answerFromElements(page, links) : answerFromPage(page, first.name);
}

async function answerFromPage(page: Page, name: string): Promise<unknown> {
  switch (name) {
    case 'state': {
      const answers = await Promise.all(STATE.map(async (one) => [one, await answerFromPage(page, one)]));
      return Object.fromEntries(answers);
    }
    case 'title':
      return page.title();
    case 'url':
      return page.url();
    case 'content':
      return page.content();
    case 'cookies':
      return page.context().cookies(page.url());
    case 'localStorage':
      return callIn(page.mainFrame(), storageOf, 'localStorage');
    case 'sessionStorage':
      return callIn(page.mainFrame(), storageOf, 'sessionStorage');
    default:
      throw unavailable(name);
  }
}

async function answerFromElements(page: Page, links: readonly PageLink[]): Promise<unknown> {
  const query = links.at(-1) as PageLink;
  let elements: Page | Locator = page;
  for (const { name, args } of links.slice(0, -1)) {
    if (!FINDERS.includes(name) && (elements === page || !NARROWERS.includes(name))) throw unavailable(name);
    elements = call(elements, name, args) as Locator;
  }
  if (OF_ALL.includes(query.name)) return call(elements, query.name, []);
  if (!OF_ONE.includes(query.name)) throw unavailable(query.name);
  // Playwright would wait for an element.
  if ((await (elements as Locator).count()) === 0) throw new Error('No element matches.');
  return call(elements, query.name, query.name === 'getAttribute' ? query.args : []);
}

function call(on: Page | Locator, name: string, args: readonly Json[]): unknown {
  return (on as unknown as Record<string, (...all: readonly Json[]) => unknown>)[name]?.(...args);
}

function unavailable(name: string): Error {
  const elements = [...OF_ALL, ...OF_ONE].map((one) => `${one}()`).join(', ');
  const whole = PAGE_QUESTIONS.map((one) => `page.${one}()`).join(', ');
  return new Error(
    `${name} is not available, because only queries that do not change the page are: ${whole}, and page.locator("…") with ${elements}.`,
  );
}
