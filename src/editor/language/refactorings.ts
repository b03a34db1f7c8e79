import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ActionKind, TaskAction } from '../../language/actions/action.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import { showInformation } from '../notifications.ts';
import { editorRange } from '../ranges.ts';
import type { KnownFile } from '../tasks/known-file.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current-file.ts';
import type { LanguageFeature } from './feature.ts';

const REWRITE = vscode.CodeActionKind.RefactorRewrite.append('taskwright');
const KINDS: Readonly<Record<ActionKind, vscode.CodeActionKind>> = {
  call: REWRITE.append('call'),
  era: REWRITE.append('era'),
  add: REWRITE.append('add'),
  set: REWRITE.append('set'),
};

/** Internal command that shows the notes of a refactoring. */
const SHOW_NOTES = '_taskwright.showRefactoringNotes';

/** A refactoring. Its edits are computed when the user selects it. */
class Rewrite extends vscode.CodeAction {
  readonly action: TaskAction;
  readonly document: vscode.TextDocument;

  constructor(action: TaskAction, document: vscode.TextDocument) {
    super(action.title, KINDS[action.kind]);
    this.action = action;
    this.document = document;
  }
}

/** Refactorings: other spellings, other eras, missing parts of a task, a task set. */
export const refactorings: LanguageFeature = ({ files }) => {
  return vscode.Disposable.from(
    vscode.commands.registerCommand(SHOW_NOTES, (title: string, notes: readonly string[]) => {
      void showInformation(`${title}: ${notes.join('. ')}.`);
    }),
    vscode.languages.registerCodeActionsProvider(
      TASK_DOCUMENTS,
      {
        async provideCodeActions(document, range, { only, triggerKind }) {
          // Moving the cursor must not compute refactorings.
          if (only === undefined && triggerKind === vscode.CodeActionTriggerKind.Automatic) return [];
          if (only !== undefined && !only.intersects(REWRITE)) return [];
          const knownFile = await current(files, document);
          if (knownFile === undefined) return [];
          const { actionsAt } = await import('../../language/actions/actions.ts');
          // The light bulb menu shows quick fixes with the same titles.
          const titles = only === undefined ? titlesOfFixes(knownFile, range) : new Set<string>();
          return actionsAt(knownFile.file, range.start, () => document.getText())
            .filter(({ kind, title }) => !titles.has(title) && (only === undefined || only.contains(KINDS[kind])))
            .map((action) => {
              const refactoring = new Rewrite(action, document);
              if (action.refusal !== undefined) refactoring.disabled = { reason: withoutCodeMarks(action.refusal) };
              return refactoring;
            });
        },

        resolveCodeAction(refactoring) {
          if (!(refactoring instanceof Rewrite)) return refactoring;
          const { action, document } = refactoring;
          const edits = action.edits();
          if (edits === null) {
            refactoring.command = showNotes(action.title, [
              l10n.t('Not possible in this file. Fix its syntax errors first'),
            ]);
            return refactoring;
          }
          refactoring.edit = new vscode.WorkspaceEdit();
          refactoring.edit.set(
            document.uri,
            edits.map(({ range, text }) => withPlaceholder(editorRange(range), text, action.placeholder)),
          );
          if (action.notes.length > 0) refactoring.command = showNotes(action.title, action.notes);
          return refactoring;
        },
      },
      { providedCodeActionKinds: [REWRITE] },
    ),
  );
};

/** The titles of the quick fixes for the problems at a range. */
function titlesOfFixes({ shown: findings }: KnownFile, range: vscode.Range): ReadonlySet<string> {
  const inRange = findings.filter((finding) => editorRange(finding.range).intersection(range) !== undefined);
  return new Set(inRange.flatMap(({ fixes }) => (fixes?.() ?? []).map(({ title }) => title)));
}

/** An edit that selects the word to replace. */
function withPlaceholder(
  range: vscode.Range,
  text: string,
  word: string | undefined,
): vscode.SnippetTextEdit | vscode.TextEdit {
  const at = word === undefined || word === '' ? -1 : text.lastIndexOf(word);
  if (at === -1 || word === undefined) return vscode.TextEdit.replace(range, text);
  const snippet = new vscode.SnippetString()
    .appendText(text.slice(0, at))
    .appendPlaceholder(word)
    .appendText(text.slice(at + word.length));
  const edit = vscode.SnippetTextEdit.replace(range, snippet);
  // The lines are indented already.
  edit.keepWhitespace = true;
  return edit;
}

function showNotes(title: string, notes: readonly string[]): vscode.Command {
  return { command: SHOW_NOTES, title, arguments: [title, notes] };
}
