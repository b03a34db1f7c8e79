import type { UserFunctions } from '../../../environments/user-functions.ts';

/** What the files around a task tell; each is asked for only where it matters. */
export interface CompletionContext {
  readonly own: UserFunctions;
  /** Page files beside the task file, relative to it. */
  pages(): Promise<readonly string[]>;
  /** The text of one of them; null where it cannot be read. */
  page(name: string): Promise<string | null>;
  /** What other tasks use. */
  used(): Used;
}

/** Words that tasks have in common. */
export interface Used {
  readonly tags: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
}
