import assert from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import * as vscode from 'vscode';
import { caseCount, eventually, problemsOf, workspaceUri } from '../workspace.ts';

const ROW = '{"id": "a", "prompt": "p", "gym": "qa", "evaluate": ["response_iz", "x"]}';

async function written(path: readonly string[], text: string): Promise<vscode.Uri> {
  const uri = workspaceUri('documents', ...path);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  return uri;
}

async function opened(path: readonly string[], text: string): Promise<vscode.TextDocument> {
  const document = await vscode.workspace.openTextDocument(await written(path, text));
  await vscode.window.showTextDocument(document);
  return document;
}

/** Everything that anybody says about a file, in the order of the text. */
function allSaid(uri: vscode.Uri): string[] {
  return vscode.languages
    .getDiagnostics(uri)
    .sort((a, b) => a.range.start.compareTo(b.range.start))
    .map(({ source, message }) => `${source}: ${message}`);
}

describe('documents of tasks', () => {
  afterEach(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });
  after(() => vscode.workspace.fs.delete(workspaceUri('documents'), { recursive: true }));

  it('a bare tasks.json of ours is JSON, which takes breakpoints', async () => {
    const document = await opened(['tasks.json'], `[${ROW}]\n`);
    await eventually(async () => {
      const now = await vscode.workspace.openTextDocument(document.uri);
      return now.languageId === 'json' ? true : undefined;
    });
    await problemsOf(document.uri);
  });

  it('a tasks.json of VS Code stays what it is, and nothing is said about it', async () => {
    const theirs =
      '{\n  // what to build\n  "version": "2.0.0",\n  "tasks": [{ "label": "build", "type": "shell" }]\n}\n';
    const document = await opened(['.vscode', 'tasks.json'], theirs);
    const ours = await opened(['other', 'tasks.json'], `[${ROW}]\n`);
    await problemsOf(ours.uri);
    assert.equal((await vscode.workspace.openTextDocument(document.uri)).languageId, 'jsonc');
    assert.deepEqual(
      vscode.languages.getDiagnostics(document.uri).filter(({ source }) => source === 'taskwright'),
      [],
    );
  });

  it('every finding is said once, and nobody but us speaks of tasks', async () => {
    const { uri } = await opened(
      ['once.tasks.json'],
      `[\n  ${ROW},\n  {"prompt": "p", "gym": "qa", "evalute": 1, "evaluate": ["response_is", "x"]}\n]\n`,
    );
    await problemsOf(uri, (problems) => problems.length === 2);
    // VS Code's own support judges one document after the other: what it says of a later one comes after all of this.
    const later = await opened(['later.json'], '{"a": }\n');
    await eventually(() => vscode.languages.getDiagnostics(later.uri).length > 0 || undefined);
    const said = allSaid(uri);
    assert.equal(said.length, 2, said.join('\n'));
    assert.ok(said.every((one) => one.startsWith('taskwright: ')));
  });

  it('a byte order mark and CRLF move nothing', async () => {
    const document = await opened(['crlf.tasks.jsonl'], `\uFEFF${ROW.replace('"a"', '"b"')}\r\n${ROW}\r\n`);
    const problems = await problemsOf(document.uri, (found) => found.length === 2);
    for (const { range } of problems) assert.equal(document.getText(range).replaceAll('"', ''), 'response_iz');
  });

  it('the solution of a task is a language of its own', async () => {
    const document = await opened(['a.actions'], "// one\nclick('#ok')\n");
    assert.equal(document.languageId, 'taskwright-actions');
    await vscode.commands.executeCommand('cursorMove', { to: 'down' });
    await vscode.commands.executeCommand('editor.action.commentLine');
    assert.equal(document.lineAt(1).text, "# click('#ok')");
  });

  const many = caseCount(1000, 10_000);
  it(`${many} tasks in one file: what is typed is judged, completion answers`, async function () {
    this.timeout(180_000);
    const rows = Array.from({ length: many }, (_, index) => ({
      id: `task-${index}`,
      prompt: `Find item ${index}, put it into the cart and pay. ${'Mind the price. '.repeat(8)}`,
      gym: 'hud-browser',
      setup: [{ function: 'goto', args: ['https://example.com/shop'] }],
      evaluate: [{ function: 'page_contains', args: [[`Order ${index}`, 'Thanks']] }],
    }));
    const text = JSON.stringify(rows, null, 1);
    const document = await opened(['big.tasks.json'], text);
    const { uri } = document;
    const name = text.indexOf('page_contains', Math.floor(text.length / 2));
    const place = document.positionAt(name + 'page_contains'.length);
    const edit = async (change: (edit: vscode.WorkspaceEdit) => void): Promise<void> => {
      const made = new vscode.WorkspaceEdit();
      change(made);
      assert.ok(await vscode.workspace.applyEdit(made));
    };
    await edit((made) => made.insert(uri, place, 'x'));
    const [problem] = await problemsOf(uri);
    assert.equal(document.getText(problem?.range).replaceAll('"', ''), 'page_containsx');

    const wrong = (): boolean => vscode.languages.getDiagnostics(uri).length > 0;
    /** Milliseconds from the moment that the editor tells of a change until what is said of the file is as wanted. */
    const judged = (wanted: boolean): Promise<number> =>
      new Promise((resolve) => {
        const listening = vscode.workspace.onDidChangeTextDocument((event) => {
          if (event.document !== document) return;
          listening.dispose();
          const began = performance.now();
          const look = (): void => {
            if (wrong() === wanted) resolve(performance.now() - began);
            else setImmediate(look);
          };
          look();
        });
      });
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const waits: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const mended = judged(false);
      await edit((made) => made.delete(uri, new vscode.Range(place, place.translate(0, 1))));
      waits.push(await mended);
      const broken = judged(true);
      await edit((made) => made.insert(uri, place, 'x'));
      waits.push(await broken);
    }
    delay.disable();
    const median = waits.sort((a, b) => a - b)[waits.length >> 1] ?? Number.NaN;
    console.log(
      `[host-test]     from a keystroke in ${many} tasks to its problem: ${median.toFixed(1)} ms; the extension host was held up for at most ${(delay.max / 1e6).toFixed(0)} ms`,
    );
    assert.deepEqual(
      vscode.languages.getDiagnostics(uri).map(({ range }) => document.getText(range).replaceAll('"', '')),
      ['page_containsx'],
    );

    const { items } = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      uri,
      place,
    );
    assert.ok(items.some(({ label }) => (typeof label === 'string' ? label : label.label) === 'page_contains'));
  });
});
