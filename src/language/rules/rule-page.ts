/** Where the page of a rule stands, relative to the folder of the extension: it opens without a network. */
export function rulePage(code: string): string {
  return `docs/rules/${code}.md`;
}
