import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ActionDialect } from '../../actions/normal.ts';
import { actionDialect } from '../../environments/kinds.ts';
import type { Finding } from '../../tasks/finding.ts';
import { taskName } from '../../tasks/name.ts';
import { DisposableStore } from '../lifecycle.ts';
import { diagnosticOf } from '../problems/diagnostic.ts';
import { SOURCE } from '../problems/shown.ts';
import { editorRange, workspaceEdit } from '../ranges.ts';
import { SOLUTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { LanguageFeature } from './feature.ts';

/** Files of actions: what is wrong with the open ones and what would mend it, what an action does, what can be written. */
export const solutions: LanguageFeature = ({ extensionUri, files, log }) => {
  const disposables = new DisposableStore();
  const diagnostics = disposables.add(vscode.languages.createDiagnosticCollection(`${SOURCE}-solutions`));
  const found = new Map<string, { readonly version: number; readonly findings: readonly Finding[] }>();

  const check = async (document: vscode.TextDocument): Promise<void> => {
    if (vscode.languages.match(SOLUTION_DOCUMENTS, document) === 0) return;
    const { diagnoseSolution } = await import('../../language/solutions/findings.ts');
    if (document.isClosed) return;
    const findings = diagnoseSolution(document.uri.fsPath, document.getText(), dialectOf(document.uri.fsPath, files));
    found.set(document.uri.toString(), { version: document.version, findings });
    diagnostics.set(
      document.uri,
      findings.map((finding) => diagnosticOf(finding, extensionUri)),
    );
  };
  const show = (document: vscode.TextDocument): void => {
    check(document).catch((error: unknown) => log.error(error instanceof Error ? error : String(error)));
  };
  disposables.add(vscode.workspace.onDidOpenTextDocument(show));
  disposables.add(vscode.workspace.onDidChangeTextDocument(({ document }) => show(document)));
  disposables.add(
    vscode.workspace.onDidCloseTextDocument(({ uri }) => {
      found.delete(uri.toString());
      diagnostics.delete(uri);
    }),
  );
  for (const document of vscode.workspace.textDocuments) show(document);
  // The environment of its task says how actions are read.
  disposables.add(files.onDidChange(() => vscode.workspace.textDocuments.forEach(show)));

  disposables.add(
    vscode.languages.registerCodeActionsProvider(
      SOLUTION_DOCUMENTS,
      {
        provideCodeActions(document, range, context) {
          const known = found.get(document.uri.toString());
          if (known?.version !== document.version) return [];
          return known.findings
            .filter((finding) => editorRange(finding.range).intersection(range) !== undefined)
            .flatMap((finding) =>
              (finding.fixes?.() ?? []).map((fix) => {
                const action = new vscode.CodeAction(fix.title, vscode.CodeActionKind.QuickFix);
                action.diagnostics = context.diagnostics.filter((one) => one.range.isEqual(editorRange(finding.range)));
                action.isPreferred = true;
                action.edit = workspaceEdit(document.uri, fix.edits);
                return action;
              }),
            );
        },
      },
      { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] },
    ),
  );
  disposables.add(
    vscode.languages.registerHoverProvider(SOLUTION_DOCUMENTS, {
      async provideHover(document, { line, character }) {
        const { solutionHover } = await import('../../language/solutions/typing.ts');
        const hoverText = solutionHover(document.lineAt(line).text, character);
        if (hoverText === null) return undefined;
        return new vscode.Hover(
          new vscode.MarkdownString(hoverText.text),
          new vscode.Range(line, hoverText.start, line, hoverText.end),
        );
      },
    }),
  );
  disposables.add(
    vscode.languages.registerCompletionItemProvider(SOLUTION_DOCUMENTS, {
      async provideCompletionItems(document, { line, character }) {
        const { solutionCompletions } = await import('../../language/solutions/typing.ts');
        return solutionCompletions(document.lineAt(line).text, character).map(({ name, parameters, snippet, doc }) => {
          const item = new vscode.CompletionItem(
            { label: name, detail: parameters },
            vscode.CompletionItemKind.Function,
          );
          item.insertText = new vscode.SnippetString(snippet);
          item.documentation = new vscode.MarkdownString(doc);
          return item;
        });
      },
    }),
  );
  return disposables;
};

/** How the environment of a solution's task reads actions. */
function dialectOf(solution: string, files: TaskFiles): ActionDialect {
  const id = basename(solution, '.actions');
  for (const { uri, file } of files.all) {
    if (dirname(uri.fsPath) !== dirname(solution)) continue;
    const row = file.rows.find((one) => taskName(one) === id);
    if (row !== undefined && row.task !== null) return actionDialect(row.task.env);
  }
  return { dialect: 'own' };
}
