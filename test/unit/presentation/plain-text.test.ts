import { expect, it } from 'vitest';
import { agentLabel } from '../../../src/presentation/labels.ts';
import { isolateDirection, plainLabel, plainMessage, withoutIcons } from '../../../src/presentation/plain-text.ts';
import { verdictOf } from '../../../src/presentation/runs/verdict.ts';

const HOSTILE = 'a\nb\u202Ec\u001B[2J$(check) [Run](command:x)';

it('a label is one line, in the order in which it is written', () => {
  expect(plainLabel(HOSTILE)).toBe('a\\nb\\u202ec\\x1b[2J$(check) [Run](command:x)');
  expect(plainLabel('日本語 עברית é 🧪')).toBe('日本語 עברית é 🧪');
});

it('a label from right to left leaves what follows it in its place', () => {
  expect(isolateDirection('rtl-עברית')).toBe('\u2068rtl-עברית\u2069');
  expect(isolateDirection('عربي')).toBe('\u2068عربي\u2069');
  expect(isolateDirection('日本語 é 🧪')).toBe('日本語 é 🧪');
});

it('a label draws no icon', () => {
  expect(withoutIcons('$(check) 1.00')).toBe('\\$(check) 1.00');
});

it('a message keeps its lines and offers no link', () => {
  const message = plainMessage(HOSTILE);
  expect(message.split('\n')).toHaveLength(2);
  expect(message).not.toMatch(/(?!\n)\p{Cc}|\u202E|\]\(/u);
});

it('a message has no backticks around code, but those of its values', () => {
  expect(plainMessage('`goto` failed. The text is “`npm i`”')).toBe('goto failed. The text is “`npm i`”');
});

it('texts of a recorded run become labels', () => {
  const run = { status: 'error', reward: null, success: false, error: { code: HOSTILE } } as const;
  const { text, accessibleText } = verdictOf(run);
  for (const shown of [text, accessibleText, agentLabel(`process:${HOSTILE}`)])
    expect(shown).not.toMatch(/[\p{Cc}\u202E]/u);
  expect(text).not.toMatch(/(?<!\\)\$\(/);
});
