import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, problemsOf, workspaceUri } from '../workspace.ts';

const UNTIDY = `[
  {"id": "a", "prompt": "p", "gym": "qa", "metadata": null, "evaluate": ["response_include", "x"]},
  {"id": 7, "prompt": "p", "gym": "qa", "evaluate": [["response_includes", "x"]]}
]
`;

/** A task file with this text, open in an editor. */
async function opened(name: string, text: string): Promise<vscode.TextDocument> {
  const uri = workspaceUri('repairs', name);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  return document;
}

function actionsAt(document: vscode.TextDocument, range: vscode.Range, kind?: vscode.CodeActionKind) {
  return vscode.commands.executeCommand<vscode.CodeAction[]>(
    'vscode.executeCodeActionProvider',
    document.uri,
    range,
    kind?.value,
    100,
  );
}

describe('the lamp', () => {
  after(async () => {
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(workspaceUri('repairs'), { recursive: true });
  });

  it('changes the misspelt word, and the problem is gone', async () => {
    const document = await opened('typo.tasks.json', UNTIDY);
    const problems = await problemsOf(document.uri);
    const typo = problems.find(({ message }) => message.includes('response_include'));
    assert.ok(typo);
    assert.equal(document.getText(typo.range), 'response_include');
    const [first] = await actionsAt(document, typo.range, vscode.CodeActionKind.QuickFix);
    assert.ok(first?.edit);
    assert.equal(first.isPreferred, true);
    await vscode.workspace.applyEdit(first.edit);
    assert.equal(document.getText(), UNTIDY.replace('response_include"', 'response_includes"'));
    await problemsOf(document.uri, (left) => left.every(({ message }) => !message.includes('Unknown function')));
  });

  it('mends everything that is safe at once', async () => {
    const document = await opened('safe.tasks.json', UNTIDY);
    await problemsOf(document.uri);
    const all = vscode.CodeActionKind.SourceFixAll;
    const [fix] = await eventually(async () => {
      const found = await actionsAt(document, new vscode.Range(0, 0, 0, 0), all);
      return found.length > 0 ? found : undefined;
    });
    assert.equal(fix?.kind?.value, 'source.fixAll.taskwright');
    assert.ok(fix?.edit);
    await vscode.workspace.applyEdit(fix.edit);
    assert.equal(
      document.getText(),
      UNTIDY.replace('null', '{}')
        .replace('7', '"7"')
        .replace('["response_includes", "x"]', '{"function": "response_includes", "args": ["x"]}'),
    );
  });

  it('knows where the first task with the same id stands', async () => {
    const row = '{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "x"]}';
    const document = await opened('twice.tasks.jsonl', `${row}\n${row}\n`);
    const [problem] = await problemsOf(document.uri);
    assert.deepEqual(problem?.relatedInformation?.[0]?.location.range, new vscode.Range(0, 8, 0, 9));
  });

  const broken = {
    comment: '{"id": "a", "prompt": "p", "gym": "qa", /* why */ "evaluate": ["response_is", "x"]}',
    comma: '{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "x"],}',
    double: '{"id": "a", "id": "b", "prompt": "p", "gym": "qa", "evaluate": ["response_is", "x"]}',
    missing: '{"id": "a" "prompt": "p"}',
    control: '{"id": "a\tb", "prompt": "p"}',
    number: '{"id": "a", "prompt": "p", "metadata": {"x": NaN}}',
  };

  for (const [name, text] of Object.entries(broken)) {
    it(`what VS Code itself says about broken JSON is not said twice: ${name}`, async () => {
      // Each file has an id of its own: an id in two files is a problem of its own.
      const withId = (id: string) => text.replace('"a', `"${id}`).replace('"b"', `"${id}-again"`);
      const json = await opened(`${name}.tasks.json`, `[${withId(`${name}-json`)}]`);
      const said = await eventually(() => {
        const found = vscode.languages.getDiagnostics(json.uri);
        return found.length > 0 ? found : undefined;
      });
      assert.deepEqual(
        said.filter(({ source }) => source === 'taskwright'),
        [],
      );
      // VS Code does not check JSON lines.
      const lines = await opened(`${name}.tasks.jsonl`, withId(`${name}-lines`));
      assert.equal((await problemsOf(lines.uri)).length, 1);
      assert.equal(vscode.languages.getDiagnostics(lines.uri).length, 1);
    });
  }

  it('says it where VS Code is told not to', async () => {
    const settings = vscode.workspace.getConfiguration('json');
    // An id of its own: one that other files have too would be said here as well.
    const document = await opened('said.tasks.json', `[${broken.comma.replace('"a"', '"said"')}]`);
    await settings.update('validate.enable', false, vscode.ConfigurationTarget.Workspace);
    await problemsOf(document.uri);
    await settings.update('validate.enable', undefined, vscode.ConfigurationTarget.Workspace);
    await problemsOf(document.uri, (problems) => problems.length === 0);
  });

  it('mends what VS Code itself says about JSON', async () => {
    const document = await opened('mended.tasks.json', `[${broken.comma.replace('"a"', '"mended"')}]`);
    const [comma] = await eventually(() => {
      const found = vscode.languages.getDiagnostics(document.uri);
      return found.length > 0 ? found : undefined;
    });
    assert.ok(comma);
    const action = await eventually(async () =>
      (await actionsAt(document, comma.range, vscode.CodeActionKind.QuickFix)).find(({ edit }) => edit !== undefined),
    );
    assert.equal(action.title, 'Remove the comma');
    assert.ok(action.edit);
    await vscode.workspace.applyEdit(action.edit);
    await eventually(() => (vscode.languages.getDiagnostics(document.uri).length === 0 ? true : undefined));
  });
});
