import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import type { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { everyThird } from '../../sample.ts';
import { live, rebuilt, shareEnvironments, showing } from './stage.ts';

/**
 * Pages as real sites build them. Each begins with a comment that says what a person who scrolls could read on it, which is
 * not a part of the page that is shown:
 *
 * - `readable:` and a text that `page_contains` finds
 * - `unreadable:` and a text that it does not find
 * - `matches:` and a selector, `=>`, and a pattern that `text_matches` finds
 * - `missing:` and what its recording lacks, and says so. Such a page is only read live.
 */
const FOLDER = join(import.meta.dirname, '..', '..', 'fixtures', 'real-pages');

interface RealPage {
  readonly name: string;
  readonly html: string;
  readonly readable: readonly string[];
  readonly unreadable: readonly string[];
  readonly matches: readonly (readonly [selector: string, pattern: string])[];
  readonly missing: readonly string[];
}

const PAGES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.html'))
  .map(parse);

function parse(name: string): RealPage {
  const source = readFileSync(join(FOLDER, name), 'utf8');
  const [comment, lines = ''] = /^<!--\n(.*?)\n-->\n/s.exec(source) ?? [];
  if (comment === undefined) throw new Error(`${name} does not begin with what can be read on it`);
  const page = {
    readable: [] as string[],
    unreadable: [] as string[],
    matches: [] as [string, string][],
    missing: [] as string[],
  };
  for (const line of lines.split('\n')) {
    const [, kind, text = ''] = /^(readable|unreadable|matches|missing): (.+)$/.exec(line) ?? [];
    const [selector = '', pattern] = text.split(' => ');
    if (kind === 'readable' || kind === 'unreadable' || kind === 'missing') page[kind].push(text);
    else if (kind === 'matches' && pattern !== undefined) page.matches.push([selector, pattern]);
    else throw new Error(`${name}: “${line}” says nothing of the page`);
  }
  return { name, html: source.slice(comment.length), ...page };
}

/** The files beside the pages that they show. */
const CONTENTS = Object.fromEntries(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.svg'))
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);

shareEnvironments();

/** What the functions say otherwise than the page does. */
async function mistakes(environment: BrowserEnvironment, page: RealPage): Promise<readonly string[]> {
  const call = async (name: string, ...args: Json[]): Promise<{ value: number | null; reason: string }> => {
    const result = await runCall(
      { function: name, args },
      'evaluate',
      environment.functionContext(),
      NO_USER_FUNCTIONS,
    );
    return 'value' in result
      ? { value: result.value, reason: result.reason }
      : { value: null, reason: result.error.message };
  };
  const list: string[] = [];
  // One call for all texts, because its reason names each that cannot be read.
  const shown = await call('page_contains', page.readable);
  if (shown.value !== 1) list.push(`not readable: ${shown.reason}`);
  const { value, reason } = await call('page_contains', page.unreadable);
  const isNamed = (text: string): boolean => page.unreadable.length === 1 || reason.includes(`“${text}” is `);
  if (value === null) list.push(`not unreadable: ${reason}`);
  else list.push(...page.unreadable.filter((one) => value !== 0 || !isNamed(one)).map((one) => `readable: ${one}`));
  for (const args of page.matches) {
    const match = await call('text_matches', ...args);
    if (match.value !== 1) list.push(`no match: ${match.reason}`);
  }
  return list;
}

describe('on a page as real sites build it, live and rebuilt from its recording, page_contains finds what can be read', () => {
  it.each(everyThird(PAGES))('$name', async (page) => {
    const { recorded } = await showing(live, page.html, CONTENTS);
    const { page: bytes = null, resources = {} } = recorded ?? {};
    const gaps = await rebuilt.restore({ page: bytes, resources, actions: [], response: null, fresh: false });
    expect(gaps).toEqual(expect.arrayContaining([...page.missing]));
    const recording = page.missing.length > 0 ? [] : await mistakes(rebuilt, page);
    expect({ live: await mistakes(live, page), recording }).toEqual({ live: [], recording: [] });
  });
});
