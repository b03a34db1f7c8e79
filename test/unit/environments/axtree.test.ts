import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type AxNode,
  type ElementProperties,
  printTree,
  type TreeTextOptions,
} from '../../../src/environments/browser/observing/axtree.ts';

interface Recorded {
  readonly axtree_object: { readonly nodes: readonly AxNode[] };
  readonly extra_element_properties: Readonly<Record<string, ElementProperties>>;
  readonly variants: Readonly<Record<string, { readonly kwargs: TreeTextOptions; readonly text: string }>>;
}

const folder = join(import.meta.dirname, '../../fixtures/axtrees');

describe('the text of an accessibility tree', () => {
  for (const file of readdirSync(folder)) {
    const recorded = JSON.parse(readFileSync(join(folder, file), 'utf8')) as Recorded;
    it.each(Object.entries(recorded.variants))(`of ${file} is BrowserGym's, with %s`, (_, { kwargs, text }) => {
      expect(printTree(recorded.axtree_object.nodes, kwargs, recorded.extra_element_properties)).toBe(text);
    });
  }

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
