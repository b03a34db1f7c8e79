import { beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../../src/base/json.ts';
import { Lines } from '../../../src/base/lines.ts';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

type Row = Readonly<Record<string, Json>>;

const browser: Row = { id: 'a', prompt: 'Buy a mug.', gym: 'hud-browser', evaluate: ['page_contains', 'Thanks'] };
const rfc: Row = { id: 'a', instruction: 'Buy a mug.', reward_function: 'page_contains("Thanks")' };
const hud04: Row = {
  id: 'a',
  prompt: 'Buy a mug.',
  mcp_config: { shop: { url: 'http://shop.example' } },
  evaluate_tool: { name: 'check' },
};
const hud05: Row = { env: { name: 'shop' }, scenario: 'buy' };
const hud06: Row = { env: 'shop', id: 'buy' };

/** Every format as a text of the same task. */
const FORMATS = {
  'a.task.json': (row: Row) => JSON.stringify(row, null, 2),
  'a.tasks.jsonl': (row: Row) => `${JSON.stringify(row)}\r\n`,
  'a.task.yaml': (row: Row) =>
    Object.entries(row)
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
      .join(''),
};

/** What is said, apart from what only HUD runs. */
function listFindings(file: string, text: string): string[] {
  return diagnose(readTasks(`/${file}`, text), new Map()).flatMap(({ severity, code }) =>
    severity === 'information' || code === 'hud-file' ? [] : [code],
  );
}

/** The text after a fix of the finding, the first one. */
function applyFix(file: string, text: string, code: string): string {
  const finding = diagnose(readTasks(`/${file}`, text), new Map()).find((candidate) => candidate.code === code);
  const [fix] = finding?.fixes?.() ?? [];
  if (fix === undefined) return text;
  const lines = new Lines(text);
  return fix.edits.reduceRight(
    (left, { range, text: by }) =>
      `${left.slice(0, lines.offset(range.start))}${by}${left.slice(lines.offset(range.end))}`,
    text,
  );
}

const ODD: readonly (readonly [code: string, row: Row])[] = [
  ['prompt-not-text', { ...browser, prompt: ['Buy a mug.', 'Pay.'] }],
  ['not-text', { ...browser, description: 5 }],
  ['not-text', { ...browser, system_prompt: ['a'] }],
  ['not-object', { ...browser, metadata: [1] }],
  ['sensitive-data', { ...browser, sensitive_data: { 'shop.example': 'x' } }],
  ['secret-in-prompt', { ...browser, prompt: 'Log in with hunter22.', sensitive_data: { shop: { p: 'hunter22' } } }],
  ['secret-in-prompt', { ...browser, system_prompt: 'Use hunter22!', sensitive_data: { shop: { p: 'hunter22' } } }],
  ['tags', { ...browser, tags: ['a', 5, null] }],
  ['max-steps', { ...browser, max_steps: '20' }],
  ['max-steps', { ...browser, max_steps: 2.5 }],
  ['max-steps', { ...browser, max_steps: 0 }],
  ['bad-combine', { ...browser, metadata: { combine: 'max' } }],
  ['bad-dialogs', { ...browser, metadata: { dialogs: 'yes' } }],
  [
    'bad-dialogs',
    {
      ...browser,
      gym: { type: 'browsergym', benchmark: 'miniwob', task_name: 'click-test' },
      metadata: { dialogs: 'ask' },
    },
  ],
  ['gym-unreadable', { ...browser, gym: ['hud-browser'] }],
  ['gym-unreadable', { ...browser, gym: 5 }],
  ['call-id', { ...browser, evaluate: { function: 'page_contains', args: ['Thanks'], id: 5 } }],
  ['call-metadata', { ...browser, evaluate: [{ function: 'page_contains', args: ['Thanks'], metadata: ['x'] }] }],
  [
    'bad-weight',
    { ...browser, evaluate: [{ function: 'page_contains', args: ['Thanks'], metadata: { weight: '2' } }] },
  ],
  ['bad-weight', { ...browser, evaluate: [{ function: 'page_contains', args: ['Thanks'], metadata: { weight: 0 } }] }],
  ['unknown-key', { ...browser, evaluate: { function: 'page_contains', args: ['Thanks'], metdata: {} } }],
  ['unknown-key', { ...browser, evaluate_tool: { name: 'check' } }],
  ['unknown-function', { ...rfc, reward_function: 'check_page_contain("Thanks")' }],
  [
    'wrong-phase',
    {
      ...browser,
      evaluate: [
        { function: 'page_contains', args: ['x'] },
        { function: 'goto', args: ['a.html'] },
      ],
    },
  ],
  ['wrong-phase', { ...browser, setup: ['element_exists', '#a'] }],
  ['invalid-argument', { ...browser, evaluate: ['page_contains', 12] }],
  ['invalid-argument', { ...browser, evaluate: ['page_contains', ['a', 12]] }],
  ['invalid-argument', { ...browser, evaluate: ['history_length', '2'] }],
  ['invalid-argument', { ...browser, evaluate: ['raw_last_action_is', { type: 'press', keys: ['ctlr'] }] }],
  ['too-many-arguments', { ...browser, evaluate: ['page_contains', 'a', 'b'] }],
  ['too-many-arguments', { ...browser, evaluate: { function: 'element_exists', args: ['#a', 1, 2] } }],
  ['invalid-address', { ...browser, setup: ['goto', 'http//shop.example'] }],
  ['invalid-address', { ...rfc, start_url: 'htps://shop.example' }],
  ['function-environment', { ...browser, gym: 'qa' }],
  ['start-twice', { ...rfc, start_url: 'http://a.example', html: '<p>a</p>' }],
  ['start-twice', { ...rfc, start_url: 'http://a.example', initial_state: { start_url: 'http://b.example' } }],
  ['initial-state', { ...rfc, initial_state: 'shop.html' }],
  ['reward-twice', { ...rfc, reward_fn: 'page_contains("a")' }],
  ['wrong-type', { ...hud04, metadata: 5 }],
  ['wrong-type', { ...hud05, columns: { a: [1] } }],
  ['wrong-type', { ...hud06, validation: { a: 1 } }],
  ['wrong-type', { ...hud06, slug: null }],
  ['wrong-value', { ...hud06, slug: '' }],
  ['wrong-value', { ...hud06, runtime_config: { image: 'a', compose: { document: 'c.yaml' } } }],
  ['wrong-value', { ...hud06, verifier: { ...hud06, verifier: hud06 } }],
  ['json-text', { ...hud04, metadata: '{level' }],
  ['mcp-url', { ...hud04, mcp_config: { shop: { url: 'localhost:8765/mcp' } } }],
  ['evaluate-tool-ignored', { ...hud04, evaluate_tool: [{ name: 'a' }, { name: 'b' }] }],
  ['scenario-dropped', { ...hud04, ...hud05 }],
];

describe('the first quick fix of a finding repairs it', () => {
  describe.each(Object.entries(FORMATS))('%s', (file, write) => {
    it.each(ODD)('%s %j', (code, row) => {
      const text = write(row);
      expect(listFindings(file, text)).toContain(code);
      expect(listFindings(file, applyFix(file, text, code))).toEqual([]);
    });
  });

  describe('in Python', () => {
    beforeAll(() => prepareToRead('/a.py'));

    it.each([
      ['max-steps', 'max_steps="20"'],
      ['unknown-key', 'metdata={}'],
      ['bad-combine', 'metadata={"combine": "min"}'],
      ['invalid-address', 'setup=("goto", "htp://shop.example")'],
    ])('%s', (code, field) => {
      const text = `from hud import Task\n\nt = Task(\n    id="a",\n    prompt="p",\n    gym="hud-browser",\n    evaluate=("page_contains", "x"),\n    ${field},\n)\n`;
      expect(listFindings('a.py', text)).toContain(code);
      expect(listFindings('a.py', applyFix('a.py', text, code))).toEqual([]);
    });
  });
});
