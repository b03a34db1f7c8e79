import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import type { Finding } from '../../tasks/finding.ts';
import { editorRange, workspaceEdit } from '../ranges.ts';
import type { KnownFile } from '../tasks/known-file.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { isShownByJson, SOURCE } from './visibility.ts';

const { QuickFix } = vscode.CodeActionKind;
const FIX_ALL = vscode.CodeActionKind.SourceFixAll.append('taskwright');
const FIX_ALL_TITLE = l10n.t('Fix all safe problems in this file');

/** Fixes all safe problems. Its edits are computed when the user selects it. */
class FixAll extends vscode.CodeAction {
  readonly document: vscode.TextDocument;

  constructor(document: vscode.TextDocument, kind: vscode.CodeActionKind) {
    super(FIX_ALL_TITLE, kind);
    this.document = document;
  }
}

export const QUICK_FIX_METADATA: vscode.CodeActionProviderMetadata = { providedCodeActionKinds: [QuickFix, FIX_ALL] };

/** Quick fixes for the problems at a position, and all safe fixes of the file. */
export function quickFixes(files: TaskFiles): vscode.CodeActionProvider {
  const provideCodeActions: vscode.CodeActionProvider['provideCodeActions'] = async (
    document,
    range,
    context,
    token,
  ) => {
    const knownFile = files.get(document.uri);
    if (knownFile === undefined) return [];
    if (context.only?.contains(FIX_ALL) === true && !context.only.contains(QuickFix)) {
      // Requested on save: VS Code applies the result as it is.
      const action = new FixAll(document, FIX_ALL);
      return (await applySafeFixesTo(action, files, token)) === undefined ? [] : [action];
    }
    if (knownFile.version !== document.version) return [];
    const actions: vscode.CodeAction[] = [];
    const safelyFixed: vscode.Diagnostic[] = [];
    for (const { finding, diagnostics } of findingsAt(knownFile, document, range, context)) {
      const fixes = finding.fixes?.() ?? [];
      if (fixes.some(({ safe }) => safe)) safelyFixed.push(...diagnostics);
      for (const [index, fix] of fixes.entries()) {
        const action = new vscode.CodeAction(fix.title, QuickFix);
        action.diagnostics = [...diagnostics];
        action.isPreferred = index === 0;
        action.edit = workspaceEdit(document.uri, fix.edits);
        actions.push(action);
      }
    }
    if (safelyFixed.length > 0) {
      const all = new FixAll(document, QuickFix);
      all.diagnostics = safelyFixed;
      actions.push(all);
    }
    return actions;
  };
  return {
    provideCodeActions,
    async resolveCodeAction(action, token) {
      if (action instanceof FixAll && action.edit === undefined) await applySafeFixesTo(action, files, token);
      return action;
    },
  };
}

async function applySafeFixesTo(
  action: FixAll,
  files: TaskFiles,
  token: vscode.CancellationToken,
): Promise<vscode.WorkspaceEdit | undefined> {
  const { document } = action;
  const knownFile = files.get(document.uri);
  if (knownFile === undefined) return undefined;
  const { applySafeFixes } = await import('../../language/actions/safe-fixes.ts');
  const { uri, version } = document;
  const result = await inSlices(applySafeFixes(uri.fsPath, document.getText(), knownFile.userFunctions), token);
  if (result === undefined || result.fixCount === 0 || document.version !== version) return undefined;
  action.edit = new vscode.WorkspaceEdit();
  for (const { start, end, text } of result.edits) {
    action.edit.replace(uri, new vscode.Range(document.positionAt(start), document.positionAt(end)), text);
  }
  return action.edit;
}

/** The findings at a range with their diagnostics: Taskwright's, or VS Code's own for invalid JSON. */
function findingsAt(
  knownFile: KnownFile,
  document: vscode.TextDocument,
  requestedRange: vscode.Range,
  { diagnostics }: vscode.CodeActionContext,
): { finding: Finding; diagnostics: readonly vscode.Diagnostic[] }[] {
  const matches: { finding: Finding; diagnostics: readonly vscode.Diagnostic[] }[] = [];
  for (const finding of knownFile.shown) {
    if (finding.fixes === undefined) continue;
    const range = editorRange(finding.range);
    if (range.intersection(requestedRange) === undefined) continue;
    const isHidden = isShownByJson(finding, document);
    const relevant = diagnostics.filter((diagnostic) =>
      isHidden
        ? diagnostic.source !== SOURCE && diagnostic.range.intersection(range) !== undefined
        : diagnostic.source === SOURCE && codeOf(diagnostic) === finding.code && diagnostic.range.isEqual(range),
    );
    if (isHidden || relevant.length > 0) matches.push({ finding, diagnostics: relevant });
  }
  return matches;
}

function codeOf({ code }: vscode.Diagnostic): string | number | undefined {
  return typeof code === 'object' ? code.value : code;
}
