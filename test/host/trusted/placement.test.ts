import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { eventually, recordedRuns, workspacePath } from '../workspace.ts';

const configuration = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('taskwright');
const twoRivers = () => ({
  file: workspacePath('examples', 'capitals', 'capitals.tasks.jsonl'),
  index: 1,
  name: 'two-rivers',
});
const runsOf = (name: string) => recordedRuns().filter(({ task_id }) => task_id === name);

describe('where a task runs', () => {
  const before = process.env['DOCKER_HOST'];

  afterEach(async () => {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
    await configuration().update('placement', undefined, vscode.ConfigurationTarget.Workspace);
  });

  it('is left to each task until somebody says it, and containers have limits', () => {
    const said = ['placement', 'docker.cpus', 'docker.memory', 'docker.pids', 'docker.network', 'docker.warm'];
    assert.deepEqual(
      said.map((key) => configuration().get(key)),
      [null, 2, 2048, 512, 'bridge', 1],
    );
  });

  it('is Docker where the settings say so, and where there is none the run ends in an error that says what to do', async () => {
    process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
    await configuration().update('placement', 'docker', vscode.ConfigurationTarget.Workspace);
    await vscode.commands.executeCommand('taskwright.runTask', twoRivers());
    const run = await eventually(() => runsOf('two-rivers')[0]);
    assert.equal(run.error?.code, 'docker_missing');
    assert.match(run.error.message, /unix:\/\/\/nowhere\/docker\.sock \(DOCKER_HOST\)/);
    assert.match(run.error.message, /placement local/);
  });

  it('is this machine again without the setting, and there it works', async () => {
    const run = await eventually(async () => {
      // The run before is recorded a moment before it has ended, and until then it is the answer.
      await vscode.commands.executeCommand('taskwright.runTask', twoRivers());
      return runsOf('two-rivers').find(({ error }) => error === null);
    });
    assert.equal(run.reward, 1);
  });

  it('is told by the doctor, who says also what was tried', async () => {
    process.env['DOCKER_HOST'] = 'unix:///nowhere/docker.sock';
    await vscode.commands.executeCommand('taskwright.doctor');
    const page = vscode.Uri.from({ scheme: 'taskwright-doctor', path: '/Taskwright Doctor.md' });
    const text = (await vscode.workspace.openTextDocument(page)).getText();
    assert.match(text, /✓ Node\\?\.js \d+/);
    assert.match(text, /Docker was not found/);
    assert.match(text, /unix:\/\/\/nowhere\/docker\.sock/);
    await vscode.commands.executeCommand('workbench.action.closeActiveEditor');
  });
});
