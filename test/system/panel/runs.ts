import { browser } from '../../../src/environments/browser/kind.ts';
import { qa } from '../../../src/environments/qa/kind.ts';
import type { PanelCall, PanelRun, PanelStep, PanelVerdict } from '../../../src/presentation/runs/messages.ts';

export const origin = 'http://panel.test';
const viewport = { width: 1280, height: 800 };

function call(name: string, args: string, line: number): PanelCall {
  return { function: name, text: `${name}(${args})`, line };
}

export function step(index: number, given: Partial<PanelStep> & Pick<PanelStep, 'source' | 'verb'>): PanelStep {
  return {
    index,
    durationMs: 38,
    object: '',
    call: null,
    value: null,
    reason: null,
    error: null,
    terminated: false,
    acted: [],
    messages: [],
    url: 'https://shop.taskwright.test/cart?voucher=WINTER10',
    title: 'Your cart – Nordlicht Lamps',
    viewport,
    timing: null,
    outputs: [],
    changes: null,
    parts: [],
    screenshot: null,
    hasText: false,
    ...given,
  };
}

function shot(state: number): string {
  return `${origin}/screens/${state}.png`;
}

const calls = {
  goto: call('goto', '"shop.html"', 16),
  cookies: call('set_cookies', '[{"name": "lang", "value": "en"}]', 17),
  url: call('url_contains', '"/cart"', 20),
  total: call('cart_total', '70.2', 21),
  text: call('page_contains', '"Order placed"', 22),
};
const missing =
  'not on the page; the nearest text is “Place order”, a button that was never clicked, in the box “Subtotal 78.00, Voucher −7.80, Total 70.20”';

/** Eleven steps as of a real run: setup, an agent that forgets to order, evaluate. */
export const steps: readonly PanelStep[] = [
  step(0, {
    source: 'setup',
    verb: 'goto',
    object: 'shop.html',
    call: calls.goto,
    durationMs: 84,
    screenshot: shot(0),
    hasText: true,
  }),
  step(1, {
    source: 'setup',
    verb: 'set_cookies',
    object: 'lang',
    call: calls.cookies,
    durationMs: 2,
    screenshot: shot(0),
    hasText: true,
  }),
  step(2, {
    source: 'agent',
    verb: 'click',
    object: '“Add to cart”',
    screenshot: shot(1),
    hasText: true,
    acted: [
      {
        action: "click('14')",
        element: 'button “Add to cart”',
        bid: '14',
        point: { x: 130, y: 316 },
        box: { x: 62, y: 296, width: 136, height: 42 },
      },
    ],
  }),
  step(3, {
    source: 'agent',
    verb: 'goto',
    object: 'cart.html',
    durationMs: 61,
    screenshot: shot(2),
    hasText: true,
    acted: [{ action: "goto('cart.html')" }],
    messages: [
      { kind: 'warning', text: 'Voucher codes are case sensitive', location: 'cart.html:41' },
      { kind: 'request', text: 'GET /recommendations failed: 404', location: 'cart.html' },
    ],
  }),
  step(4, {
    source: 'agent',
    verb: 'fill',
    object: '“WINTER10”',
    durationMs: 35,
    screenshot: shot(3),
    hasText: true,
    acted: [
      {
        action: "fill('28', 'WINTER10')",
        element: 'textbox “Voucher”',
        bid: '28',
        text: 'WINTER10',
        point: { x: 197, y: 352 },
        box: { x: 57, y: 331, width: 280, height: 42 },
      },
    ],
  }),
  step(5, {
    source: 'agent',
    verb: 'click',
    object: '“Apply”',
    durationMs: 46,
    screenshot: shot(4),
    hasText: true,
    timing: { action: 12, settle: 21, picture: 13, text: 1 },
    acted: [
      {
        action: "click('#apply')",
        element: 'button “Apply”',
        bid: '31',
        point: { x: 389, y: 352 },
        box: { x: 347, y: 331, width: 84, height: 42 },
      },
    ],
    messages: [{ kind: 'log', text: 'voucher WINTER10 accepted', location: 'cart.html:57' }],
  }),
  step(6, {
    source: 'agent',
    verb: 'scroll',
    object: '+240',
    durationMs: 22,
    screenshot: shot(4),
    hasText: true,
    acted: [{ action: 'scroll(0, 240)', point: { x: 640, y: 400 }, scroll: { x: 0, y: 240 } }],
  }),
  step(7, {
    source: 'agent',
    verb: 'response',
    object: '“Done, total 70.20”',
    durationMs: 1,
    screenshot: shot(4),
    hasText: true,
    acted: [{ action: "send_msg_to_user('Done, total 70.20')", text: 'Done, total 70.20' }],
  }),
  step(8, {
    source: 'evaluate',
    verb: 'url_contains',
    object: '"/cart"',
    call: calls.url,
    value: 1,
    reason: 'the page is /cart?voucher=WINTER10',
    durationMs: 1,
    screenshot: shot(4),
  }),
  step(9, {
    source: 'evaluate',
    verb: 'cart_total',
    object: '70.2',
    call: calls.total,
    value: 1,
    reason: 'the page says 70.20',
    durationMs: 3,
    screenshot: shot(4),
  }),
  step(10, {
    source: 'evaluate',
    verb: 'page_contains',
    object: '"Order placed"',
    call: calls.text,
    value: 0,
    reason: missing,
    durationMs: 1,
    screenshot: shot(4),
  }),
];

const verdict: PanelVerdict = {
  reward: 2 / 3,
  success: false,
  truncated: false,
  error: null,
  subscores: [
    { call: calls.url, value: 1, weight: 1, reason: 'the page is /cart?voucher=WINTER10', step: 8 },
    { call: calls.total, value: 1, weight: 1, reason: 'the page says 70.20', step: 9 },
    { call: calls.text, value: 0, weight: 1, reason: missing, step: 10 },
  ],
};

export const finished: PanelRun = {
  runId: 'run-3',
  traceDir: '/home/ada/tasks/.taskwright/jobs/job-1/run-3',
  task: 'apply-voucher',
  prompt: 'Apply the voucher WINTER10 to the cart and order.',
  file: 'checkout.taskset.json',
  environment: 'browser',
  view: browser.view,
  placement: 'local',
  imported: false,
  host: null,
  agent: 'replay',
  seed: 7,
  status: 'completed',
  retried: [],
  startedAt: '2026-01-05T10:00:00.000Z',
  durationMs: 1400,
  steps,
  verdict,
  pinned: false,
  rescorable: true,
  waitingAt: null,
  elsewhere: false,
  manual: false,
  actions: null,
};

export const running: PanelRun = {
  ...finished,
  runId: 'run-4',
  traceDir: '/home/ada/tasks/.taskwright/jobs/job-2/run-4',
  status: 'running',
  durationMs: null,
  steps: steps.slice(0, 4),
  verdict: null,
  rescorable: false,
};

/** One that the person does. */
export const manual: PanelRun = { ...running, runId: 'run-6', agent: 'manual', manual: true };

/** One that waits for an external agent. */
export const waiting: PanelRun = {
  ...running,
  runId: 'run-7',
  agent: 'external agent',
  steps: steps.slice(0, 1),
  waitingAt: 'http://127.0.0.1:41234/mcp/5f0c9a1b7d3e',
};

export const starting: PanelRun = { ...running, runId: 'run-5', traceDir: null, status: 'starting', steps: [] };

export const passed: PanelRun = {
  ...finished,
  verdict: { ...verdict, reward: 1, success: true, subscores: verdict.subscores.slice(0, 2) },
};

/** An evaluator that threw: no reward, and the words say where. */
export const broken: PanelRun = {
  ...finished,
  status: 'error',
  steps: [
    ...steps.slice(0, 9),
    step(9, {
      source: 'evaluate',
      verb: 'cart_total',
      object: '70.2',
      call: calls.total,
      error: 'cart_total threw: TypeError: Cannot read properties of null (reading ‘textContent’)',
      durationMs: 3,
      screenshot: shot(4),
    }),
  ],
  verdict: {
    reward: null,
    success: false,
    truncated: false,
    error: {
      message:
        'The evaluate call cart_total(70.2) threw: TypeError: Cannot read properties of null (reading ‘textContent’) at cart.functions.ts:12:31. Mend the function, then run again.',
      code: 'function_threw',
      line: 21,
    },
    subscores: [
      { call: calls.url, value: 1, weight: 1, reason: 'the page is /cart?voucher=WINTER10', step: 8 },
      { call: calls.total, value: null, weight: 1, reason: 'threw: Cannot read properties of null', step: 9 },
      { call: calls.text, value: null, weight: 1, reason: 'not reached', step: null },
    ],
  },
};

export const unjudged: PanelRun = {
  ...finished,
  verdict: { ...verdict, reward: null, subscores: [] },
  steps: steps.slice(0, 8),
};

/** A run of questions and answers: no pictures at all. */
export const spoken: PanelRun = {
  ...finished,
  task: 'capital-of-france',
  environment: 'qa',
  view: qa.view,
  steps: [
    step(0, {
      source: 'agent',
      verb: 'response',
      object: '“Paris”',
      acted: [{ action: "send_msg_to_user('Paris')", text: 'Paris' }],
      viewport: null,
      url: null,
      title: null,
    }),
    step(1, {
      source: 'evaluate',
      verb: 'response_includes',
      object: '"Paris"',
      call: call('response_includes', '"Paris"', 4),
      value: 1,
      reason: 'the response says “Paris”',
    }),
  ],
  verdict: {
    ...verdict,
    reward: 1,
    success: true,
    subscores: [
      {
        call: call('response_includes', '"Paris"', 4),
        value: 1,
        weight: 1,
        reason: 'the response says “Paris”',
        step: 1,
      },
    ],
  },
};

const head = [
  "RootWebArea 'Your cart – Nordlicht Lamps', focused",
  "\t[20] heading 'Your cart'",
  "\t[24] StaticText '2 × 39.00'",
];

/** Observation text of steps 4 and 5, before and after the voucher. */
export const textBefore = [
  ...head,
  "\t[28] textbox 'Voucher' value='WINTER10'",
  "\t[31] button 'Apply'",
  "\t[38] StaticText 'Voucher not applied yet'",
  "\t[40] StaticText 'Total'",
  "\t[41] StaticText '78.00'",
  "\t[44] button 'Place order'",
].join('\n');
export const textAfter = [
  ...head,
  "\t[28] textbox 'Voucher' value='WINTER10'",
  "\t[31] button 'Apply', focused",
  "\t[33] StaticText 'Voucher applied: −10 %'",
  "\t[40] StaticText 'Total'",
  "\t[41] StaticText '70.20'",
  "\t[44] button 'Place order'",
].join('\n');

/** `n` agent steps, each with a picture. */
export function longRun(n: number): PanelRun {
  const many = Array.from({ length: n }, (_, index) =>
    step(index, {
      source: 'agent',
      verb: 'click',
      object: `“Item ${index + 1}”`,
      screenshot: shot(index % 5),
      acted: [{ action: `click('${index}')`, point: { x: 200, y: 200 } }],
    }),
  );
  return { ...finished, runId: `run-of-${n}`, steps: many };
}
