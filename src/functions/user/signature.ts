import type { Range } from '../../tasks/range.ts';
import type { Phase } from '../declaration.ts';
import type { UserParameter } from './parameters.ts';

/** What the text of a functions file says about a function that it exports; nothing is executed. */
export interface UserSignature {
  readonly name: string;
  /** Absolute path of the file that exports it. */
  readonly file: string;
  /** Of another file that exports the name too: then no call can mean one of them. */
  readonly other?: string;
  /** Of the name. */
  readonly range: Range;
  /** Where it may be called; null: both, or not known. */
  readonly phase: Phase | null;
  readonly doc: string | null;
  /** Its arguments, where the text says them plainly; null where only running it would tell. */
  readonly parameters: readonly UserParameter[] | null;
  /** JSON Schema of all its arguments: as Python's hints say, or as the function itself told when a run last loaded it. */
  readonly schema?: unknown;
}
