import { expect, it } from 'vitest';
import type { BrowserEnvironment } from '../../../src/environments/browser/environment.ts';
import type { StepResult } from '../../../src/environments/environment.ts';
import type { RecordedAction } from '../../../src/environments/recorded.ts';
import { runCall } from '../../../src/functions/evaluate.ts';
import { NO_USER_FUNCTIONS } from '../../../src/functions/user/load.ts';
import type { Call } from '../../../src/tasks/task.ts';
import { live, rebuilt, shareEnvironments, showing } from './stage.ts';

shareEnvironments();

const call = (selector: string): Call => ({
  function: 'selector_history',
  args: [selector],
  range: { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
});

/** The values of the selectors, judged live and in a recording, which must agree. */
async function judgeSelectors(
  selectors: readonly string[],
  { recorded }: StepResult,
  actions = recorded?.actions ?? [],
) {
  await rebuilt.restore({
    page: recorded?.page ?? null,
    resources: recorded?.resources ?? {},
    actions,
    response: null,
    fresh: false,
  });
  const ask = async (environment: BrowserEnvironment) => {
    const values: Record<string, unknown> = {};
    for (const selector of selectors) {
      const result = await runCall(call(selector), 'evaluate', environment.functionContext(), NO_USER_FUNCTIONS);
      values[selector] = 'error' in result ? result.error.code : result.value;
    }
    return values;
  };
  const again = await ask(rebuilt);
  if (actions === recorded?.actions) expect(await ask(live)).toEqual(again);
  return again;
}

it('a selector is matched against the position and state of an element right before the action', async () => {
  await showing(
    live,
    `<form><input id=box type=checkbox checked required><label for=box>Yes</label><input id=name placeholder=Name></form>
     <div id=host></div><ol>${'<li>x</li>'.repeat(150)}<li id=far>here</li><li>last</li></ol>
     <script>host.attachShadow({ mode: 'open' }).innerHTML = '<b><button>In</button></b>';
       document.querySelector('#name').focus()</script>`,
  );
  const expected = {
    'form > #box:checked': 1,
    '#box:not(:checked)': 0,
    '#box:required:valid': 1,
    '#box:invalid': 0,
    '#box:focus': 0,
    ':root input:first-of-type + label ~ #name:focus:placeholder-shown': 0,
  };
  expect(await judgeSelectors(Object.keys(expected), await live.step(["click('#box')"]))).toEqual(expected);
  // The first of these two actions unchecks the box.
  const after = { '#box:not(:checked):focus': 1, '[for="box:checked"]': 0 };
  expect(await judgeSelectors(Object.keys(after), await live.step(["click('#box')", "hover('#box')"]))).toEqual(after);
  const places = { 'li:nth-child(151)': 1, 'li:nth-last-of-type(2)': 1, 'ol > li:nth-child(101)': 0 };
  expect(await judgeSelectors(Object.keys(places), await live.step(["click('#far')"]))).toEqual(places);
  const shade = { 'b > button': 1, '#host button': 1, '#host > b': 0 };
  expect(await judgeSelectors(Object.keys(shade), await live.step(["click('#host button')"]))).toEqual(shade);
});

it('Playwright selectors and :has() are matched against the recorded page if the task uses one', async () => {
  await showing(
    live,
    `<link rel=stylesheet href=a.css><table><tr><td>Red shirt<td><button onclick="this.closest('tr').remove()">Buy</button>
     <tr><td>Blue shirt<td><button class=other>Buy</button><tr><td class=gone>Green</table>`,
    { 'a.css': '.gone { display: none }' },
    { evaluate: [call('tr:has-text("Red") >> text=Buy')] },
  );
  const result = await live.step(["click('button')"]);
  const expected = {
    'tr:has-text("Red shirt") >> text=Buy': 1,
    'tr:has-text("Blue shirt") >> text=Buy': 0,
    'role=button[name="Buy"]': 1,
    'tr:has(.other) button': 0,
    'table:has(.gone) button': 1,
    '//tr[1]//button': 1,
    'button >> nth=1': 0,
    'button:visible': 1,
  };
  expect(await judgeSelectors(Object.keys(expected), result)).toEqual(expected);
});

it('a selector that a recording cannot answer is an error, and no verdict', async () => {
  await showing(live, '<p>Total</p><button>Buy</button>');
  const result = await live.step(["click('button')"]);
  expect(await judgeSelectors(['text=Buy', 'body:has(p) button', 'p + button'], result)).toEqual({
    'text=Buy': 'not_recorded',
    'body:has(p) button': 'not_recorded',
    'p + button': 1,
  });
});

it('a recording of an older version gives the same values', async () => {
  await showing(live, '<p>Total</p><button>Buy</button>');
  const result = await live.step(["click('button')"]);
  const old = (result.recorded?.actions ?? []).map((action): RecordedAction => {
    const plain = ({ tag, attributes }: { tag: string; attributes: readonly (readonly [string, string])[] }) => ({
      tag,
      attributes: attributes.map(([name, value]) => [name, value] as [string, string]),
    });
    const chain = (action.element?.chain ?? []).map((link) => ({
      ...plain(link),
      before: link.before.map(plain),
      after: link.after.map(plain),
    }));
    return { ...action, element: { chain, matched: ['text=Buy'] } };
  });
  const expected = { 'text=Buy': 1, 'text=Total': 0, 'p + button': 1, 'p ~ p': 0, 'button:has(p)': 0 };
  expect(await judgeSelectors(Object.keys(expected), result, old)).toEqual(expected);
});
