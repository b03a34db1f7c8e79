/** What a page that belongs to its agent does before anything reads it; each would let a check say what is not so. */
export const FORGERIES: Readonly<Record<string, string>> = {
  'arrays that map to what it likes': `Array.prototype.map = () => ['Order placed']; Array.from = () => ['Order placed'];
    Array.prototype.push = function () { return 0; }; Array.prototype.join = () => 'Order placed';`,
  'texts that are what it likes': `for (const name of ['data', 'textContent', 'nodeValue', 'innerText', 'value'])
    for (const type of [CharacterData, Node, HTMLElement, HTMLInputElement])
      if (Object.getOwnPropertyDescriptor(type.prototype, name))
        Object.defineProperty(type.prototype, name, { get: () => 'Order placed', set() {}, configurable: true });`,
  'styles that hide nothing': `getComputedStyle = () => ({ display: 'block', visibility: 'visible', opacity: '1', getPropertyValue: () => '' });
    Element.prototype.getBoundingClientRect = () => ({ x: 0, y: 0, left: 0, top: 0, right: 100, bottom: 100, width: 100, height: 100 });
    Range.prototype.getClientRects = () => [{ left: 0, top: 0, right: 9, bottom: 9, width: 9, height: 9 }];`,
  'selectors that match what it likes': `Element.prototype.matches = () => true; Element.prototype.closest = function () { return this; };
    for (const type of [Document, Element]) type.prototype.querySelectorAll = () => [document.body];`,
  'attributes that are what it likes': `Element.prototype.getAttribute = () => 'buy';
    Object.defineProperty(Element.prototype, 'id', { get: () => 'buy' });
    Object.defineProperty(Element.prototype, 'attributes', { get: () => [{ name: 'id', value: 'buy' }] });
    Object.defineProperty(Element.prototype, 'localName', { get: () => 'button' });`,
  'storage that is what it likes': `Object.defineProperty(window, 'localStorage', { get: () => ({ order: 'placed' }) });
    Storage.prototype.getItem = () => 'placed';`,
  'JSON and objects that are what it likes': `JSON.stringify = () => '{"result":{"texts":["Order placed"]}}'; JSON.parse = () => ({});
    Object.defineProperty = (target) => target; Object.entries = () => [];`,
  'iterators and strings that are what it likes': `Array.prototype[Symbol.iterator] = function* () {};
    String.prototype.replace = () => 'Order placed'; String.prototype.trim = () => 'Order placed';`,
};

/** Names of fields by which a form, and names of images by which a document, gives others than its own properties. */
export const FIELDS = [
  ...[
    'nodeType',
    'nodeName',
    'localName',
    'tagName',
    'attributes',
    'childNodes',
    'children',
    'firstChild',
    'nextSibling',
  ],
  ...['parentNode', 'parentElement', 'previousElementSibling', 'nextElementSibling', 'ownerDocument', 'shadowRoot'],
  ...[
    'assignedSlot',
    'getRootNode',
    'getAttribute',
    'matches',
    'closest',
    'contains',
    'querySelectorAll',
    'textContent',
  ],
  ...[
    'innerText',
    'getBoundingClientRect',
    'clientLeft',
    'clientWidth',
    'scrollWidth',
    'scrollLeft',
    'isConnected',
    'id',
  ],
  ...[
    'className',
    'classList',
    'style',
    'hidden',
    'dataset',
    'labels',
    'value',
    'hasAttribute',
    'outerHTML',
    'innerHTML',
  ],
];
export const IMAGES = [
  ...['body', 'head', 'documentElement', 'scrollingElement', 'activeElement', 'defaultView', 'title', 'styleSheets'],
  ...[
    'createElement',
    'createRange',
    'createTreeWalker',
    'querySelector',
    'querySelectorAll',
    'getElementById',
    'fonts',
  ],
  ...[
    'elementFromPoint',
    'implementation',
    'adoptedStyleSheets',
    'compatMode',
    'readyState',
    'URL',
    'doctype',
    'images',
  ],
];
