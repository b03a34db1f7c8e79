/** The roles of files as text. */
export const ROLE_TEXTS = {
  task: 'a task file',
  solution: 'a solution',
  functions: 'a functions file',
  agent: 'an agent',
  trace: 'part of a recorded run',
  module: 'a module of custom tasks',
  history: 'the history of withheld files',
} as const;

/** The role of a file in a run, which is the reason to withhold it. */
export type Role = keyof typeof ROLE_TEXTS;

/** A file that a run uses and withholds from its agent. */
export interface KnownFile {
  /** Absolute, or relative to the folder of the task. A folder stands for everything in it. */
  readonly path: string;
  readonly role: Role;
}

/** All roles. */
export const ROLES = Object.keys(ROLE_TEXTS) as readonly Role[];

/** Name patterns of the roles. Case-insensitive, because some file systems are. */
const NAMES: readonly (readonly [RegExp, Role])[] = [
  [/\.(?:task|tasks|taskset)\.(?:json|jsonl|ya?ml)$/iu, 'task'],
  [/^tasks\.(?:json|jsonl|ya?ml)$/iu, 'task'],
  [/\.actions$/iu, 'solution'],
  [/\.functions\.(?:[cm]?[jt]s|py)$/iu, 'functions'],
  [/\.agent\.[cm]?[jt]s$/iu, 'agent'],
];

/**
 * A path as the file systems compare it that ignore how characters are composed and those without a glyph: another path
 * that is the same here opens the same file.
 */
export function comparablePath(path: string): string {
  return path.normalize('NFC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
}

/** The role of a file by its name alone. */
export function roleOfName(name: string): Role | null {
  return NAMES.find(([pattern]) => pattern.test(comparablePath(name)))?.[1] ?? null;
}
