import type * as vscode from 'vscode';
import type { UserFunctions } from '../../environments/user-functions.ts';
import type { Diagnosis } from '../../language/findings/diagnosis.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { TaskFile } from '../../tasks/rows.ts';
import type { TrackedFile } from './tracked-file.ts';

/** VS Code shows at most 1000 diagnostics of a file. The rest is for names shared with other files. */
const MAX_SHOWN = 990;

/** A version of a task file with its findings, which are computed on demand. */
export class KnownFile {
  readonly uri: vscode.Uri;
  /** The workspace folder that lists it; undefined for a file that is only open. */
  readonly folder: vscode.WorkspaceFolder | undefined;
  readonly file: TaskFile;
  /** What the folder's own functions files export. */
  readonly userFunctions: UserFunctions;
  readonly diagnosis: Diagnosis;
  /** Version of the open document that was read; null if it was read from disk. */
  readonly version: number | null;
  #findings: readonly Finding[] | undefined;
  #shownFindings: readonly Finding[] | undefined;

  constructor(uri: vscode.Uri, folder: vscode.WorkspaceFolder | undefined, trackedFile: TrackedFile) {
    this.uri = uri;
    this.folder = folder;
    this.file = trackedFile.file;
    this.userFunctions = trackedFile.userFunctions;
    this.diagnosis = trackedFile.diagnosis;
    this.version = trackedFile.version;
  }

  /** Whether all its rows are diagnosed. That takes a moment in a large file. */
  get complete(): boolean {
    return this.diagnosis.complete;
  }

  /** In text order. */
  get findings(): readonly Finding[] {
    this.#findings ??= this.diagnosis.findings();
    return this.#findings;
  }

  /** The findings that VS Code can show: the most severe ones, and one with the number of the others. */
  get shown(): readonly Finding[] {
    this.#shownFindings ??= this.diagnosis.mostSevere(MAX_SHOWN);
    return this.#shownFindings;
  }
}
