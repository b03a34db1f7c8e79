import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { eventually, recordedRuns, workspacePath, workspaceUri } from '../workspace.ts';

/** What a lens or the tree hands to a command: a task of a file. */
const task = (name: string, index: number, ...file: string[]) => ({ file: workspacePath(...file), index, name });

const runOf = (name: string) => eventually(() => recordedRuns().find(({ task_id }) => task_id === name));

const panelTabs = (): vscode.Tab[] =>
  vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.includes('taskwright.run'));

describe('running a task', () => {
  it('offers Run above each task of a file', async () => {
    const uri = workspaceUri('examples', 'login', 'login.taskset.json');
    await vscode.window.showTextDocument(uri);
    const lenses = await eventually(async () => {
      const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 10);
      const run = found.filter(({ command }) => command?.command === 'taskwright.runTask');
      return run.length === 2 ? run : undefined;
    });
    assert.deepEqual(
      lenses.map(({ range }) => range.start.line),
      [4, 16],
    );
  });

  it('answers a question with its recorded solution, and keeps the trace where git does not see it', async () => {
    const capitals = task('capital-of-france', 0, 'examples', 'capitals', 'capitals.tasks.jsonl');
    await vscode.commands.executeCommand('taskwright.runTask', capitals);
    const run = await runOf('capital-of-france');
    assert.equal(run.status, 'completed');
    assert.equal(run.reward, 1);
    assert.match(run.grade.subscores[0]?.reason ?? '', /Paris/);
    assert.equal(readFileSync(workspacePath('.taskwright', '.gitignore'), 'utf8').trim(), '*');
    await eventually(() => panelTabs()[0]);
    assert.equal(panelTabs().length, 1);
  });

  it('logs in with a real browser', async () => {
    await vscode.commands.executeCommand(
      'taskwright.runTask',
      task('log-in', 0, 'examples', 'login', 'login.taskset.json'),
    );
    const run = await runOf('log-in');
    assert.equal(run.error, null);
    assert.equal(run.reward, 1);
    assert.equal(panelTabs().length, 1, 'the panel is reused');
  }).timeout(90_000);

  it('refuses a task with an error, and records nothing', async () => {
    const { showErrorMessage } = vscode.window;
    const shown: unknown[][] = [];
    vscode.window.showErrorMessage = (...message: unknown[]) => {
      shown.push(message);
      return Promise.resolve(undefined);
    };
    try {
      await vscode.commands.executeCommand('taskwright.runTask', task('typo', 0, 'broken', 'typo.task.json'));
    } finally {
      vscode.window.showErrorMessage = showErrorMessage;
    }
    assert.equal(shown.length, 1);
    assert.match(String(shown[0]?.[0]), /page_contain/);
    assert.equal(shown[0]?.length, 1, 'the message has no buttons');
    const selected = vscode.window.activeTextEditor;
    assert.equal(selected?.document.uri.fsPath, workspacePath('broken', 'typo.task.json'));
    assert.match(selected.document.getText(selected.selection), /page_contain/);
    assert.equal(
      recordedRuns().some(({ task_id }) => task_id === 'typo'),
      false,
    );
  });

  it('runs a task beside a broken one', async () => {
    await vscode.commands.executeCommand('taskwright.runTask', task('whole', 0, 'broken', 'half.tasks.jsonl'));
    assert.equal((await runOf('whole')).reward, 1);
  });

  it('opens the last run of a task outside the workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'taskwright-outside-'));
    try {
      cpSync(workspacePath('examples', 'capitals'), folder, { recursive: true });
      const outside = { file: join(folder, 'capitals.tasks.jsonl'), index: 0, name: 'capital-of-france' };
      await vscode.commands.executeCommand('taskwright.runTask', outside);
      await eventually(() => {
        const jobs = join(folder, '.taskwright', 'jobs');
        const files = existsSync(jobs) ? readdirSync(jobs, { recursive: true, encoding: 'utf8' }) : [];
        return files.find((file) => basename(file) === 'run.json');
      });
      await vscode.window.tabGroups.close(await eventually(() => panelTabs()[0]));
      await eventually(() => (panelTabs().length === 0 ? true : undefined));
      await vscode.commands.executeCommand('taskwright.openRun', outside);
      await eventually(() => panelTabs()[0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('keeps runs in the workspace folder, not beside each task', () => {
    assert.ok(!existsSync(workspacePath('examples', '.taskwright')));
  });
});
