import * as vscode from 'vscode';
import type { ActionKind, TaskAction } from '../../language/actions/action.ts';
import { DisposableStore } from '../lifecycle.ts';
import { editorRange } from '../ranges.ts';
import type { KnownFile } from '../tasks/known-file.ts';
import { TASK_DOCUMENTS } from '../tasks/patterns.ts';
import { current } from './current.ts';
import type { LanguageFeature } from './feature.ts';

const REWRITE = vscode.CodeActionKind.RefactorRewrite.append('taskwright');
const KINDS: Readonly<Record<ActionKind, vscode.CodeActionKind>> = {
  call: REWRITE.append('call'),
  era: REWRITE.append('era'),
  add: REWRITE.append('add'),
  set: REWRITE.append('set'),
};

/** Tells what a rewriting left aside; asked by it alone. */
const TELL = 'taskwright.tellRewritten';

/** What it comes to is worked out when it is chosen. */
class Rewrite extends vscode.CodeAction {
  readonly action: TaskAction;
  readonly document: vscode.TextDocument;

  constructor(action: TaskAction, document: vscode.TextDocument) {
    super(action.title, KINDS[action.kind]);
    this.action = action;
    this.document = document;
  }
}

/** The menu Refactor...: other spellings, other eras, what a task lacks, a task set. */
export const refactorings: LanguageFeature = ({ files }) => {
  const disposables = new DisposableStore();
  disposables.add(
    vscode.commands.registerCommand(TELL, (title: string, notes: readonly string[]) => {
      void vscode.window.showInformationMessage(`${title}: ${notes.join('. ')}.`);
    }),
  );
  disposables.add(
    vscode.languages.registerCodeActionsProvider(
      TASK_DOCUMENTS,
      {
        async provideCodeActions(document, range, { only, triggerKind }) {
          // While the cursor moves nothing is offered that has to be thought about first.
          if (only === undefined && triggerKind === vscode.CodeActionTriggerKind.Automatic) return [];
          if (only !== undefined && !only.intersects(REWRITE)) return [];
          const [known, { actionsAt }] = await Promise.all([
            current(files, document),
            import('../../language/actions/actions.ts'),
          ]);
          if (known === undefined) return [];
          // In the lamp's menu the same stands among the quick fixes.
          const mended = only === undefined ? titlesOfFixes(known, range) : new Set<string>();
          return actionsAt(known.file, range.start, () => document.getText())
            .filter(({ kind, title }) => !mended.has(title) && (only === undefined || only.contains(KINDS[kind])))
            .map((action) => {
              const offered = new Rewrite(action, document);
              if (action.refused !== undefined) offered.disabled = { reason: action.refused };
              return offered;
            });
        },

        resolveCodeAction(offered) {
          if (!(offered instanceof Rewrite)) return offered;
          const { action, document } = offered;
          const edits = action.edits();
          if (edits === null) {
            offered.command = tell(action.title, [
              'The text of this task does not allow it: mend what is broken first',
            ]);
            return offered;
          }
          offered.edit = new vscode.WorkspaceEdit();
          offered.edit.set(
            document.uri,
            edits.map(({ range, text }) => withPlaceholder(editorRange(range), text, action.placeholder)),
          );
          if (action.notes.length > 0) offered.command = tell(action.title, action.notes);
          return offered;
        },
      },
      { providedCodeActionKinds: [REWRITE] },
    ),
  );
  return disposables;
};

/** What the quick fixes of the problems at a place are called. */
function titlesOfFixes({ shown }: KnownFile, range: vscode.Range): ReadonlySet<string> {
  const there = shown.filter((finding) => editorRange(finding.range).intersection(range) !== undefined);
  return new Set(there.flatMap(({ fixes }) => (fixes?.() ?? []).map(({ title }) => title)));
}

/** An edit that selects the word to be written over. */
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

function tell(title: string, notes: readonly string[]): vscode.Command {
  return { command: TELL, title, arguments: [title, notes] };
}
