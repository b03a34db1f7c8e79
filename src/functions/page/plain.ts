/// <reference lib="dom" />

/** What `plain` is where a function gets it as an argument. */
export type Plain = <Target extends Node>(node: Target) => Target;

/**
 * Runs in the page and stands alone: a node whose properties are those of its interface. A form gives its fields before them,
 * a document its forms and images: after `<input name="localName">`, `form.localName` is that field in every world. What asks
 * for the node itself (`getComputedStyle`, a comparison) is to be given the node.
 */
export function plain<Target extends Node>(node: Target): Target {
  // A symbol's property, which no name can stand for.
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
