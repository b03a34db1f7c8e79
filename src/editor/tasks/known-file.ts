import type * as vscode from 'vscode';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Diagnosis } from '../../language/findings/diagnosis.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { HeldFile } from './held-file.ts';

/** VS Code shows 1000 for one file, whatever it is given; some are left to names that other files have too. */
const MOST_SHOWN = 990;

/** A task file as it was at one moment, with everything that is said about it, worked out when it is asked for. */
export class KnownFile {
  readonly uri: vscode.Uri;
  /** The workspace folder whose tree it stands in; undefined for a file that is merely open. */
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly file: TaskFile;
  /** What the folder's own functions files export. */
  readonly own: UserFunctions;
  readonly diagnosis: Diagnosis;
  /** Version of the open document that was read; null where it was read from disk. */
  readonly version: number | null;
  #findings: readonly Finding[] | undefined;
  #shown: readonly Finding[] | undefined;

  constructor(uri: vscode.Uri, folder: vscode.WorkspaceFolder | undefined, held: HeldFile) {
    this.uri = uri;
    this.folder = folder;
    this.file = held.file;
    this.own = held.own;
    this.diagnosis = held.diagnosis;
    this.version = held.version;
  }

  /** Whether all its rows were judged: in a large file that takes a moment. */
  get complete(): boolean {
    return this.diagnosis.complete;
  }

  /** In the order of the text. */
  get findings(): readonly Finding[] {
    this.#findings ??= this.diagnosis.findings();
    return this.#findings;
  }

  /** Those that the editor can show: the most severe ones, and one that says how many there are beside them. */
  get shown(): readonly Finding[] {
    this.#shown ??= this.diagnosis.shown(MOST_SHOWN);
    return this.#shown;
  }
}
