import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually, recordedRuns, workspacePath, workspaceUri } from '../workspace.ts';

const SHOP = {
  id: 'shop-from-hud',
  reward: 0.5,
  trajectory: [
    {
      observation_url:
        'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      observation_text: 'Buy milk',
      actions: [],
    },
    { observation_text: 'thanks', actions: [{ type: 'click', point: { x: 1, y: 2 } }] },
  ],
};

/** A line of a trace of HUD 0.6. */
const SPAN = {
  ...{ name: 'step.agent', trace_id: 'a', span_id: 'b' },
  attributes: { 'hud.schema': 'hud.step.v1', 'hud.payload': { step_id: 1, source: 'agent', content: 'Done.' } },
};

function tabOf(viewType: string): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs)
    .find(
      ({ input }) =>
        (input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputWebview) &&
        input.viewType.includes(viewType),
    );
}

describe('trajectories of HUD', () => {
  it('are imported as recorded runs, with their pictures', async () => {
    const uri = workspaceUri('shop-from-hud.json');
    writeFileSync(uri.fsPath, JSON.stringify(SHOP));
    await vscode.commands.executeCommand('taskwright.importTrajectory', uri);
    const run = await eventually(() => recordedRuns().find(({ task_id }) => task_id === 'shop-from-hud'));
    assert.equal(run.reward, 0.5);
    const jobs = workspacePath('.taskwright', 'jobs');
    const pictures = readdirSync(jobs, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.png'));
    assert.ok(pictures.some((path) => path.includes('shop-from-hud')));
    await eventually(() => tabOf('taskwright.run'));
  });

  it('open as the run when they are named so', async () => {
    const uri = workspaceUri('opened.trajectory.json');
    writeFileSync(uri.fsPath, JSON.stringify(SHOP));
    await vscode.commands.executeCommand('vscode.open', uri);
    const tab = await eventually(() => tabOf('taskwright.trajectory'));
    assert.equal(tab.label, 'opened.trajectory.json');
    await vscode.window.tabGroups.close(tab);
  });

  it('open as the run when they have the name of a trace', async () => {
    const uri = workspaceUri('0123456789abcdef0123456789abcdef.jsonl');
    writeFileSync(uri.fsPath, JSON.stringify(SPAN));
    await vscode.commands.executeCommand('vscode.open', uri);
    const tab = await eventually(() => tabOf('taskwright.trajectory'));
    assert.equal(tab.label, '0123456789abcdef0123456789abcdef.jsonl');
    await vscode.window.tabGroups.close(tab);
  });
});

describe('a run whose task has sensitive data', () => {
  it('gives the page the value and keeps no byte of it', async () => {
    const folder = workspacePath('examples', 'login');
    const set = JSON.parse(readFileSync(join(folder, 'login.taskset.json'), 'utf8'));
    const [first] = set.tasks;
    const secret = /fill\([^,]+, *'([^']+)'\)/g;
    const solution = readFileSync(join(folder, 'log-in.actions'), 'utf8');
    const typed = [...solution.matchAll(secret)].map(([, text]) => text ?? '');
    const password = typed.at(-1) ?? '';
    assert.notEqual(password, '');
    const task = { ...first, id: 'secret-log-in', sensitive_data: { 'shop.example': { password } } };
    writeFileSync(join(folder, 'secret.task.json'), JSON.stringify(task));
    writeFileSync(join(folder, 'secret-log-in.actions'), solution.replaceAll(password, '<secret>password</secret>'));
    await vscode.commands.executeCommand('taskwright.runTask', {
      file: join(folder, 'secret.task.json'),
      index: 0,
      name: 'secret-log-in',
    });
    const run = await eventually(() => recordedRuns().find(({ task_id }) => task_id === 'secret-log-in'));
    assert.equal(run.error, null);
    assert.equal(run.reward, 1);
    const jobs = workspacePath('.taskwright', 'jobs');
    const files = readdirSync(jobs, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /secret-log-in.*json/.test(path),
    );
    assert.ok(files.length >= 2);
    for (const file of files) assert.ok(!readFileSync(join(jobs, file), 'utf8').includes(password), file);
  }).timeout(90_000);
});
