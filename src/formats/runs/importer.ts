import type { ImportedRun } from './imported-run.ts';
import type { JsonDocument } from './read-json.ts';

/** A file to import. */
export interface ImportedFile {
  readonly path: string;
  /** The content as text, without a byte order mark; null if it is not UTF-8. */
  readonly text: string | null;
  /** Modification time, for runs that record no time of their own. */
  readonly modifiedAt: string;
  /** The whole text, for `checkJson`. */
  readonly document: JsonDocument;
  /** The whole text as JSON. Throws `BrokenFileError` if it is not. */
  json(): unknown;
}

/** One import format. A new one is one descriptor and one line in `importers.ts`. */
export interface Importer {
  /** For messages: what a file of this format contains. */
  readonly label: string;
  /** The runs in the file; null if the file has another format. Throws `BrokenFileError`, which has the location. */
  read(file: ImportedFile): readonly ImportedRun[] | null;
}
