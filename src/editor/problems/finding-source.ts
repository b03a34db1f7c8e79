import type * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';

/** One kind of findings. A source also provides the quick fixes of its findings. */
export interface FindingSource extends vscode.Disposable {
  /** Files whose findings changed. */
  readonly onDidChange: vscode.Event<readonly vscode.Uri[]>;
  /** The findings of a file; undefined to keep those that are shown. */
  findingsOf(uri: vscode.Uri): readonly Finding[] | undefined;
}
