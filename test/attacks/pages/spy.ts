/// <reference lib="dom" />

/**
 * A script of a page that wraps the functions that a reader could call in the page's own world, and keeps the texts that
 * they are given in `heard`. `spyOn(window)` does the same in a frame.
 */
export const SPY = `(${spy})()`;

function spy(): void {
  const heard: string[] = [];
  const { apply, getPrototypeOf, ownKeys } = Reflect;
  const { isArray } = Array;
  const { push } = Array.prototype;
  const { defineProperty, getOwnPropertyDescriptor } = Object;
  const plain = Object.prototype;
  const note = (value: unknown, depth: number): void => {
    if (typeof value === 'string') apply(push, heard, [value]);
    else if (typeof value === 'object' && value !== null && depth < 4) {
      if (!isArray(value) && getPrototypeOf(value) !== plain) return;
      for (const key in value) note((value as Record<string, unknown>)[key], depth + 1);
    }
  };
  const wrap = (target: object, key: string | symbol): void => {
    const { value, configurable } = getOwnPropertyDescriptor(target, key) ?? {};
    if (typeof value !== 'function' || configurable !== true || key === 'constructor') return;
    const wrapped = function (this: unknown, ...args: unknown[]): unknown {
      for (let at = 0; at < args.length; at += 1) note(args[at], 1);
      return apply(value, this, args);
    };
    defineProperty(target, key, { configurable: true, writable: true, value: wrapped });
  };
  const spyOn = (realm: typeof globalThis): void => {
    for (const { prototype } of [realm.Element, realm.Document, realm.Node, realm.RegExp, realm.Set]) {
      for (const key of ownKeys(prototype)) wrap(prototype, key);
    }
    for (const key of ['map', 'filter', 'includes', 'some', 'forEach', 'indexOf']) wrap(realm.Array.prototype, key);
    for (const key of ['includes', 'split', 'replace', 'trim', 'match']) wrap(realm.String.prototype, key);
    for (const key of ['parse', 'stringify']) wrap(realm.JSON, key);
  };
  Object.assign(globalThis, { heard, spyOn });
  spyOn(globalThis);
  document.querySelector('[title="heard by the test"]');
}
