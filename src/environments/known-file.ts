const WORDS = {
  task: 'a task file',
  solution: 'a solution',
  functions: 'a file of own functions',
  agent: 'an agent',
  trace: 'part of a recorded run',
  module: 'a module of custom tasks',
  history: 'the history of withheld files',
} as const;

/** What a file is for a run, and why no agent gets it. */
export type Role = keyof typeof WORDS;

/** A file that a run uses and that its agent must not get. */
export interface KnownFile {
  /** Absolute, or relative to the folder of the task. A folder stands for everything in it. */
  readonly path: string;
  readonly role: Role;
}

/** All roles. */
export const ROLES = Object.keys(WORDS) as readonly Role[];

/** Names that tell the role of a file. They are compared without case, because some file systems ignore it. */
const NAMES: readonly (readonly [RegExp, Role])[] = [
  [/\.(?:task|tasks|taskset)\.(?:json|jsonl|ya?ml)$/i, 'task'],
  [/^tasks\.(?:json|jsonl|ya?ml)$/i, 'task'],
  [/\.actions$/i, 'solution'],
  [/\.functions\.(?:[cm]?[jt]s|py)$/i, 'functions'],
  [/\.agent\.[cm]?[jt]s$/i, 'agent'],
];

/** The role of a file by its name alone. */
export function roleOfName(name: string): Role | null {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** The role in words: `a solution`. */
export function roleInWords(role: Role): string {
  return WORDS[role];
}
