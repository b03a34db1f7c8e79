import fc from 'fast-check';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import type { CallResult } from '../../../src/functions/declaration.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import { FUZZ_TIMEOUT, inputs } from '../../fuzz.ts';
import { launch, SOON, showing } from '../../system/environments/stage.ts';
import { FIELDS, FORGERIES, IMAGES } from './hostile.ts';

const SECRET = 'Order placed';
const NOISE: readonly string[] = [
  'setInterval(() => console.log("x".repeat(1000)), 0)',
  'setInterval(() => history.pushState(null, "", "?" + Math.random()), 1)',
  'setTimeout(() => location.reload(), 30)',
  'setInterval(() => document.body.append(document.createElement("p")), 1)',
  'for (let at = 0; at < 500; at++) document.body.prepend(document.createElement("div"))',
  'alert("stop"); confirm("stop"); prompt("stop")',
  'window.onbeforeunload = () => "stay"; window.print()',
  'document.addEventListener("click", (event) => { event.stopImmediatePropagation(); event.preventDefault() }, true)',
  'document.documentElement.replaceWith(document.createElement("html"))',
  'document.open(); document.write("<p id=state>Written</p><button id=other>Other</button>"); document.close()',
  'for (let at = 0; at < 20; at++) window.open("about:blank")',
  'throw new Error("on purpose")',
  'Object.freeze(Object.prototype); Object.freeze(Array.prototype)',
  'document.body.attachShadow({ mode: "open" }).innerHTML = "<slot></slot>"',
  'new MutationObserver(() => document.title += "x").observe(document, { subtree: true, attributes: true })',
];

const name = fc.constantFrom(...FIELDS, ...IMAGES);
const field = fc.oneof(
  name.map((one) => `<input name="${one}" value="${SECRET}" type=hidden>`),
  name.map((one) => `<button name="${one}" id="${one}" hidden>${SECRET}</button>`),
  name.map((one) => `<img name="${one}" id="${one}" alt="${SECRET}">`),
  name.map((one) => `<object name="${one}" hidden></object>`),
  name.map((one) => `<iframe name="${one}" srcdoc="<p hidden>${SECRET}</p>" hidden></iframe>`),
  name.map((one) => `<form name="${one}" hidden><input name="${one}" value="${SECRET}" type=hidden></form>`),
);
const hidden = fc.constantFrom(
  `<p style="display:none">${SECRET}</p>`,
  `<p style="opacity:0">${SECRET}</p>`,
  `<p style="visibility:hidden">${SECRET}</p>`,
  `<p style="color:transparent">${SECRET}</p>`,
  `<p style="position:absolute;left:-9999px">${SECRET}</p>`,
  `<details><summary>More</summary>${SECRET}</details>`,
  `<template>${SECRET}</template><noscript>${SECRET}</noscript><!-- ${SECRET} -->`,
);
const script = fc.constantFrom(...Object.values(FORGERIES), ...NOISE).map((text) => `<script>{ ${text} }</script>`);
const nested = fc.nat(300).map((depth) => `${'<div>'.repeat(depth)}${'</div>'.repeat(depth)}`);
const page = fc
  .tuple(fc.boolean(), fc.array(fc.oneof(field, hidden, script, nested), { maxLength: 10 }))
  .map(([isForm, parts]) => {
    const body = `<p id=state>Nothing ordered</p><button id=other type=button>Other</button>${parts.join('\n')}`;
    return isForm ? `<form id=order onsubmit="return false">${body}</form>` : body;
  });

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  // Every generated page loads, however busy the machine is.
  const limits = { ...SOON, navigation: 60_000 };
  environment = new BrowserEnvironment({ browser: async () => browser, log: () => {} }, limits);
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const evaluate = (called: string, ...args: readonly string[]): Promise<CallResult> =>
  runCall({ function: called, args: [...args] }, 'evaluate', environment.functionContext(), NO_USER_FUNCTIONS);

it(
  'A generated page is acted on and judged: nothing hidden is found, and no call ends as an error',
  async () => {
    const property = fc.asyncProperty(page, async (html) => {
      await showing(environment, html);
      await environment.step(["click('#other')"]);
      await environment.step(['noop(50)']);

      expect(await evaluate('page_contains', SECRET)).toMatchObject({ value: 0 });
      expect(await evaluate('text_matches', '#state', SECRET)).toMatchObject({ value: 0 });
      expect(await evaluate('text_matches', 'p, form, body', SECRET)).toMatchObject({ value: 0 });
      expect(await evaluate('element_exists', '#nowhere')).toMatchObject({ value: 0 });
      expect(await evaluate('selector_history', '#nowhere')).toMatchObject({ value: 0 });
    });
    await fc.assert(property, inputs(12, 300));
  },
  FUZZ_TIMEOUT,
);
