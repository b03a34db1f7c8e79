import { describe, expect, it } from 'vitest';
import { Lines } from '../../../src/base/lines.ts';
import { readSignatures } from '../../../src/functions/user/names.ts';
import { hover } from '../../../src/language/typing/hover.ts';
import { signatureHelp } from '../../../src/language/typing/signature-help.ts';
import { readTasks } from '../../../src/tasks/read.ts';
import { atMark } from '../tasks/cursor.ts';

const source = `
/** 1 when the cart's total is the expected one. */
export function cart_total(context, total: number, currency = 'EUR') {}
`;
const own = new Map((await readSignatures(source, '/tasks/shop.functions.ts')).map((one) => [one.name, one]));

/** What is said at the `|`, and of which text. */
function hoverText(markedText: string, file = '/a.task.json'): string {
  const { text, offset } = atMark(markedText);
  const lines = new Lines(text);
  const found = hover(readTasks(file, text), lines.position(offset), own);
  if (found === null) return 'nothing';
  return `${text.slice(lines.offset(found.range.start), lines.offset(found.range.end))}: ${found.text}`;
}

describe('hovering', () => {
  it.each([
    [
      'a key',
      '{"g|ym": "qa"}',
      /^"gym": \*\*gym\*\*: string or object\n\nThe environment .*HUD 0\.2\.7 and later.*In a task of HUD 0\.2/s,
    ],
    ['a key of another era', '{"mcp|_config": {}}', /In a task of HUD 0\.4/],
    ['a key inside', '{"evaluate": [{"function": "x", "metadata": {"wei|ght": 2}}]}', /The weight of the call/],
    [
      'a function',
      '{"evaluate": ["page_c|ontains", "x"]}',
      /^"page_contains": ```ts\npage_contains\(text\)\n```\n\nChecks whether the text.*Alias: `contains_text`/s,
    ],
    ['another spelling of it', '{"evaluate": "conta|ins_text"}', /contains_text\(text\).*Alias: `page_contains`/s],
    ['a function under its key', '{"evaluate": {"function": "|url_match", "args": []}}', /^"url_match": /],
    ['a function in a reward function', '{"reward_function": "check_page_con|tains(1)"}', /page_contains\(text\)/],
    [
      'a person’s own function',
      '{"evaluate": ["cart_|total", 1]}',
      /cart_total\(total: number, currency\?: string\).*1 when the cart's total.*shop\.functions\.ts/s,
    ],
    ['an environment', '{"gym": "q|a"}', /^"qa": \*\*qa\*\*\n\nA question/],
    ['the type of an environment', '{"gym": {"type": "browser|gym"}}', /MiniWoB/],
    ['an argument', '{"evaluate": ["text_matches", "#|a", "b"]}', /^"#a": text_matches\(\*\*selector\*\*, pattern\)/],
    [
      'a key of the keyboard',
      '{"evaluate": ["raw_last_action_is", {"type": "press", "keys": ["page|down"]}]}',
      /`PageDown`/,
    ],
    [
      'a field of an action',
      '{"evaluate": ["raw_last_action_is", {"type": "click", "but|ton": "left"}]}',
      /Which button/,
    ],
  ])('%s says what it is', (_, marked, text) => {
    expect(hoverText(marked)).toMatch(text);
  });

  it.each([
    ['a text of the person’s', '{"prompt": "pa|ge_contains"}'],
    ['an unknown key', '{"con|fg": 1}'],
    ['a key that every object has', '{"toStr|ing": 1}'],
    ['an unknown function', '{"evaluate": ["fo|o"]}'],
    ['a colon', '{"gym" |: "qa"}'],
    ['an empty place', '{"gym": |}'],
  ])('%s shows nothing', (_, marked) => {
    expect(hoverText(marked)).toBe('nothing');
  });
});

/** The signature at the `|`, the parameter that is written in ‹›. */
function signature(markedText: string, file = '/a.task.json'): string {
  const { text, offset } = atMark(markedText);
  const found = signatureHelp(readTasks(file, text), new Lines(text).position(offset), own);
  if (found === null) return 'none';
  const name = found.label.slice(0, found.label.indexOf('('));
  return `${name}(${found.parameters.map((label, index) => (index === found.active ? `‹${label}›` : label)).join(', ')})`;
}

describe('the signature while arguments are written', () => {
  it.each([
    ['a list', '{"evaluate": ["text_matches", "|"]}', 'text_matches(‹selector›, pattern)'],
    ['its second argument', '{"evaluate": ["text_matches", "a", |]}', 'text_matches(selector, ‹pattern›)'],
    ['one too many', '{"evaluate": ["text_matches", "a", "b", |]}', 'text_matches(selector, pattern)'],
    ['behind an argument', '{"evaluate": ["text_matches", "a" |]}', 'text_matches(‹selector›, pattern)'],
    ['a list in a list', '{"evaluate": [["text_matches", "a", "|"]]}', 'text_matches(selector, ‹pattern›)'],
    [
      'an object',
      '{"evaluate": [{"function": "text_matches", "args": ["a", |]}]}',
      'text_matches(selector, ‹pattern›)',
    ],
    [
      'an argument without its list',
      '{"evaluate": {"function": "page_contains", "args": "|"}}',
      'page_contains(‹text›)',
    ],
    ['a list as an argument', '{"evaluate": ["page_contains", ["a", "|"]]}', 'page_contains(‹text›)'],
    ['an object as an argument', '{"evaluate": ["history_length", {"min": |}]}', 'history_length(‹length›)'],
    ['a first argument that may be missing', '{"setup": ["press", "|"]}', 'press(selector?, ‹key›)'],
    ['and is not', '{"setup": ["press", "|", "Enter"]}', 'press(‹selector?›, key)'],
    ['a reward function', `{"reward_function": "text_matches('a, b', |"}`, 'text_matches(selector, ‹pattern›)'],
    [
      'a person’s own function',
      '{"evaluate": ["cart_total", 1, "|"]}',
      'cart_total(total: number, ‹currency?: string›)',
    ],
  ])('in %s', (_, marked, seen) => {
    expect(signature(marked)).toBe(seen);
  });

  it.each([
    ['the name', '{"evaluate": ["text_m|atches", "a"]}'],
    ['another key of the call', '{"evaluate": {"function": "text_matches", "id": "|"}}'],
    ['a prompt', '{"prompt": "|"}'],
    ['behind a reward function', `{"reward_function": "page_contains('a')|"}`],
    ['a function that nobody knows', '{"evaluate": ["foo", "|"]}'],
  ])('none in %s', (_, marked) => {
    expect(signature(marked)).toBe('none');
  });
});
