import type { LanguageContext } from '../language/feature.ts';
import type { FindingSource } from './finding-source.ts';
import { Registrations } from './registrations.ts';
import { SharedNames } from './shared-names.ts';
import { SolutionFindings } from './solution-findings.ts';
import { TaskFindings } from './task-findings.ts';

/** The sources of all findings. What they need of `src/language/` is loaded on first use. */
export function findingSources(context: LanguageContext): readonly FindingSource[] {
  return [TaskFindings, SharedNames, Registrations, SolutionFindings].map((Source) => new Source(context));
}
