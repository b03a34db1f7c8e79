/// <reference lib="dom" />

/**
 * Returns a node that has only the properties of its interface. In a form, fields shadow these properties, and in a
 * document, forms and images do: with `<input name="localName">`, `form.localName` is that field in every world. Pass
 * the original node to what needs the node itself (`getComputedStyle`, a comparison). Runs in the page.
 */
export function plain<Target extends Node>(node: Target): Target {
  // Reads a symbol property, which a name in the page cannot shadow.
  const type = Object.prototype.toString.call(node);
  if (!type.endsWith('FormElement]') && !type.endsWith('FrameSetElement]') && !type.endsWith('Document]')) return node;
  const own = Object.getPrototypeOf(node);
  return new Proxy(node, {
    get: (_target, name) => {
      const value = Reflect.get(own, name, node);
      return typeof value === 'function' ? value.bind(node) : value;
    },
    set: (_target, name, value) => Reflect.set(own, name, value, node),
  });
}
