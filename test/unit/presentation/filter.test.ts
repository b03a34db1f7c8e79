import { describe, expect, it } from 'vitest';
import { runToEnd } from '../../../src/base/slices.ts';
import type { VerdictKind } from '../../../src/presentation/runs/verdict.ts';
import { filterRoots, parseFilter, tagTerm, toggleTerm } from '../../../src/presentation/tasks/filter.ts';
import { buildTree, childrenOf, type FileSummary, type Root } from '../../../src/presentation/tasks/model.ts';

interface Given {
  readonly name: string;
  readonly prompt?: string;
  readonly tags?: readonly string[];
}

const file = (name: string, ...tasks: Given[]): FileSummary => ({
  file: `/w/${name}`,
  path: [name],
  title: null,
  problems: { errors: 0, warnings: 0 },
  tasks: tasks.map((task, index) => ({
    file: `/w/${name}`,
    index,
    label: task.name,
    range: { start: { line: index, character: 0 }, end: { line: index, character: 1 } },
    prompt: null,
    environment: 'browser',
    tags: [],
    metadata: {},
    problems: { errors: 0, warnings: 0 },
    readable: true,
    isComputed: false,
    ...task,
  })),
});

const shop: Root = {
  name: 'w',
  path: '/w',
  files: [
    file(
      'shop.tasks.json',
      { name: 'cart', prompt: 'Put two LAMPS into the cart.', tags: ['shop', 'two words'] },
      { name: 'pay', prompt: 'Pay for the lamps.', tags: ['shop'] },
      { name: 'look' },
    ),
    file('mail.task.json', { name: 'mail', prompt: 'Write a letter about lamps.' }),
  ],
};

const KINDS: Record<string, VerdictKind> = { cart: 'partial', pay: 'passed', mail: 'error' };

/** Names of the tasks that a filter leaves. */
function left(text: string): readonly string[] {
  const filter = parseFilter(text);
  if (filter === null) return ['everything'];
  const roots = runToEnd(filterRoots([shop], filter, (key) => KINDS[key.split('#')[1] ?? ''] ?? 'none'));
  return roots.flatMap(({ files }) =>
    files.flatMap(({ tasks }) => [...Array(tasks.length).keys()].map((i) => tasks.at(i)?.name ?? '')),
  );
}

describe('a filter of the tree', () => {
  it('finds all words in ids and prompts, ignoring case', () => {
    expect(left('lamps')).toEqual(['cart', 'pay', 'mail']);
    expect(left('Lamps CART')).toEqual(['cart']);
    expect(left('"for the lamps"')).toEqual(['pay']);
    expect(left('chair')).toEqual([]);
  });

  it('finds tasks by the state of their last run; several states match any of them', () => {
    expect(left('@failed')).toEqual(['cart', 'mail']);
    expect(left('@passed @never-run')).toEqual(['pay', 'look']);
  });

  it('finds tags, also of two words, and combines all terms', () => {
    expect(left('@tag:shop')).toEqual(['cart', 'pay']);
    expect(left('@tag:shop @failed')).toEqual(['cart']);
    expect(left(tagTerm('two words'))).toEqual(['cart']);
    expect(left('@tag:sho')).toEqual([]);
  });

  it('matches everything while it is empty or incomplete', () => {
    expect(['', '  ', '@tag:', '"', '@', '@fai', '@never', '@ta'].map(left)).toEqual(Array(8).fill(['everything']));
    expect(left('@example')).toEqual([]);
  });

  it('keeps the indexes of the tasks in their file, and no file without tasks', () => {
    const filter = parseFilter('pay');
    const roots = filter === null ? [] : runToEnd(filterRoots([shop], filter, () => 'none'));
    const nodes = buildTree(roots);
    expect(nodes.map(({ label }) => label)).toEqual(['shop.tasks.json']);
    expect(nodes.flatMap(childrenOf).map((node) => node.kind === 'task' && node.task.index)).toEqual([1]);
  });

  it('adds a term, and removes it if it is present', () => {
    expect(toggleTerm('lamp', '@failed')).toBe('lamp @failed');
    expect(toggleTerm('@failed lamp', '@failed')).toBe('lamp');
    expect(toggleTerm('@tag:"two words" lamp', '@tag:"two words"')).toBe('lamp');
  });
});
