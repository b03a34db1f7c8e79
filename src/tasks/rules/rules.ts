import { callRules } from './call-rules.ts';
import { eraRules } from './era-rules.ts';
import { fileRules } from './file-rules.ts';
import type { Rule, Rules } from './rule.ts';
import { solutionRules } from './solution-rules.ts';
import { taskRules } from './task-rules.ts';

/** All finding codes, in the groups of the index page. */
export const RULE_GROUPS: readonly { readonly title: string; readonly rules: Rules }[] = [
  { title: 'Files', rules: fileRules },
  { title: 'Tasks', rules: taskRules },
  { title: 'Calls', rules: callRules },
  { title: 'Tasks of HUD 0.4, 0.5 and 0.6', rules: eraRules },
  { title: 'Solutions', rules: solutionRules },
];

const rules = { ...fileRules, ...taskRules, ...callRules, ...eraRules, ...solutionRules };

/** The code of a finding, in kebab-case. Codes are stable, because users search for them and link to their pages. */
export type RuleCode = keyof typeof rules;

/** The documentation of all finding codes. */
export const RULES: Readonly<Record<RuleCode, Rule>> = rules;
