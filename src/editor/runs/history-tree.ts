import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { RunEntry } from '../../runs/store.ts';
import { Owned } from '../lifecycle.ts';
import { COMMAND, VIEW } from '../names.ts';
import { agentLabel } from './agents.ts';
import type { RunHistory } from './history.ts';
import { verdictIcon } from './icons.ts';
import type { Runs } from './runs.ts';
import { age, verdictOf } from './verdict.ts';

/** How often the ages in the list are brought up to date, in milliseconds. */
const AGES_MS = 60_000;

/** The view of past runs, newest first. */
export class HistoryTree implements vscode.TreeDataProvider<RunEntry>, vscode.Disposable {
  readonly #owned = new Owned();
  readonly #history: RunHistory;
  readonly #view: vscode.TreeView<RunEntry>;
  readonly #changed = this.#owned.add(new vscode.EventEmitter<undefined>());

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(history: RunHistory, runs: Runs) {
    this.#history = history;
    this.#view = this.#owned.add(vscode.window.createTreeView(VIEW.runs, { treeDataProvider: this }));
    this.#owned.add(history.onDidChange(() => this.#changed.fire(undefined)));
    this.#owned.add(runs.onDidStart((run) => run.onEvent((event) => event.type === 'started' && history.refresh())));
    const ages = setInterval(() => this.#view.visible && this.#changed.fire(undefined), AGES_MS);
    this.#owned.add({ dispose: () => clearInterval(ages) });
  }

  async getChildren(entry?: RunEntry): Promise<RunEntry[]> {
    if (entry !== undefined) return [];
    await this.#history.load();
    const { entries } = this.#history;
    this.#view.description = entries.length === 0 ? '' : String(entries.length);
    return [...entries];
  }

  getTreeItem({ run, running, traceDir, agent }: RunEntry): vscode.TreeItem {
    const verdict = verdictOf(running ? { ...run, status: 'running' } : run);
    const when = age(Date.parse(run.started_at), Date.now());
    const item = new vscode.TreeItem(run.task_id);
    item.id = traceDir;
    item.iconPath = verdictIcon(verdict.kind);
    item.description = [verdict.text, agentLabel(agent, run.task_id), when].join(' · ');
    item.contextValue = running ? 'run running' : 'run ended';
    item.tooltip = new vscode.MarkdownString()
      .appendText(`${run.task_id} in ${basename(run.file)}: ${verdict.spoken}`)
      .appendMarkdown('\n\n')
      .appendText(
        `${new Date(run.started_at).toLocaleString()}, ${run.steps} steps of ${agentLabel(agent, run.task_id)}`,
      );
    item.command = { command: COMMAND.openRun, title: 'Open Run', arguments: [{ traceDir }] };
    item.accessibilityInformation = {
      label: `run of ${run.task_id}, ${verdict.spoken}, agent ${agentLabel(agent, run.task_id)}, ${when}`,
    };
    return item;
  }

  dispose(): void {
    this.#owned.dispose();
  }
}
