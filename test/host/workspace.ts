import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';

export const EXTENSION = 'taskwright.taskwright';

/** The folder that the window has open: copies of the examples and of the fixtures, which tests may change. */
export function workspacePath(...path: string[]): string {
  const folder = vscode.workspace.workspaceFolders?.[0];
  assert.ok(folder, 'the window has no folder open');
  return join(folder.uri.fsPath, ...path);
}

export function workspaceUri(...path: string[]): vscode.Uri {
  return vscode.Uri.file(workspacePath(...path));
}

export function extension(): vscode.Extension<unknown> {
  const found = vscode.extensions.getExtension(EXTENSION);
  assert.ok(found, `${EXTENSION} is not installed`);
  return found;
}

/** Waits until `look` gives something, asking again and again; the test's own time limit ends it. */
export async function eventually<T>(look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Waits until a file has problems of ours that `wanted` accepts. */
export function problemsOf(
  uri: vscode.Uri,
  wanted: (problems: readonly vscode.Diagnostic[]) => boolean = (problems) => problems.length > 0,
): Promise<readonly vscode.Diagnostic[]> {
  return eventually(() => {
    const problems = vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'taskwright');
    return wanted(problems) ? problems : undefined;
  });
}

/** The words that a problem's range covers. */
export function wordsAt(document: vscode.TextDocument, problem: vscode.Diagnostic): string {
  return document.getText(problem.range);
}

/**
 * How many cases a test has: `sample`, or `full` with `npm run test:long`. That of `test/sample.ts` loads vitest, which does
 * not run in an extension host.
 */
export function caseCount(sample: number, full: number): number {
  return process.env['TASKWRIGHT_TEST_LONG'] === '1' ? full : sample;
}

interface RecordedRun {
  readonly task_id: string;
  readonly trace_dir: string;
  readonly status: string;
  readonly reward: number | null;
  readonly seed: number;
  readonly error: { readonly message: string; readonly code: string } | null;
  readonly grade: { readonly subscores: readonly { readonly name: string; readonly reason: string }[] };
}

/** Every finished run that is recorded in the workspace. */
export function recordedRuns(): RecordedRun[] {
  const jobs = workspacePath('.taskwright', 'jobs');
  const runs: RecordedRun[] = [];
  for (const entry of listed(jobs)) {
    for (const run of listed(join(jobs, entry))) {
      try {
        runs.push(JSON.parse(readFileSync(join(jobs, entry, run, 'run.json'), 'utf8')) as RecordedRun);
      } catch {
        // Still running: its summary is written at the end.
      }
    }
  }
  return runs;
}

function listed(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
