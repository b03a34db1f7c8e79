/** Path of a rule's page, relative to the extension's folder; it opens offline. */
export function rulePage(code: string): string {
  return `docs/rules/${code}.md`;
}
