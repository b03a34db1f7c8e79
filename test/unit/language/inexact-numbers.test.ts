import { beforeAll, describe, expect, it } from 'vitest';
import { prepareToRead } from '../../../src/tasks/read.ts';
import { listFindings } from './findings.ts';

beforeAll(() => prepareToRead('tasks.py'));

const QA = {
  '/a.task.json': (args: string, more: string) =>
    `{"id": "a", "prompt": "Which?", "gym": "qa", "evaluate": ["numeric_match", ${args}]${more === '' ? '' : `, ${more}`}}`,
  '/a.tasks.jsonl': (args: string, more: string) =>
    `{"id": "a", "prompt": "Which?", "gym": "qa", "evaluate": {"function": "numeric_match", "args": [${args}]}${more === '' ? '' : `, ${more}`}}\n`,
  '/a.task.yaml': (args: string, more: string) =>
    `id: a\nprompt: Which?\ngym: qa\nevaluate: [numeric_match, ${args}]\n${more}\n`,
  '/a.py': (args: string, more: string) =>
    `from hud import Task\nt = Task(**{"id": "a", "prompt": "Which?", "gym": "qa", "evaluate": ("numeric_match", ${args}), ${more}})\n`,
};

const numbersIn = (file: string, text: string): string[] =>
  listFindings(file, text).filter((said) => said.includes('number-not-exact'));

describe.each(Object.entries(QA))('a number that is not exact in %s', (file, textOf) => {
  it.each([
    ['12345678901234567890', '12345678901234567168'],
    ['-12345678901234567890', '-12345678901234567168'],
    ['9007199254740993', '9007199254740992'],
    ['1e-400', '0'],
  ])('is an error in the arguments of a function: %s', (digits, nearest) => {
    expect(listFindings(file, textOf(digits, ''))).toEqual([
      `error number-not-exact ${digits}: ${digits} cannot be represented exactly: it would become ${nearest}. Write a number with fewer digits, or a string`,
    ]);
  });

  it.each(['9007199254740992', '1152921504606846976', '1e22', '1.50', '0.1', '0.0', '5e-324'])(
    'is not %s',
    (digits) => {
      expect(listFindings(file, textOf(digits, ''))).toEqual([]);
    },
  );

  it('is a warning in metadata', () => {
    const [only, ...others] = listFindings(file, textOf('5', '"metadata": {"seed": 12345678901234567890}'));
    expect(only).toContain('warning number-not-exact 12345678901234567890: ');
    expect(others).toEqual([]);
  });
});

describe('a number that is not exact', () => {
  const task = (members: string): string => `{"id": "a", "prompt": "Which?", "gym": "qa", ${members}}`;
  const B = '1610521604143693813';

  it('is an error in a call string, and in a list', () => {
    expect(
      numbersIn('/a.json', `{"instruction": "Which?", "gym": "qa", "reward_function": "numeric_match(${B}, 1)"}`),
    ).toEqual([expect.stringContaining(`error number-not-exact ${B}: `)]);
    expect(
      numbersIn('/a.json', task(`"evaluate": ["numeric_match", 5], "max_steps": 3, "config": {"limits": [1, ${B}]}`)),
    ).toEqual([expect.stringContaining(`error number-not-exact ${B}: `)]);
  });

  it('is no error where a text is expected: the finding names its digits', () => {
    const findings = listFindings(
      '/a.json',
      `{"id": ${B}, "prompt": "Which?", "gym": "qa", "evaluate": ["response_is", ${B}], "tags": [${B}], "description": ${B}, "colour": {"n": ${B}}}`,
    );
    expect(findings.filter((said) => said.includes('number-not-exact'))).toEqual([]);
    expect(findings).toContainEqual(
      `error invalid-argument ${B}: response_is(text): “text” expects a string, found ${B}`,
    );
  });

  it('is the answer of a question, digit by digit', () => {
    const findings = listFindings('/a.json', task(`"target": ${B}`));
    expect(findings).toEqual([expect.stringContaining(`["response_includes","${B}"]`)]);
    expect(numbersIn('/a.json', task(`"target": [${B}]`))).toEqual([]);
  });

  it('is passed on to HUD’s programs in Python', () => {
    expect(numbersIn('/a.json', `{"env": "shop", "id": "buy", "args": {"order": ${B}}}`)).toEqual([]);
    expect(numbersIn('/a.json', `{"env": {"name": "shop"}, "scenario": "buy", "args": {"order": ${B}}}`)).toEqual([]);
    const controller = `{"id": "a", "prompt": "p", "gym": {"type": "public", "image_or_build_context": "x"}, "evaluate": ["check", ${B}]}`;
    expect(numbersIn('/a.json', controller)).toEqual([]);
  });
});
