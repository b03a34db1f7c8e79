import type { RuleCode } from '../../tasks/rules/rules.ts';

/** Path of a rule's page, relative to the extension's folder; it opens offline. */
export function rulePage(code: RuleCode): string {
  return `docs/rules/${code}.md`;
}
