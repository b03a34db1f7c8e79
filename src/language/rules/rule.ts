import type { Severity } from '../../tasks/finding.ts';

/** What one code of a finding means: shown as `docs/rules/<code>.md`. */
export interface Rule {
  /** What is wrong, in a few words. */
  readonly title: string;
  /** The usual one. */
  readonly severity: Severity;
  /** One paragraph: what is wrong, and why it matters; what HUD does names its version. */
  readonly why: string;
  /** How to mend it. */
  readonly mend: string;
  /** A file that has it. Absent where it takes more than a few lines to show. */
  readonly bad?: Example;
  /** The same, mended. */
  readonly good?: Example;
}

/** The text of a `.task.json`, or of a file of another name. */
export type Example = string | { readonly file: string; readonly text: string };

export type Rules = Readonly<Record<string, Rule>>;
