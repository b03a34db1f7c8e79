import type { UserFunctions } from '../../../environments/user-functions.ts';

/** Information about the files around a task, queried only when needed. */
export interface CompletionContext {
  readonly own: UserFunctions;
  /** Page files beside the task file, relative to it. */
  pages(): Promise<readonly string[]>;
  /** The text of a page file; null if it cannot be read. */
  page(name: string): Promise<string | null>;
  /** Values that other tasks use. */
  used(): Used;
}

/** Values that tasks share. */
export interface Used {
  readonly tags: ReadonlySet<string>;
  readonly urls: ReadonlySet<string>;
}
