import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { rulePages } from '../../../src/language/rules/page.ts';
import { rulePage } from '../../../src/language/rules/rule-page.ts';
import { diagnoseSolution } from '../../../src/language/solutions/findings.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';
import type { Example } from '../../../src/tasks/rules/rule.ts';
import { RULES, type RuleCode } from '../../../src/tasks/rules/rules.ts';

const root = join(import.meta.dirname, '../../..');

function codesIn(example: Example): string[] {
  const { file, text } = typeof example === 'string' ? { file: 'a.task.json', text: example } : example;
  if (file.endsWith('.actions')) return diagnoseSolution(`/tasks/${file}`, text).map(({ code }) => code);
  return diagnose(readTasks(`/tasks/${file}`, text), new Map()).map(({ code }) => code);
}

describe('the table of rules', () => {
  beforeAll(() => prepareToRead('/tasks/tasks.py'));

  const codes = Object.keys(RULES) as RuleCode[];
  const examples = Object.entries(RULES);
  it.each(examples.flatMap(([code, { bad }]) => (bad === undefined ? [] : [[code, bad] as const])))(
    '%s: its bad example has it',
    (code, bad) => {
      expect(codesIn(bad)).toContain(code);
    },
  );

  it.each(examples.flatMap(([code, { good }]) => (good === undefined ? [] : [[code, good] as const])))(
    '%s: nothing is wrong with its good example',
    (_, good) => {
      const innocent = ['environment-not-run', 'era-not-run'];
      expect(codesIn(good).filter((code) => !innocent.includes(code))).toEqual([]);
    },
  );

  it('is what the pages in docs/rules say (npm run build writes them)', () => {
    const folder = join(root, 'docs/rules');
    const pages = rulePages();
    expect(readdirSync(folder).sort()).toEqual([...pages.keys()].sort());
    for (const [name, text] of pages) expect(readFileSync(join(folder, name), 'utf8')).toBe(text);
    for (const code of codes) expect(pages.has(rulePage(code).replace('docs/rules/', ''))).toBe(true);
  });
});
