import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { isAlive } from '../../alive.ts';
import { eventually, workspacePath, workspaceUri } from '../workspace.ts';

type Show = 'showInformationMessage' | 'showErrorMessage';

/** Serves tasks, and takes the last button of the message that follows. */
async function serve(path: vscode.Uri, kind: Show): Promise<string> {
  const original = vscode.window[kind];
  const shown = Promise.withResolvers<string>();
  vscode.window[kind] = (async (message: string, ...buttons: string[]) => {
    shown.resolve(message);
    return buttons.at(-1);
  }) as unknown as typeof original;
  try {
    await vscode.commands.executeCommand('taskwright.serveTasks', path);
    return await shown.promise;
  } finally {
    vscode.window[kind] = original;
  }
}

/** The processes that the jobs of the workspace belong to. */
function owners(): number[] {
  const jobs = workspacePath('.taskwright', 'jobs');
  return readdirSync(jobs).flatMap((job) => {
    const file = join(jobs, job, 'owner.json');
    return existsSync(file) ? [Number(JSON.parse(readFileSync(file, 'utf8')).pid)] : [];
  });
}

describe('Serve Tasks', () => {
  it('starts a server for those who have its token, in a process that ends with Stop All Environments', async () => {
    await vscode.env.clipboard.writeText('');
    const message = await serve(workspaceUri('examples', 'capitals'), 'showInformationMessage');
    const url = /http:\/\/127\.0\.0\.1:\d+/.exec(message)?.[0];
    const code = await eventually(async () => (await vscode.env.clipboard.readText()) || undefined);
    assert.ok(url !== undefined && code.includes(url), message);
    const authorization = /Bearer [0-9a-f]{32}/.exec(code)?.[0] ?? '';
    assert.deepEqual(await (await fetch(`${url}/health`)).json(), { status: 'healthy' });
    assert.equal((await fetch(`${url}/taskwright/splits`)).status, 401);
    assert.equal((await fetch(`${url}/taskwright/splits`, { headers: { authorization } })).status, 200);
    const [pid, ...others] = owners().filter((owner) => owner !== process.pid);
    assert.ok(pid !== undefined && others.length === 0);
    assert.ok(isAlive(pid));
    await vscode.commands.executeCommand('taskwright.stopAllEnvironments');
    assert.ok(!isAlive(pid));
  });

  it('says why tasks cannot be served', async () => {
    const message = await serve(workspaceUri('broken', 'typo.task.json'), 'showErrorMessage');
    assert.match(message, /No task that can run was found/);
  });
});
