import type { Range } from '../../base/range.ts';

/** A custom task that a file registers, read from the text of the file. Nothing is executed. */
export interface CustomTaskName {
  readonly name: string;
  /** Absolute path of the file that registers it. */
  readonly file: string;
  /** The range of its class, or of the registered name if the class is not in the file. */
  readonly range: Range;
  /** The range of the registered name, without quotes. */
  readonly nameRange: Range;
  readonly class: string | null;
  readonly doc: string | null;
  /** A Python class, as in OpenEnv's proposal. */
  readonly python: boolean;
  /** A certain problem of its class: `has no method html()`. */
  readonly wrong: string | null;
  /** Whether its class defines a goal; null if unknown. */
  readonly hasGoal: boolean | null;
}
