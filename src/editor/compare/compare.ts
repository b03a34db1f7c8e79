import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { agentLabel } from '../../presentation/labels.ts';
import { plainLabel } from '../../presentation/plain-text.ts';
import { runText } from '../../presentation/runs/run-text.ts';
import { age } from '../../presentation/runs/verdict.ts';
import { formatReward } from '../../results/reward.ts';
import type { RunEntry } from '../../traces/store.ts';
import { columnFor } from '../columns.ts';
import { SCHEME } from '../names.ts';

/** Provides runs as text for the diff editor. */
export function registerRunTexts(): vscode.Disposable {
  return vscode.workspace.registerTextDocumentContentProvider(SCHEME.runText, {
    async provideTextDocumentContent(uri) {
      const { openRun } = await import('../../traces/store.ts');
      const run = await openRun(uri.query);
      return runText(run.header, run.record, await run.steps());
    },
  });
}

/** Opens two runs of a task side by side, the earlier one on the left. */
export async function compareRuns(run: RunEntry, before: RunEntry): Promise<void> {
  const leftText = textOf(before);
  const title = `${plainLabel(run.run.task_id)}: ${labelOf(before)} ↔ ${labelOf(run)}`;
  await vscode.commands.executeCommand('vscode.diff', leftText, textOf(run), title, {
    viewColumn: columnFor(leftText),
  });
}

function textOf({ traceDir, run }: RunEntry): vscode.Uri {
  return vscode.Uri.from({ scheme: SCHEME.runText, path: `/${basename(traceDir)}/${run.task_id}`, query: traceDir });
}

function labelOf({ run, agent }: RunEntry): string {
  const ageText = age(Date.parse(run.started_at), Date.now());
  const reward = run.reward === null ? l10n.t('no reward') : formatReward(run.reward);
  return `${reward} ${agentLabel(agent, run.task_id)}, ${ageText}`;
}
