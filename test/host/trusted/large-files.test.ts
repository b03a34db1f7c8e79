import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { caseCount, problemsOf, workspaceUri } from '../workspace.ts';

const TASKS = caseCount(1000, 100_000);
/** Every task of so many has a mistake: more than can be shown. */
const EVERY = caseCount(1, 50);
/** Of a file of its own: names that other files share come on top. */
const SHOWN = 990;

describe(`${TASKS} tasks in one file`, () => {
  const uri = workspaceUri('large', 'many.tasks.jsonl');

  before(async () => {
    const rows = Array.from({ length: TASKS }, (_, index) =>
      JSON.stringify({
        id: `many-${index}`,
        prompt: `Find item ${index}, put it into the cart and pay. ${'Mind the price. '.repeat(6)}`,
        gym: 'hud-browser',
        setup: ['goto', 'https://example.com/shop'],
        evaluate: [index % EVERY === 0 ? 'page_contain' : 'page_contains', `Order ${index}`],
      }),
    );
    await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(`${rows.join('\n')}\n`));
  });
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(workspaceUri('large'), { recursive: true });
  });

  it('are judged in slices, and what cannot be shown is said', async function () {
    this.timeout(180_000);
    const problems = await problemsOf(uri);
    assert.equal(problems.length, SHOWN);
    const summary = problems.find(({ range }) => range.end.isEqual(new vscode.Position(0, 0)));
    assert.match(summary?.message ?? '', new RegExp(`${TASKS / EVERY - SHOWN + 1} more errors in this file`));
  });

  it('follow the typing without holding up the editor', async function () {
    this.timeout(180_000);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document);
    const line = 50 * 3;
    const wrong = (): boolean => vscode.languages.getDiagnostics(uri).some(({ range }) => range.start.line === line);
    await problemsOf(uri, (problems) => problems.some(({ range }) => range.start.line === line));
    const place = new vscode.Position(line, document.lineAt(line).text.indexOf('page_contain') + 'page_contain'.length);
    const change = async (make: (edit: vscode.WorkspaceEdit) => void): Promise<void> => {
      const edit = new vscode.WorkspaceEdit();
      make(edit);
      assert.ok(await vscode.workspace.applyEdit(edit));
    };
    for (let round = 0; round < 5; round += 1) {
      await change((edit) => edit.insert(uri, place, 's'));
      await problemsOf(uri, () => !wrong());
      await change((edit) => edit.delete(uri, new vscode.Range(place, place.translate(0, 1))));
      await problemsOf(uri, wrong);
    }
    assert.equal(vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'taskwright').length, SHOWN);
  });
});
