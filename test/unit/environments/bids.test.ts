import { describe, expect, it } from 'vitest';
import { type DomNode, ElementNumbers, frameLetters } from '../../../src/environments/browser/observing/bids.ts';

let nodes = 100;
function element(localName: string, children: readonly DomNode[] = [], more: Partial<DomNode> = {}): DomNode {
  return { nodeType: 1, backendNodeId: ++nodes, localName, children, ...more };
}
function shadow(shadowRootType: 'open' | 'closed' | 'user-agent', children: readonly DomNode[]): DomNode {
  return { nodeType: 11, backendNodeId: ++nodes, localName: '', children, shadowRootType };
}
function page(...children: DomNode[]): DomNode {
  return { nodeType: 9, backendNodeId: 1, localName: '', children };
}
function number(numbers: ElementNumbers, document: DomNode, ...remote: { frameId: string; document: DomNode }[]) {
  return numbers.update([
    { target: 't', frameId: 'main', document },
    ...remote.map((root) => ({ target: root.frameId, ...root })),
  ]);
}

describe("the ids of a page's elements", () => {
  it('count standard elements in document order from 0', () => {
    const [head, custom, button] = [element('head'), element('my-thing'), element('button')];
    const numbers = new ElementNumbers();
    number(numbers, page(element('html', [head, element('body', [custom, button])])));
    expect([head, custom, button].map(({ backendNodeId }) => numbers.bidOf('t', backendNodeId))).toEqual([
      '1',
      undefined,
      '3',
    ]);
    expect(numbers.find('3')).toEqual({ backendNodeId: button.backendNodeId, target: 't' });
  });

  it("count an open shadow root's elements after the host and before its children, and none of a closed one", () => {
    const [inner, light, hidden] = [element('b'), element('i'), element('u')];
    const host = element('div', [light], { shadowRoots: [shadow('open', [inner]), shadow('closed', [hidden])] });
    const numbers = new ElementNumbers();
    number(numbers, page(host));
    expect([host, inner, light, hidden].map(({ backendNodeId }) => numbers.bidOf('t', backendNodeId))).toEqual([
      '0',
      '1',
      '2',
      undefined,
    ]);
  });

  it("are the input's own for the parts of it that the browser draws", () => {
    const month = element('span');
    const numbers = new ElementNumbers();
    const input = element('input', [], { shadowRoots: [shadow('user-agent', [month])] });
    number(numbers, page(element('p'), input, element('p')));
    expect(numbers.bidOf('t', month.backendNodeId)).toBe('1');
    expect(numbers.bidOf('t', month.backendNodeId, true)).toBeUndefined();
    expect(numbers.find('2')).toMatchObject({ target: 't' });
    expect(numbers.find('3')).toBeUndefined();
  });

  it('stay while the page lives, and new elements get the next numbers', () => {
    const [first, last, added] = [element('p'), element('p'), element('p')];
    const numbers = new ElementNumbers();
    number(numbers, page(first, last));
    number(numbers, page(added, last));
    expect(numbers.bidOf('t', last.backendNodeId)).toBe('1');
    expect(numbers.bidOf('t', added.backendNodeId)).toBe('2');
    expect(numbers.find('0')).toBeUndefined();
    number(numbers, page(first, added, last));
    expect(numbers.bidOf('t', first.backendNodeId)).toBe('0');
  });

  it('start again with a new document', () => {
    const again = element('p');
    const numbers = new ElementNumbers();
    number(numbers, page(element('p'), element('p')));
    number(numbers, { ...page(again), backendNodeId: 77 });
    expect(numbers.bidOf('t', again.backendNodeId)).toBe('0');
  });

  it('are letters for frames and prefixes in them, in this process or another', () => {
    const [local, away, sandboxed] = [element('p'), element('p'), element('p')];
    const first = element('iframe', [], { frameId: 'f1', contentDocument: { ...page(local), backendNodeId: 2 } });
    const second = element('iframe', [], { frameId: 'f2' });
    const third = element('iframe', [], {
      frameId: 'f3',
      attributes: ['sandbox', ''],
      contentDocument: { ...page(sandboxed), backendNodeId: 3 },
    });
    const numbers = new ElementNumbers();
    const frames = number(numbers, page(element('p'), first, second, third), { frameId: 'f2', document: page(away) });
    expect(numbers.bidOf('t', first.backendNodeId)).toBe('a');
    expect(numbers.bidOf('t', local.backendNodeId)).toBe('a0');
    expect(numbers.bidOf('f2', away.backendNodeId)).toBe('b0');
    expect(numbers.bidOf('t', sandboxed.backendNodeId)).toBeUndefined();
    expect(frames.map(({ frameId }) => frameId)).toEqual(['main', 'f1', 'f2', 'f3']);
  });

  it('continue with capitals after z', () => {
    expect([0, 25, 26, 27, 51, 52, 701, 702].map(frameLetters)).toEqual([
      'a',
      'z',
      'aA',
      'aB',
      'aZ',
      'bA',
      'zZ',
      'aAA',
    ]);
  });
});
