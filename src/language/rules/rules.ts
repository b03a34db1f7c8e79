import { callRules } from './call-rules.ts';
import { eraRules } from './era-rules.ts';
import { fileRules } from './file-rules.ts';
import type { Rules } from './rule.ts';
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

/** The documentation of all finding codes. */
export const RULES: Rules = Object.assign({}, ...RULE_GROUPS.map(({ rules }) => rules));
