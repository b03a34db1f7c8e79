/// <reference lib="dom" />
import { plain } from '../plain.ts';

/** A request to the selector engine. */
export type EngineRequest =
  /** Stores an element under a key. */
  | { readonly collect: string }
  /** Calls a function: on an element, on the elements stored under a key, on the page. */
  | {
      readonly call: string;
      readonly argument: unknown;
      readonly on: 'element' | 'page' | { readonly key: string };
      /** Whether the function returns an element, which is then the match itself. */
      readonly finds: boolean;
    };

/** A selector engine that matches the element that a function returns, or an element with the result as its text. */
export function createEngine(functions: Record<string, (...args: unknown[]) => unknown>) {
  const collections = new Map<string, Element[]>();
  const queryAll = (root: Element, body: string): Element[] => {
    const request: EngineRequest = JSON.parse(decodeURIComponent(body));
    if ('collect' in request) {
      const list = collections.get(request.collect) ?? [];
      list.push(root);
      collections.set(request.collect, list);
      return [];
    }
    const { argument, on } = request;
    const target = on === 'element' ? [root] : on === 'page' ? [] : [collections.get(on.key) ?? []];
    if (typeof on === 'object') collections.delete(on.key);
    const result = functions[request.call]?.(...target, argument);
    if (request.finds) return result instanceof Element ? [result] : [];
    const holder = plain(document).createElement('data');
    holder.textContent = JSON.stringify({ result });
    return [holder];
  };
  return { query: (root: Element, body: string) => queryAll(root, body)[0], queryAll };
}
