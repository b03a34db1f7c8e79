import { describe, expect, it } from 'vitest';
import { diffLines, hunks } from '../../../webview/diff.ts';

function printDiff(before: string, after: string): string[] {
  const signs = { same: ' ', added: '+', removed: '-', changed: '~' };
  return diffLines(before, after).map((line) => signs[line.kind] + line.text);
}

describe('the difference of two observations', () => {
  it('is empty for equal texts, even with different line endings', () => {
    expect(printDiff('a\nb', 'a\r\nb\n')).toEqual([' a', ' b']);
  });

  it('lists added, removed, and changed lines in order', () => {
    expect(printDiff('[1] a\n[2] b\n[3] c', '[1] a\n[2] b, focused\n[4] d\n[3] c')).toEqual([
      ' [1] a',
      '~[2] b, focused',
      '+[4] d',
      ' [3] c',
    ]);
    expect(printDiff('x\ny\nz', 'x\nz')).toEqual([' x', '-y', ' z']);
  });

  it('with an empty text is the whole other text', () => {
    expect(printDiff('', 'a\nb')).toEqual(['+a', '+b']);
    expect(printDiff('a\nb', '')).toEqual(['-a', '-b']);
  });

  it('keeps removed lines between changed lines in their order', () => {
    expect(printDiff('[1] a\n[2] b\n[3] c', '[1] A\n[3] C')).toEqual(['~[1] A', '-[2] b', '~[3] C']);
  });

  it('replaces a middle part that is too large to compare, with each line once', () => {
    const before = Array.from({ length: 3000 }, (_, n) => `old ${n}`).join('\n');
    const after = Array.from({ length: 3000 }, (_, n) => `new ${n}`).join('\n');
    const kinds = diffLines(before, after).map((line) => line.kind);
    expect(kinds.filter((kind) => kind === 'removed')).toHaveLength(3000);
    expect(kinds.filter((kind) => kind === 'added')).toHaveLength(3000);
  });

  it('can be reduced to changes with a line of context', () => {
    const before = Array.from({ length: 9 }, (_, n) => `line ${n}`).join('\n');
    const cut = hunks(diffLines(before, before.replace('line 4', 'line four')), 1, 99);
    expect(cut.map((line) => line?.text ?? '⋯')).toEqual(['line 3', 'line 4', 'line four', 'line 5']);
  });
});
