import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { diagnose } from '../../../src/language/findings/diagnose.ts';
import { rulePages } from '../../../src/language/rules/page.ts';
import type { Example } from '../../../src/language/rules/rule.ts';
import { rulePage } from '../../../src/language/rules/rule-page.ts';
import { RULES } from '../../../src/language/rules/rules.ts';
import { diagnoseSolution } from '../../../src/language/solutions/findings.ts';
import { prepareToRead, readTasks } from '../../../src/tasks/read.ts';

const root = join(import.meta.dirname, '../../..');

/** Every text in kebab-case that the sources give a finding as its code. */
function emitted(): ReadonlySet<string> {
  const codes = new Set<string>();
  const patterns = [
    /\bcode: '([a-z][a-z0-9-]+)'/g,
    /\bcode: \w+ \? '([a-z-]+)' : '([a-z-]+)'/g,
    /(?:\b(?:problem|serverProblem|unreadableFile)|#problem|#say)\((?:[^"`;]*?,)?\s*'([a-z]+(?:-[a-z0-9]+)*)'[,)]/g,
    /\breturn \['([a-z]+(?:-[a-z]+)+)'/g,
    /(?:\?|:)\s+'([a-z]+-[a-z-]*argument[s]?)'/g,
    /= '(python-[a-z-]+)'/g,
  ];
  for (const folder of ['src/tasks', 'src/language']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })) {
      if (!entry.endsWith('.ts') || entry.startsWith('rules')) continue;
      const text = readFileSync(join(root, folder, entry), 'utf8');
      for (const pattern of patterns) {
        for (const [, ...found] of text.matchAll(pattern)) {
          for (const code of found) if (code !== undefined) codes.add(code);
        }
      }
    }
  }
  return codes;
}

function codesIn(example: Example): string[] {
  const { file, text } = typeof example === 'string' ? { file: 'a.task.json', text: example } : example;
  if (file.endsWith('.actions')) return diagnoseSolution(`/tasks/${file}`, text).map(({ code }) => code);
  return diagnose(readTasks(`/tasks/${file}`, text), new Map()).map(({ code }) => code);
}

describe('the table of rules', () => {
  beforeAll(() => prepareToRead('/tasks/tasks.py'));

  it('has every code that the program gives a finding, and no other', () => {
    // Made from the names of keys.
    const made = ['metadata-null', 'sensitive-data-null'];
    const written = new Set([...emitted(), ...made]);
    expect([...written].filter((code) => !(code in RULES)).sort()).toEqual([]);
    expect(Object.keys(RULES).filter((code) => !written.has(code))).toEqual([]);
  });

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
    for (const code of Object.keys(RULES)) expect(pages.has(rulePage(code).replace('docs/rules/', ''))).toBe(true);
  });
});
