import { expect, it } from 'vitest';
import type { DomSnapshot } from '../../../src/environments/browser/observing/dom-snapshot.ts';
import { prunedHtml, showsPasswords } from '../../../src/environments/browser/observing/pruned-html.ts';
import { task } from '../runs/tasks.ts';

it('Passwords are printed in BrowserGym environments, and never where the agent types placeholders', () => {
  const env = { type: 'browsergym', benchmark: 'custom', task_name: 'sign-in' };
  expect(showsPasswords(task({ env }))).toBe(true);
  expect(showsPasswords(task({ env, sensitive_data: { 'shop.example': { password: 'secret' } } }))).toBe(false);
  expect(showsPasswords(task({ env: { type: 'hud-browser' } }))).toBe(false);
});

/** An element as `[name, attributes, ...children]`, with the state of a control in attributes that begin with `:`. */
type Node = string | readonly [name: string, attributes: Readonly<Record<string, string>>, ...children: Node[]];

/** A snapshot of a document, whose elements have backend ids from 0 in document order. */
function snapshotOf(root: Node): DomSnapshot {
  const strings: string[] = [];
  const index = (text: string): number => strings.push(text) - 1;
  const nodes = {
    parentIndex: [-1],
    nodeType: [9],
    nodeName: [index('#document')],
    nodeValue: [-1],
    backendNodeId: [-1],
    attributes: [[] as number[]],
    inputValue: { index: [] as number[], value: [] as number[] },
    textValue: { index: [] as number[], value: [] as number[] },
    inputChecked: { index: [] as number[] },
    optionSelected: { index: [] as number[] },
  };
  let elements = 0;
  const add = (node: Node, parent: number): void => {
    const at = nodes.parentIndex.push(parent) - 1;
    const [name, attributes, ...children]: Exclude<Node, string> = typeof node === 'string' ? ['#text', {}] : node;
    const isComment = name === '#comment';
    nodes.nodeType.push(typeof node === 'string' ? 3 : isComment ? 8 : 1);
    nodes.nodeName.push(index(name));
    nodes.nodeValue.push(typeof node === 'string' ? index(node) : -1);
    nodes.backendNodeId.push(name.startsWith('#') || name.startsWith('::') ? -1 : elements++);
    const shown = Object.entries(attributes).filter(([key]) => !key.startsWith(':'));
    nodes.attributes.push(shown.flatMap(([key, value]) => [index(key), value === '' ? -1 : index(value)]));
    const { ':input': input, ':text': text } = attributes;
    if (input !== undefined) {
      nodes.inputValue.index.push(at);
      nodes.inputValue.value.push(index(input));
    }
    if (text !== undefined) {
      nodes.textValue.index.push(at);
      nodes.textValue.value.push(index(text));
    }
    if (':checked' in attributes) nodes.inputChecked.index.push(at);
    if (':selected' in attributes) nodes.optionSelected.index.push(at);
    for (const child of children) add(child, at);
  };
  add(root, 0);
  return { strings, documents: [{ frameId: -1, nodes }] };
}

function print(root: Node, passwords = true): string {
  return prunedHtml(snapshotOf(root), { bidOf: (id) => (id < 0 ? undefined : String(id)), passwords });
}

it('A page is printed as browsergym_env prunes it: attributes sorted, without scripts and elements that only give structure', () => {
  const page: Node = [
    'HTML',
    {},
    ['HEAD', {}, ['TITLE', {}, ' A & B '], ['STYLE', {}, 'p {}'], ['SCRIPT', {}, 'let a;']],
    [
      'BODY',
      {},
      ['DIV', {}, 'one\ntwo', ['BR', {}], ['#comment', {}], 'three ', ['SPAN', {}, 'four']],
      ['P', { id: 'p', class: ' b  a ' }, 'x < y', ['#comment', {}], ' z', ['::after', {}]],
      ['svg', { viewBox: '0 0 1 1' }, ['line', { x1: '1', style: 'a: b;' }]],
      ['PRE', {}, ' a\n  b', ['B', {}, 'c']],
    ],
  ];
  expect(print(page)).toBe(`<head bid="1">
 <title bid="2">
  A &amp; B
 </title>
</head>
one two
three
four
<p bid="9" class="b a" id="p">
 x &lt; y z&lt;::after&gt;
</p>
<svg bid="10" viewbox="0 0 1 1">
 <line bid="11" style="a: b;" x1="1">
 </line>
</svg>
<pre bid="12"> a   b<b bid="13">c</b></pre>
`);
});

it('Controls are printed with their current values and states', () => {
  const form: Node = [
    'FORM',
    {},
    ['INPUT', { type: 'text', value: 'old', ':input': 'new' }],
    ['INPUT', { type: 'password', ':input': 'abc' }],
    ['INPUT', { type: 'checkbox', checked: '' }],
    ['INPUT', { type: 'radio', ':checked': '' }],
    ['TEXTAREA', { ':text': 'typed' }, 'start'],
    ['SELECT', {}, ['OPTION', {}, ' A  a '], ['OPTION', { value: 'b', ':selected': '' }, 'B']],
    ['BUTTON', {}, 'Go'],
    ['LI', {}, 'item'],
  ];
  expect(print(form)).toBe(`<form bid="0">
 <input bid="1" type="text" value="new"/>
 <input bid="2" type="password" value="abc"/>
 <input bid="3" type="checkbox" value="on"/>
 <input bid="4" checked="" type="radio" value="on"/>
 <textarea bid="5" value="typed">start</textarea>
 <select bid="6" value="b">
  <option bid="7" value="A a">
   A  a
  </option>
  <option bid="8" value="b">
   B
  </option>
 </select>
 <button bid="9" value="">
  Go
 </button>
 <li bid="10" value="0">
  item
 </li>
</form>
`);
  expect(print(form, false)).toContain('<input bid="2" type="password" value="•••"/>');
});
