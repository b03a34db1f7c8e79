import { availableParallelism } from 'node:os';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import type { StepResult } from '../../../src/environments/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { judgeSnapshots } from '../../../src/server/snapshots.ts';
import { everyThird } from '../../sample.ts';
import { browser, files, launch, live, PATIENT, rebuilt, serve, shareEnvironments, showing, task } from './stage.ts';

shareEnvironments();

const CALLS: readonly (readonly [string, ...Json[]])[] = [
  ['page_contains', 'Apply'],
  ['page_contains', ['Apply', 'nowhere']],
  ['page_contains', 'aplpy'],
  ['page_contains', 'secret'],
  ['page_contains', 'other site'],
  ['page_contains', ''],
  ['element_exists', '#apply'],
  ['element_exists', '#aply'],
  ['element_exists', '.nothing-like-it'],
  ['element_exists', 'main > p:not(.gone), td:nth-child(2)'],
  ['element_exists', 'p:has(b) ~ *'],
  ['element_exists', '[data-x="a b" i], [title=one]'],
  ['element_exists', 'text=Apply'],
  ['element_exists', 'p:has-text("Apply")'],
  ['element_exists', 'p >> nth=1'],
  ['element_exists', '//p'],
  ['element_exists', ':scope p'],
  ['element_exists', 'INPUT:checked'],
  ['element_exists', 'p:contains("x")'],
  ['element_exists', 'i.shade'],
  ['element_exists', 'svg circle'],
  ['text_matches', 'p', 'App.y'],
  ['text_matches', '.gone', '.+'],
  ['text_matches', '#aply', '.+'],
  ['text_matches', 'p', '^nowhere$'],
  ['text_matches', 'input', 'typed'],
  ['text_matches', 'select', 'two'],
  ['text_matches', 'p', '('],
  ['url_match', '.*task'],
  ['url_contains', '/cart?x=1#here'],
  ['response_includes', 'yes'],
  ['response_includes', 7],
  ['page_contains', 7],
  ['raw_last_action_is', 'noop(1)'],
];

const PAGES: readonly string[] = [
  `<!doctype html><title>Apply</title><link rel=stylesheet href=a.css><main><p>Apply <b>now</b><p class=gone>secret<p title=one>more</main>
   <button id=apply>Apply</button><input value=typed><input type=checkbox checked><select><option>one<option selected>two</select>`,
  '<p>Apply, and no doctype<div id=apply data-x="A B">x</div><input type=password value=secret>',
  `<!doctype html><p>Apply</p><svg><circle r=5 /></svg><table><tr><td>1<td style="opacity: 0">secret</table>
   <script>history.pushState(null, '', '/cart?x=1#here')</script>`,
  `<!doctype html><link rel=stylesheet href=a.css><p class=gone>Apply</p><p style="margin-left: -900px">secret</p><details><p>more</details>`,
  `<!doctype html><p>Apply</p><div id=host></div><script>host.attachShadow({ mode: 'open' }).innerHTML = '<i class=shade>secret</i>'</script>`,
  '<!doctype html><p>Apply</p><iframe srcdoc="<p id=apply>secret</p>"></iframe>',
  `<!doctype html><p>Apply</p><script>document.cookie = 'a=1'; localStorage.x = '1'</script>`,
  '<!doctype html><p>Apply</p><form name=head id=scrollingElement><input name=elements></form><p id=location>more</p>',
  '<!doctype html>',
  `<!doctype html><script>document.adoptedStyleSheets = [new CSSStyleSheet()];
   document.adoptedStyleSheets[0].replaceSync('p { display: none }')</script><p>Apply</p>`,
  '<!doctype html><p>Apply</p><object data="x.png"></object><embed src="y.png">',
  '<!doctype html><link rel=stylesheet href=b.css><p class=gone>Apply</p>',
];
const SHEETS = { 'a.css': '.gone { display: none }', 'b.css': '.gone { visibility: hidden }' };

const resources: Record<string, Uint8Array> = {};

function momentOf({ recorded }: StepResult) {
  Object.assign(resources, recorded?.resources);
  return { page: recorded?.page ?? null, actions: [...(recorded?.actions ?? [])], response: 'yes' };
}

const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const calls = CALLS.map(([name, ...args]) => ({ function: name, args, range: nowhere }));

/** What a call came to, without what differs each time: where it was thrown, how long it took. */
function saidOf(result: object) {
  if (!('error' in result)) return { ...result, duration_ms: 0, step: null };
  return { error: { ...(result.error as object), stack: '' }, duration_ms: 0 };
}

async function byThemselves(moment: ReturnType<typeof momentOf>) {
  const gaps = await rebuilt.restore({ ...moment, resources, fresh: false });
  const outcomes: object[] = [];
  for (const call of calls) {
    outcomes.push(saidOf(await runCall(call, 'evaluate', rebuilt.functionContext(), NO_USER_FUNCTIONS)));
  }
  return { gaps, outcomes };
}

const together = (moments: readonly ReturnType<typeof momentOf>[], asked: typeof calls) =>
  judgeSnapshots(
    moments.map((moment) => ({ ...moment, calls: asked })),
    (all) => rebuilt.readEach({ moments: all, resources, fresh: false }),
  );

it('a batch of snapshots gives the same results as single snapshots', async () => {
  const site = await serve({ '/': { body: '<!doctype html><p>Apply at another site</p>' } });
  const moments: ReturnType<typeof momentOf>[] = [];
  const left: number[] = [];
  for (const html of everyThird(PAGES)) {
    if (/attachShadow|<iframe/.test(html)) left.push(moments.length, moments.length + 1);
    momentOf(await showing(live, html, SHEETS));
    moments.push(momentOf(await live.step(['noop(1)'])));
    const page = live.functionContext().page as Page;
    await page.evaluate(() => document.body.append('Apply once more'));
    moments.push(momentOf(await live.observe()));
  }
  moments.push(
    momentOf(await live.reset({ task: task({ start_url: `${site.url}/` }), files: files({}), seed: 0 })),
    { page: Buffer.from('{"version": 99}'), actions: [], response: 'yes' },
    ...moments.slice(0, 3),
  );
  await site.close();
  // Playwright's own selectors are asked by themselves, and so is the whole moment.
  const simple = calls.filter(({ function: name, args: [first] }) => !(name === 'element_exists' && isSpecial(first)));
  const results = await together(moments, simple);
  const alone: (Awaited<ReturnType<typeof byThemselves>> | null)[] = [];
  for (const moment of moments) alone.push(await byThemselves(moment).catch(() => null));
  for (const [at, its] of results.entries()) {
    if (its === null) continue;
    const ownOutcomes = alone[at]?.outcomes.filter((_, index) =>
      simple.includes(calls[index] as (typeof calls)[number]),
    );
    expect(its.outcomes.map(saidOf)).toEqual(ownOutcomes);
    expect(its.gaps).toEqual(alone[at]?.gaps);
  }
  // Only snapshots with frames or shadow roots, and invalid ones, must be read separately.
  const brokenIndex = moments.length - 4;
  expect(results.flatMap((its, at) => (its === null ? [at] : []))).toEqual([...left, brokenIndex]);
  expect(alone[brokenIndex]).toBeNull();

  for (const call of calls.filter((one) => !simple.includes(one))) {
    expect(await together(moments.slice(0, 1), [call])).toEqual([null]);
  }
});

function isSpecial(selector: Json | undefined): boolean {
  return /^text=|has-text|>>|^\/\//.test(String(selector));
}

it('a failing snapshot does not affect the others', async () => {
  momentOf(await showing(live, '<!doctype html><link rel=stylesheet href=a.css><p class=gone>Apply</p>', SHEETS));
  const good = momentOf(await live.observe());
  const page = JSON.parse(Buffer.from(good.page ?? []).toString());
  const brokenMoment = {
    ...good,
    page: Buffer.from(
      JSON.stringify({ ...page, document: { ...page.document, children: [['html', [], [['<', [], []]]]] } }),
    ),
  };
  const requests = [{ function: 'page_contains', args: ['Apply'], range: nowhere }];
  const [before, its, after] = await together([good, brokenMoment, good], requests);
  expect(its).toBeNull();
  expect(before?.outcomes.map(saidOf)).toEqual(after?.outcomes.map(saidOf));
  expect(before?.outcomes).toMatchObject([{ value: 0, reason: expect.stringContaining('display: none') }]);
});

it('many snapshots are read in two tabs, which stay open while idle', async () => {
  const moments: ReturnType<typeof momentOf>[] = [];
  for (const word of ['one', 'two', 'three']) {
    momentOf(await showing(live, `<!doctype html><p>Apply</p><b id=${word}>${word}</b>`, SHEETS));
    const page = live.functionContext().page as Page;
    for (let count = 0; count < 10; count += 1) {
      await page.evaluate((at) => document.body.append(`More of it: ${at}.`), count);
      moments.push(momentOf(await live.observe()));
    }
  }
  const requests = [
    { function: 'page_contains', args: ['More of it: 4.'], range: nowhere },
    { function: 'element_exists', args: ['#two'], range: nowhere },
  ];
  await rebuilt.close();
  const others = browser.contexts().length;
  const values = async () =>
    (await together(moments, requests)).map((its) =>
      its?.outcomes.map((one) => ('error' in one ? one.error : one.value)),
    );
  const expectedValues = moments.map((_, at) => [at % 10 >= 4 ? 1 : 0, at >= 10 && at < 20 ? 1 : 0]);
  expect(await values()).toEqual(expectedValues);
  const contexts = browser.contexts();
  expect(contexts.length - others).toBe(availableParallelism() > 1 ? 2 : 1);

  await rebuilt.rest();
  expect(await values()).toEqual(expectedValues);
  expect(browser.contexts()).toEqual(contexts);

  await rebuilt.rest();
  await showing(rebuilt, '<!doctype html><p>A task of its own</p>', SHEETS);
  expect(browser.contexts().length - others).toBe(1);
});

it('a browser that ends while the tabs are idle is replaced', async () => {
  momentOf(await showing(live, '<!doctype html><p>Apply</p>', SHEETS));
  const moment = momentOf(await live.observe());
  let own = await launch();
  const environment = new BrowserEnvironment({ browser: async () => own, log: console.log }, PATIENT);
  const gaps = () => environment.restore({ ...moment, resources, fresh: false });
  expect(await gaps()).toEqual([]);
  await environment.rest();
  await own.close();
  own = await launch();
  expect(await gaps()).toEqual([]);
  await environment.close();
  await own.close();
});
