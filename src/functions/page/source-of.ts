/** Any function that runs in pages. */
export type InPageFunction = (...args: never[]) => unknown;

interface StandIn {
  /** An expression: the bundled module, as an object of its functions. */
  readonly module: string;
  readonly name: string;
}

/** An expression that evaluates to the function in a page. */
export function sourceOf(run: InPageFunction): string {
  const standIn = standInOf(run);
  return standIn === null ? String(run) : `${standIn.module}.${standIn.name}`;
}

/** An expression that evaluates to an object of the functions under the given names. Each module is evaluated once. */
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

/** The stand-in of a function, which the build creates for modules in folders named `in-page` (scripts/in-page.mjs). */
function standInOf(run: InPageFunction): StandIn | null {
  return (run as InPageFunction & { inPage?: StandIn }).inPage ?? null;
}
