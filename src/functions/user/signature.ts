import type { Range } from '../../base/range.ts';
import type { Phase } from '../declaration.ts';
import type { UserParameter } from './parameters.ts';

/** The signature of an exported function, read from the text of its file. Nothing is executed. */
export interface UserSignature {
  readonly name: string;
  /** Absolute path of the file that exports it. */
  readonly file: string;
  /** Another file that exports the same name, which makes calls ambiguous. */
  readonly other?: string;
  /** The range of the name. */
  readonly range: Range;
  /** The phase in which it may be called; null for both or unknown. */
  readonly phase: Phase | null;
  readonly doc: string | null;
  /** Its parameters; null if they are only known at run time. */
  readonly parameters: readonly UserParameter[] | null;
  /** JSON Schema of all its arguments, from Python's type hints or from the last run that loaded the function. */
  readonly schema?: unknown;
}
