import type { BrokenModule } from '../../functions/user/modules/broken.ts';
import type { Finding } from '../../tasks/finding.ts';

/** Errors for modules next to task files that cannot be loaded, each place once. */
export function brokenModules(modules: readonly BrokenModule[]): readonly Finding[] {
  const findings = modules.map((one) => ({ ...one, severity: 'error' as const, code: 'broken-module' as const }));
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
