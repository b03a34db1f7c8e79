import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, problemsOf, wordsAt, workspaceUri } from '../workspace.ts';

const TEXT = "# buy it\nclick('#buy')\nfil('#name', 'Ada')\nfill('#name')\n";

describe('the solution of a task', () => {
  const uri = workspaceUri('solutions', 'buy.actions');
  let document: vscode.TextDocument;

  before(async () => {
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(TEXT));
    document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(workspaceUri('solutions'), { recursive: true });
  });

  it('is underlined where an action is misspelt or lacks an argument', async () => {
    const problems = await problemsOf(uri);
    assert.deepEqual(
      problems.map((problem) => [wordsAt(document, problem), typeof problem.code === 'object' && problem.code.value]),
      [
        ['fil', 'unknown-action'],
        ["fill('#name')", 'invalid-action'],
      ],
    );
    assert.match(problems[0]?.message ?? '', /Did you mean “fill”\?/);
  });

  it('says of an action what it does and takes', async () => {
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      new vscode.Position(1, 2),
    );
    const texts = hovers.flatMap(({ contents }) => contents.map((one) => (typeof one === 'string' ? one : one.value)));
    assert.ok(
      texts.some((text) => text.includes("click(bid, button='left', modifiers=[])") && text.includes('Clicks')),
      texts.join('\n'),
    );
  });

  it('offers the actions at the beginning of a line', async () => {
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      new vscode.Position(4, 0),
    );
    const fill = list.items.find(({ label }) => typeof label === 'object' && label.label === 'fill');
    assert.ok(fill?.insertText instanceof vscode.SnippetString);
    assert.equal(fill.insertText.value, "fill('${1:bid}', '${2:value}')");
  });

  it('is mended by the lamp, and the problem goes', async () => {
    const actions = await eventually(async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeAction[]>(
        'vscode.executeCodeActionProvider',
        uri,
        new vscode.Range(2, 1, 2, 1),
        vscode.CodeActionKind.QuickFix.value,
      );
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual(
      actions.map(({ title }) => title),
      ['Change to “fill”'],
    );
    const edit = actions[0]?.edit;
    assert.ok(edit);
    await vscode.workspace.applyEdit(edit);
    assert.equal(document.getText(), TEXT.replace('fil(', 'fill('));
    await problemsOf(uri, (problems) => problems.length === 1);
  });
});
