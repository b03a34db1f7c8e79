import { appendFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as vscode from 'vscode';
import { type Blocks, watchBlocksOf } from './blocks.ts';

/** What opening one file and typing into it costs the extension host. */
interface TypingCost {
  readonly opening: Blocks;
  readonly typing: Blocks;
  /** From each keystroke to its problems, in ms, with VS Code's work meanwhile. Empty for a file that is not a task file. */
  readonly keystrokes: readonly number[];
}

export interface TypingCosts {
  /** MB of the heap that the extension and what it knows of the workspace's files take. */
  readonly heap: number;
  readonly files: Readonly<Record<string, TypingCost>>;
}

const KEYS = 20;
const PAUSE_MS = 150;
const CALM_MS = 1500;
/** All files of the extension start with this. */
const PROGRAM = 'dist/extension';
const OURS = /\.tasks\./;

/** Opens each file of the workspace and types after the word `wrong_name`, a function that does not exist. */
export async function run(): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) throw new Error('The window has no folder open.');
  const uris = (await readdir(folder.uri.fsPath)).sort().map((name) => vscode.Uri.file(join(folder.uri.fsPath, name)));
  const before = usedHeap();
  await vscode.extensions.getExtension('taskwright.taskwright')?.activate();
  for (const uri of uris) if (OURS.test(uri.path)) while (problemsText(uri) === '') await wait(50);
  await wait(CALM_MS);
  const heap = usedHeap() - before;
  const files: Record<string, TypingCost> = {};
  for (const uri of uris) files[uri.path.slice(uri.path.lastIndexOf('/') + 1)] = await costOf(uri);
  const costs: TypingCosts = { heap, files };
  appendFileSync(process.env['TASKWRIGHT_BENCH_OUT'] ?? '', `${JSON.stringify(costs)}\n`);
}

async function costOf(uri: vscode.Uri): Promise<TypingCost> {
  const isOurs = OURS.test(uri.path);
  let readBlocks = await watchBlocksOf(PROGRAM);
  const document = await vscode.workspace.openTextDocument(uri);
  const editor = await vscode.window.showTextDocument(document);
  await wait(CALM_MS);
  const opening = await readBlocks();
  const at = document.positionAt(document.getText().indexOf('wrong_name') + 'wrong_name'.length);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(new vscode.Range(at, at), vscode.TextEditorRevealType.InCenter);
  await wait(CALM_MS);
  readBlocks = await watchBlocksOf(PROGRAM);
  const times: number[] = [];
  for (let key = 0; key < KEYS; key += 1) {
    const before = problemsText(uri);
    const change = changeOf(document);
    await vscode.commands.executeCommand('type', { text: 'x' });
    const at = await change;
    if (isOurs) {
      while (problemsText(uri) === before) await nextTurn();
      times.push(performance.now() - at);
    }
    await wait(PAUSE_MS);
  }
  await wait(CALM_MS);
  const typing = await readBlocks();
  await vscode.commands.executeCommand('workbench.action.files.revert');
  await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  await wait(CALM_MS);
  return { opening, typing, keystrokes: times };
}

function problemsText(uri: vscode.Uri): string {
  const problems = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'taskwright');
  return problems.map(({ message }) => message).join('\n');
}

/** Resolves when the extension host receives the next change of a document. */
function changeOf(document: vscode.TextDocument): Promise<number> {
  return new Promise((resolve) => {
    const listening = vscode.workspace.onDidChangeTextDocument((event) => {
      if (event.document !== document) return;
      listening.dispose();
      resolve(performance.now());
    });
  });
}

function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  return process.memoryUsage().heapUsed / 1e6;
}
