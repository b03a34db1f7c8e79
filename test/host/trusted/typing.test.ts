import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, problemsOf, workspaceUri } from '../workspace.ts';

/** The same task in every format, its cursor `|` where the name of the evaluate function ends. */
const NAMES: Readonly<Record<string, string>> = {
  'name.task.json': '{\n  "prompt": "p",\n  "gym": "hud-browser",\n  "evaluate": ["page_con|"]\n}\n',
  'name.tasks.jsonl':
    '{"prompt": "p", "gym": "qa"}\n{"prompt": "p", "gym": "hud-browser", "evaluate": {"function": "page_con|"}}\n',
  'name.tasks.yaml': '- prompt: p\n  gym: hud-browser\n  evaluate:\n    - function: page_con|\n',
};

/** What VS Code itself offers anywhere: words of the text, and snippets. */
const OTHERS: ReadonlySet<vscode.CompletionItemKind | undefined> = new Set([
  vscode.CompletionItemKind.Text,
  vscode.CompletionItemKind.Snippet,
]);

/** A task file with this text, open in an editor, the cursor where `|` stands. */
async function opened(name: string, marked: string): Promise<[vscode.TextDocument, vscode.Position]> {
  const uri = workspaceUri('typing', name);
  const at = marked.indexOf('|');
  const text = marked.slice(0, at) + marked.slice(at + 1);
  await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  const position = document.positionAt(at);
  editor.selection = new vscode.Selection(position, position);
  return [document, position];
}

/** What is offered at a place, best first; asked again until the file is known. */
async function offered(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.CompletionItem[]> {
  const { items } = await eventually(async () => {
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      position,
    );
    return list.items.some(({ kind }) => !OTHERS.has(kind)) ? list : undefined;
  });
  return items.sort((a, b) => (a.sortText ?? labelOf(a)).localeCompare(b.sortText ?? labelOf(b)));
}

function labelOf({ label }: vscode.CompletionItem): string {
  return typeof label === 'string' ? label : label.label;
}

/** The text that stands after an offer was taken, as the editor would put it in. */
async function taken(item: vscode.CompletionItem, document: vscode.TextDocument): Promise<string> {
  const editor = await vscode.window.showTextDocument(document);
  const range = item.range instanceof vscode.Range ? item.range : item.range?.replacing;
  assert.ok(range);
  const text = item.insertText ?? labelOf(item);
  await editor.insertSnippet(typeof text === 'string' ? new vscode.SnippetString(text) : text, range);
  return document.getText();
}

async function saidAt(document: vscode.TextDocument, position: vscode.Position): Promise<string> {
  const hovers = await eventually(async () => {
    const found = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      position,
    );
    return found.length > 0 ? found : undefined;
  });
  return hovers
    .flatMap(({ contents }) => contents)
    .map((content) => (typeof content === 'string' ? content : content.value))
    .join('\n');
}

describe('while a task is typed', () => {
  it('the name of a custom task in code is offered with its class, told of, and leads to it', async () => {
    const functions = workspaceUri('typing', 'cards.functions.ts');
    const classes = `import { CustomBrowserTask, registerCustomTask } from 'taskwright';
/** Sort the cards by their numbers. */
class SortCards extends CustomBrowserTask {
  html() { return ''; }
  reward() { return 0; }
  done() { return false; }
}
registerCustomTask('sort-cards', SortCards);
`;
    await vscode.workspace.fs.writeFile(functions, new TextEncoder().encode(classes));
    const marked = '{"prompt": "x", "gym": {"type": "browsergym", "benchmark": "custom", "task_name": "|"}}';
    const [document, position] = await opened('cards.task.json', marked);
    const item = (await offered(document, position)).find((one) => labelOf(one) === 'sort-cards');
    assert.ok(item);
    await taken(item, document);
    const said = await saidAt(document, position.translate(0, 2));
    assert.match(said, /class SortCards[\s\S]*Sort the cards by their numbers/);
    const [target] = await eventually(async () => {
      const links = await vscode.commands.executeCommand<vscode.LocationLink[]>(
        'vscode.executeDefinitionProvider',
        document.uri,
        position.translate(0, 2),
      );
      return links.length > 0 ? links : undefined;
    });
    assert.equal(target?.targetUri.toString(), functions.toString());
    assert.equal(target?.targetRange.start.line, 2);
  });

  it('the name of a task class in Python is offered, also after the file was changed on disk', async () => {
    const python = workspaceUri('typing', 'deal.py');
    const write = (name: string) => {
      const text = `@register_custom_task("${name}")\nclass Deal(CustomBrowserGymEnvironment):\n    """Deal the cards."""\n`;
      return vscode.workspace.fs.writeFile(python, new TextEncoder().encode(text));
    };
    const marked = '{"prompt": "x", "gym": {"type": "browsergym", "benchmark": "custom", "task_name": "|"}}';
    const [document, position] = await opened('deal.task.json', marked);
    const isOffered = (name: string) =>
      eventually(async () => (await offered(document, position)).find((one) => labelOf(one) === name));
    await write('deal-cards');
    assert.ok(await isOffered('deal-cards'));
    await write('deal-more');
    assert.ok(await isOffered('deal-more'));
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.files.revert');
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(workspaceUri('typing'), { recursive: true });
  });

  for (const [name, text] of Object.entries(NAMES)) {
    it(`functions are offered, and one that is taken leaves nothing to say of it: ${name}`, async () => {
      const [document, position] = await opened(name, text);
      const items = await offered(document, position);
      const item = items.find((one) => labelOf(one) === 'page_contains');
      assert.ok(item, items.map(labelOf).join(' '));
      assert.match(String((item.documentation as vscode.MarkdownString).value), /can be read on the page/);
      assert.match(await taken(item, document), /page_contains\b(?!.*page_con\b)/s);
      const { uri } = document;
      await problemsOf(uri, (problems) => problems.every(({ code }) => JSON.stringify(code) !== '"unknown-function"'));
    });

    it(`hover says what a function does: ${name}`, async () => {
      const [document, position] = await opened(`hover-${name}`, text.replace('page_con', 'page_contains'));
      const said = await saidAt(document, position.translate(0, -2));
      assert.match(said, /page_contains\(/);
      assert.match(said, /can be read on the page/);
    });
  }

  it('keys are offered, and environments', async () => {
    const [document, position] = await opened('keys.task.json', '{ "id": "a", "| }');
    const keys = (await offered(document, position)).map(labelOf);
    for (const key of ['prompt', 'gym', 'evaluate']) assert.ok(keys.includes(key), keys.join(' '));
    assert.ok(!keys.includes('id'));
    const [gyms, inGym] = await opened('gym.task.json', '{ "prompt": "p", "gym": "|" }');
    const names = (await offered(gyms, inGym)).map(labelOf);
    assert.deepEqual(names.slice(0, 2), ['hud-browser', 'qa']);
  });

  it('one’s own functions, pages beside the task and ids of the page are offered', async () => {
    const folder = workspaceUri('typing');
    const write = (name: string, text: string) =>
      vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), new TextEncoder().encode(text));
    await write('mine.functions.ts', 'export function basket_total(page: unknown, total: number) { return 1; }\n');
    await write('shop.html', '<button id="pay-now">Pay</button>');
    const row = '"prompt": "p", "gym": "hud-browser", "setup": ["goto", "shop.html"]';
    const [document, position] = await opened('own.task.json', `{ ${row}, "evaluate": ["|"] }`);
    await eventually(async () =>
      (await offered(document, position)).some((item) => labelOf(item) === 'basket_total') ? true : undefined,
    );
    const [pages, inPage] = await opened('page.task.json', '{ "prompt": "p", "setup": ["goto", "|"] }');
    assert.ok((await offered(pages, inPage)).some((item) => labelOf(item) === 'shop.html'));
    const [ids, inId] = await opened('id.task.json', `{ ${row}, "evaluate": ["element_exists", "#|"] }`);
    assert.ok((await offered(ids, inId)).some((item) => labelOf(item).includes('pay-now')));
  });

  it('functions in Python are offered, told of, and led to', async () => {
    const functions = workspaceUri('typing', 'prices.functions.py');
    const source = 'def price_is(state, most: float) -> bool:\n    """Whether the mug is cheap."""\n    return True\n';
    await vscode.workspace.fs.writeFile(functions, new TextEncoder().encode(source));
    const [document, position] = await opened(
      'price.task.json',
      '{ "prompt": "p", "gym": "hud-browser", "evaluate": ["pric|e_is", "x"] }',
    );
    const [wrong] = await eventually(async () => {
      const problems = await problemsOf(document.uri);
      return problems.some(({ message }) => message.includes('“most” expects a number')) ? problems : undefined;
    });
    assert.ok(wrong);
    const hover = await saidAt(document, position);
    assert.match(hover, /price_is\(most: float\)/);
    assert.match(hover, /Whether the mug is cheap/);
    const [target] = await vscode.commands.executeCommand<vscode.LocationLink[]>(
      'vscode.executeDefinitionProvider',
      document.uri,
      position,
    );
    assert.equal(target?.targetUri.toString(), functions.toString());
    const [empty, inEmpty] = await opened('empty.task.json', '{ "gym": "hud-browser", "evaluate": ["|"] }');
    assert.ok((await offered(empty, inEmpty)).some((item) => labelOf(item) === 'price_is'));
  });

  it('the argument that is being written is marked', async () => {
    const text = '{ "prompt": "p", "gym": "hud-browser", "evaluate": ["text_matches", "#a", "|"] }';
    const [document, position] = await opened('help.task.json', text);
    const help = await eventually(async () => {
      const found = await vscode.commands.executeCommand<vscode.SignatureHelp | undefined>(
        'vscode.executeSignatureHelpProvider',
        document.uri,
        position,
      );
      return found?.signatures.length ? found : undefined;
    });
    const [signature] = help.signatures;
    assert.equal(signature?.label, 'text_matches(selector, pattern)');
    assert.equal(help.activeParameter, 1);
  });

  it('a text for people offers nothing', async () => {
    const [document, position] = await opened('prompt.task.json', '{ "prompt": "Go to the |", "gym": "qa" }');
    await problemsOf(document.uri);
    const list = await vscode.commands.executeCommand<vscode.CompletionList>(
      'vscode.executeCompletionItemProvider',
      document.uri,
      position,
    );
    // The editor offers words and contributed snippets everywhere to those who ask.
    const everywhere = [vscode.CompletionItemKind.Text, vscode.CompletionItemKind.Snippet];
    const ours = list.items.filter(({ kind }) => kind === undefined || !everywhere.includes(kind));
    assert.deepEqual(ours.map(labelOf), []);
  });
});
