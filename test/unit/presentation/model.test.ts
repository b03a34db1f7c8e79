import { describe, expect, it } from 'vitest';
import {
  buildTree,
  childrenOf,
  type FileSummary,
  type Node,
  problemText,
  type Root,
} from '../../../src/presentation/tasks/model.ts';
import { findRow } from '../../../src/presentation/tasks/reference.ts';

const file = (path: string, ...names: string[]): FileSummary => ({
  file: `/w/${path}`,
  path: path.split('/'),
  title: null,
  problems: { errors: 0, warnings: 0 },
  tasks: names.map((name, index) => ({
    file: `/w/${path}`,
    index,
    name,
    label: name,
    range: { start: { line: index, character: 0 }, end: { line: index, character: 1 } },
    prompt: null,
    environment: 'browser',
    tags: [],
    metadata: {},
    problems: { errors: 0, warnings: 0 },
    readable: true,
    isComputed: false,
  })),
});

const root = (...files: FileSummary[]): Root => ({ name: 'w', path: '/w', files });

/** The tree as a person sees it, indented. */
function drawTree(nodes: readonly Node[], indent = ''): string[] {
  return nodes.flatMap((node) =>
    node.kind === 'task'
      ? [`${indent}${node.task.name}`]
      : [`${indent}${node.label}`, ...drawTree(childrenOf(node), `${indent}  `)],
  );
}

describe('the tree of tasks', () => {
  it('shows folders, then files, then tasks in the order of the file', () => {
    const nodes = buildTree([root(file('top.task.json', 'z'), file('shop/cart.tasks.json', 'b', 'a'))]);
    expect(drawTree(nodes)).toEqual(['shop', '  cart.tasks.json', '    b', '    a', 'top.task.json', '  z']);
  });

  it('shows a chain of folders without other content as one', () => {
    const nodes = buildTree([root(file('a/b/c/one.task.json', '1'), file('a/b/d/two.task.json', '2'))]);
    expect(drawTree(nodes)).toEqual([
      'a/b',
      '  c',
      '    one.task.json',
      '      1',
      '  d',
      '    two.task.json',
      '      2',
    ]);
  });

  it('shows more than a thousand tasks of a file in ranges', () => {
    const names = Array.from({ length: 2001 }, (_, index) => `t${index % 1500}`);
    const [node] = buildTree([root(file('many.tasks.jsonl', ...names))]);
    const ranges = node === undefined ? [] : childrenOf(node);
    expect(ranges.map((range) => (range.kind === 'range' ? range.label : range.kind))).toEqual([
      '0–999',
      '1000–1999',
      '2000',
    ]);
    expect(drawTree(ranges.slice(2))).toEqual(['2000', '  t500']);
    const ids = ranges.flatMap(childrenOf).map(({ id }) => id);
    expect(new Set(ids).size).toBe(2001);
  });

  it('sorts numbers in names as numbers', () => {
    const nodes = buildTree([root(file('t10.task.json', 'x'), file('t9.task.json', 'y'))]);
    expect(drawTree(nodes)).toEqual(['t9.task.json', '  y', 't10.task.json', '  x']);
  });

  it('lists workspace folders separately, without those that have no tasks', () => {
    const nodes = buildTree([
      root(file('one.task.json', '1')),
      { name: 'v', path: '/v', files: [] },
      { name: 'u', path: '/u', files: [file('two.task.json', '2')] },
    ]);
    expect(drawTree(nodes)).toEqual(['w', '  one.task.json', '    1', 'u', '  two.task.json', '    2']);
  });

  it('distinguishes tasks that share an id by mistake', () => {
    const [node] = buildTree([root(file('twice.tasks.json', 'same', 'same'))]);
    const ids = node?.kind === 'file' ? node.children.map(({ id }) => id) : [];
    expect(new Set(ids).size).toBe(2);
  });

  it('describes problems', () => {
    expect(problemText({ errors: 1, warnings: 2 })).toBe('1 error, 2 warnings');
    expect(problemText({ errors: 0, warnings: 0 })).toBe('');
  });
});

describe('finding the task of a reference', () => {
  const rows = [
    { index: 0, name: 'a' },
    { index: 1, name: 'b' },
    { index: 2, name: 'a' },
  ];

  it('finds it at its index if the task there has its name', () => {
    expect(findRow(rows, { index: 2, name: 'a' })).toBe(rows[2]);
  });

  it('finds it by its name after it has moved', () => {
    expect(findRow(rows, { index: 0, name: 'b' })).toBe(rows[1]);
  });

  it('finds nothing if it no longer exists', () => {
    expect(findRow(rows, { index: 1, name: 'c' })).toBeUndefined();
  });
});
