import * as vscode from 'vscode';
import type { Finding } from '../../tasks/finding.ts';
import type { LanguageContext } from '../language/feature.ts';
import { solutionFormat } from '../language/solution-format.ts';
import { Disposable } from '../lifecycle.ts';
import { editorRange, workspaceEdit } from '../ranges.ts';
import { SOLUTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { FindingSource } from './finding-source.ts';

const { QuickFix } = vscode.CodeActionKind;

/** The findings of open `.actions` files, and their quick fixes. */
export class SolutionFindings extends Disposable implements FindingSource, vscode.CodeActionProvider {
  readonly #context: LanguageContext;
  readonly #changes = this.register(new vscode.EventEmitter<readonly vscode.Uri[]>());
  readonly onDidChange = this.#changes.event;
  readonly #versions = new Map<string, { readonly version: number; readonly findings: readonly Finding[] }>();

  constructor(context: LanguageContext) {
    super();
    this.#context = context;
    const { workspace, languages } = vscode;
    const checkAll = (): void => {
      for (const document of workspace.textDocuments) this.#check(document);
    };
    for (const listener of [
      languages.registerCodeActionsProvider(SOLUTION_DOCUMENTS, this, { providedCodeActionKinds: [QuickFix] }),
      workspace.onDidOpenTextDocument((document) => this.#check(document)),
      workspace.onDidChangeTextDocument(({ document }) => this.#check(document)),
      workspace.onDidCloseTextDocument(({ uri }) => {
        if (this.#versions.delete(uri.toString())) this.#changes.fire([uri]);
      }),
      // The environment of the task determines how actions are read.
      context.files.onDidChange(checkAll),
      context.schemas.onDidLearn(checkAll),
    ])
      this.register(listener);
    checkAll();
  }

  findingsOf(uri: vscode.Uri): readonly Finding[] {
    return this.#versions.get(uri.toString())?.findings ?? [];
  }

  provideCodeActions(
    document: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (this.#versions.get(document.uri.toString())?.version !== document.version) return [];
    return this.findingsOf(document.uri).flatMap((finding) => {
      const findingRange = editorRange(finding.range);
      if (findingRange.intersection(range) === undefined) return [];
      return (finding.fixes?.() ?? []).map((fix) => {
        const action = new vscode.CodeAction(fix.title, QuickFix);
        action.diagnostics = diagnostics.filter((one) => one.range.isEqual(findingRange));
        action.isPreferred = true;
        action.edit = workspaceEdit(document.uri, fix.edits);
        return action;
      });
    });
  }

  #check(document: vscode.TextDocument): void {
    if (vscode.languages.match(SOLUTION_DOCUMENTS, document) === 0) return;
    this.#diagnose(document).catch((error: unknown) =>
      this.#context.log.error(error instanceof Error ? error : String(error)),
    );
  }

  async #diagnose(document: vscode.TextDocument): Promise<void> {
    const { diagnoseSolution } = await import('../../language/solutions/findings.ts');
    if (document.isClosed) return;
    const { uri, version } = document;
    const { dialect, schema } = solutionFormat(uri.fsPath, this.#context);
    const findings = diagnoseSolution(uri.fsPath, document.getText(), dialect, schema);
    this.#versions.set(uri.toString(), { version, findings });
    this.#changes.fire([uri]);
  }
}
