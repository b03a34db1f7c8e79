import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AxNode, printTree } from '../../../src/environments/browser/observing/axtree.ts';

/** A tree that BrowserGym read, and the text that it printed. */
interface RecordedTree {
  readonly axtree_object: { readonly nodes: readonly AxNode[] };
  readonly text: string;
}

const folder = join(import.meta.dirname, '../../fixtures/axtrees');

describe('the text of an accessibility tree', () => {
  it.each(readdirSync(folder))('of %s is the one that BrowserGym prints', (file) => {
    const { axtree_object, text } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as RecordedTree;
    expect(printTree(axtree_object.nodes)).toBe(text);
  });

  it('quotes and escapes like Python', () => {
    const node = (name: string): AxNode => ({ nodeId: '1', role: { value: 'button' }, name: { value: name } });
    expect(printTree([node("it's")])).toBe('button "it\'s"');
    expect(printTree([node('both \' and "')])).toBe("button 'both \\' and \"'");
    expect(printTree([node('  \u00a0a\u200bb\ue5cc\u{1f600}\n')])).toBe("button 'a\\u200bb\\ue5cc\u{1f600}'");
  });

  it('does not follow a node to itself, nor to one that is not there', () => {
    const root: AxNode = { nodeId: '1', role: { value: 'main' }, name: { value: 'm' }, childIds: ['1', '2', '9'] };
    const child: AxNode = { nodeId: '2', role: { value: 'link' }, name: { value: 'l' }, childIds: [] };
    expect(printTree([root, child])).toBe("main 'm'\n\tlink 'l'");
  });
});
