import * as vscode from 'vscode';
import type { ActionDialect } from '../../actions/normal.ts';
import { actionDialect } from '../../environments/kinds.ts';
import type { ActionSchema } from '../../language/solutions/object-actions.ts';
import { taskOfSolution } from '../../language/solutions/task-of.ts';
import type { Finding } from '../../tasks/finding.ts';
import type { Task } from '../../tasks/task.ts';
import { DisposableStore } from '../lifecycle.ts';
import { diagnosticOf } from '../problems/diagnostic.ts';
import { SOURCE } from '../problems/shown.ts';
import { editorRange, workspaceEdit } from '../ranges.ts';
import { SOLUTION_DOCUMENTS } from '../tasks/patterns.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import type { LanguageFeature } from './feature.ts';

/** `.actions` files: findings of open files and their fixes, hover, and completion. */
export const solutions: LanguageFeature = ({ extensionUri, files, schemas, log }) => {
  const disposables = new DisposableStore();
  const diagnostics = disposables.add(vscode.languages.createDiagnosticCollection(`${SOURCE}-solutions`));
  const found = new Map<string, { readonly version: number; readonly findings: readonly Finding[] }>();

  const check = async (document: vscode.TextDocument): Promise<void> => {
    if (vscode.languages.match(SOLUTION_DOCUMENTS, document) === 0) return;
    const { diagnoseSolution } = await import('../../language/solutions/findings.ts');
    if (document.isClosed) return;
    const task = taskOf(document.uri.fsPath, files);
    const dialect: ActionDialect = task === null ? { dialect: 'own' } : actionDialect(task.env);
    const schema = task === null ? undefined : schemas.of(task);
    const findings = diagnoseSolution(document.uri.fsPath, document.getText(), dialect, schema);
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
  // The environment of the task determines how actions are read.
  disposables.add(files.onDidChange(() => vscode.workspace.textDocuments.forEach(show)));
  disposables.add(schemas.onDidLearn(() => vscode.workspace.textDocuments.forEach(show)));
  const dialectOf = (document: vscode.TextDocument): ActionDialect => {
    const task = taskOf(document.uri.fsPath, files);
    return task === null ? { dialect: 'own' } : actionDialect(task.env);
  };
  const schemaOf = (document: vscode.TextDocument): ActionSchema | undefined => {
    const task = taskOf(document.uri.fsPath, files);
    return task === null ? undefined : schemas.of(task);
  };

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
        const { text } = document.lineAt(line);
        const schema = schemaOf(document);
        const ofObject =
          schema === undefined
            ? null
            : (await import('../../language/solutions/object-actions.ts')).objectHover(text, character, schema);
        const hoverText = ofObject ?? solutionHover(text, character);
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
        const schema = schemaOf(document);
        const ofObject = schema === undefined ? [] : await completeObject(document, line, character, schema);
        const calls = solutionCompletions(document.lineAt(line).text, character);
        const onlyObjects = schema !== undefined && dialectOf(document).dialect === 'object';
        const usable = onlyObjects ? calls.filter(({ name }) => OBJECT_CALLS.has(name)) : calls;
        const ofCalls = usable.map(({ name, parameters, snippet, doc }) => {
          const item = new vscode.CompletionItem(
            { label: name, detail: parameters },
            vscode.CompletionItemKind.Function,
          );
          item.insertText = new vscode.SnippetString(snippet);
          item.documentation = new vscode.MarkdownString(doc);
          return item;
        });
        return [...ofObject, ...ofCalls];
      },
    }),
  );
  return disposables;
};

/** The calls that stand beside actions that are objects. */
const OBJECT_CALLS: ReadonlySet<string> = new Set(['response', 'report_infeasible']);

const KINDS = {
  action: vscode.CompletionItemKind.Snippet,
  key: vscode.CompletionItemKind.Property,
  value: vscode.CompletionItemKind.Value,
} as const;

async function completeObject(
  document: vscode.TextDocument,
  line: number,
  character: number,
  schema: ActionSchema,
): Promise<vscode.CompletionItem[]> {
  const { objectCompletions } = await import('../../language/solutions/object-actions.ts');
  const { text } = document.lineAt(line);
  return objectCompletions(text, character, schema).map(({ kind, label, snippet, start, end, doc }, index) => {
    const item = new vscode.CompletionItem(label, KINDS[kind]);
    item.insertText = new vscode.SnippetString(snippet);
    item.range = new vscode.Range(line, start, line, end);
    // The quotation mark of a key may be written already.
    if (kind === 'key') item.filterText = JSON.stringify(label);
    item.sortText = String(index).padStart(4, '0');
    item.documentation = new vscode.MarkdownString(doc);
    return item;
  });
}

function taskOf(solution: string, files: TaskFiles): Task | null {
  return taskOfSolution(
    solution,
    files.all.map(({ file }) => file),
  );
}
