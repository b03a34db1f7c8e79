/** Any function that runs in pages. */
// biome-ignore lint/suspicious/noExplicitAny: it is never called here.
export type InPageFunction = (...args: any[]) => unknown;

interface StandIn {
  /** An expression: the bundled module, as an object of its functions. */
  readonly module: string;
  readonly name: string;
}

/** An expression whose value, evaluated in a page, is the function. */
export function sourceOf(run: InPageFunction): string {
  const standIn = standInOf(run);
  return standIn === null ? String(run) : `${standIn.module}.${standIn.name}`;
}

/** An expression whose value is an object of functions under the given names; each module is evaluated once. */
export function sourceOfAll(functions: Iterable<readonly [run: InPageFunction, name: string]>): string {
  const modules: string[] = [];
  const members = [...functions].map(([run, name]) => {
    const standIn = standInOf(run);
    if (standIn === null) return `${name}: ${run}`;
    let at = modules.indexOf(standIn.module);
    if (at < 0) at = modules.push(standIn.module) - 1;
    return `${name}: m${at}.${standIn.name}`;
  });
  const constants = modules.map((module, index) => `const m${index} = ${module};\n`).join('');
  return `(() => { ${constants} return { ${members.join(',\n')} }; })()`;
}

/** What the build made of a function of a module in a folder `in-page` (scripts/in-page.mjs). */
function standInOf(run: InPageFunction): StandIn | null {
  return (run as InPageFunction & { inPage?: StandIn }).inPage ?? null;
}
