import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import type { Call } from '../../../src/tasks/task.ts';
import { launch, SOON, showing } from '../../system/environments/stage.ts';
import { SPY } from './spy.ts';

let browser: Browser;
let environment: BrowserEnvironment;

beforeAll(async () => {
  browser = await launch();
  environment = new BrowserEnvironment({ browser: async () => browser, log: console.log }, SOON);
});
afterAll(async () => {
  await environment.close();
  await browser.close();
});

const nowhere = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
const call = (name: string, ...args: Call['args']): Call => ({ function: name, args, range: nowhere });

const EVALUATE = [
  call('selector_history', '#name, .secret-css'),
  call('selector_history', 'text=secret-text'),
  call('selector_history', 'form:has(.secret-has)'),
  call('verify_type_action', '#name, #secret-field', 'secret-typed'),
  call('page_contains', ['secret-read', 'secret-too']),
  call('text_matches', '#secret-where', 'secret-pattern'),
  call('element_exists', '#secret-exists'),
  call('cookie_match', 'secret-cookie', 'secret-value'),
  call('response_is', 'secret-answer'),
];

it('a page hears no argument of an evaluate call while the agent acts', async () => {
  await showing(
    environment,
    `<script>${SPY}</script><form><input id=name><select id=list><option>one<option>two</select>
     <button type=button id=go>Go</button></form><iframe srcdoc="<script>parent.spyOn(window)</script><button>In</button>"></iframe>`,
    {},
    { evaluate: EVALUATE },
  );
  // What stands in a frame may come a moment after the page.
  const bid = (name: string) =>
    vi.waitFor(
      async () => {
        const { observation } = await environment.observe();
        const found = new RegExp(`\\[(\\w+)\\] button '${name}'`).exec(observation.text ?? '')?.[1];
        if (found === undefined) throw new Error(`no button ${name}`);
        return found;
      },
      { timeout: 60_000 },
    );
  for (const action of [
    "fill('#name', 'x')",
    "keyboard_type('y')",
    "press('#name', 'z')",
    "select_option('#list', 'two')",
    `click('${await bid('Go')}')`,
    `click('${await bid('In')}')`,
    'mouse_click(20, 20)',
    "hover('text=Go')",
  ]) {
    const { error } = await environment.step([action]);
    expect(error, action).toBeNull();
  }
  const page = environment.functionContext().page as Page;
  const session = await page.context().newCDPSession(page);
  const { result } = await session.send('Runtime.evaluate', { expression: 'heard', returnByValue: true });
  const heard: string[] = result.value;
  // The spy works: it hears what the agent's own actions and the test ask of the page.
  expect(heard.join('\n')).toContain('heard by the test');
  expect(heard.filter((one) => one.includes('secret'))).toEqual([]);
});

it('what the actions did is judged when the agent has ended', async () => {
  const evaluate = async ({ function: name, args }: Call) =>
    runCall({ function: name, args }, 'evaluate', environment.functionContext(), NO_USER_FUNCTIONS);
  expect(await evaluate(call('selector_history', 'form > #name'))).toMatchObject({ value: 1 });
  expect(await evaluate(call('selector_history', 'button:has-text("Go")'))).toMatchObject({ value: 1 });
  expect(await evaluate(call('selector_history', 'form:has(option) button'))).toMatchObject({ value: 1 });
  expect(await evaluate(call('selector_history', 'text=secret-text'))).toMatchObject({ value: 0 });
  expect(await evaluate(call('verify_type_action', '#name', 'xy'))).toMatchObject({ value: 1 });
});
