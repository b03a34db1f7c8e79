import * as vscode from 'vscode';
import { DisposableStore } from '../lifecycle.ts';
import { COMMAND } from '../names.ts';
import type { PlacementChoice } from '../placement/choice.ts';
import { placementLabel } from '../placement/format.ts';
import { verdictSymbol } from '../runs/icons.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import { verdictOf } from '../runs/verdict.ts';
import { settings } from '../settings.ts';
import { referenceTo } from '../tasks/reference.ts';

/** What runs, with a way to stop it, else how the last run ended; a click shows the tasks. */
export class Status implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #runs: Runs;
  readonly #item: vscode.StatusBarItem;
  #last: LiveRun | undefined;

  constructor(runs: Runs, choice: PlacementChoice) {
    this.#runs = runs;
    this.#item = this.#disposables.add(
      vscode.window.createStatusBarItem('taskwright.status', vscode.StatusBarAlignment.Right, 90),
    );
    this.#item.name = 'Taskwright';
    this.#item.command = COMMAND.showTasks;
    this.#disposables.add(
      runs.onDidEnd((run) => {
        this.#last = run;
        this.#draw();
      }),
    );
    this.#disposables.add(runs.onDidChangeVerdicts(() => this.#draw()));
    this.#disposables.add(runs.onDidProgress(() => this.#draw()));
    this.#disposables.add(choice.onDidChange(() => this.#draw()));
    this.#draw();
    this.#item.show();
  }

  #draw(): void {
    const active = this.#runs.active;
    const first = active[0];
    if (first !== undefined) {
      const name = referenceTo(first.task).name;
      const steps = first.agentSteps;
      this.#item.text =
        active.length > 1
          ? `$(loading~spin) Taskwright: ${active.length} running`
          : `$(loading~spin) ${name}${steps > 0 ? ` · step ${steps}` : ` · ${first.phase.slice(0, 40)}`}`;
      this.#item.tooltip = stopLinks(active);
      this.#item.accessibilityInformation = { label: `Taskwright, ${active.length} running` };
      return;
    }
    const last = this.#last?.record;
    if (last === null || last === undefined) {
      const docker = settings.placement() === 'docker' ? ': Docker' : '';
      this.#item.text = `$(checklist) Taskwright${docker}`;
      this.#item.tooltip = withPlacement('Show the tasks');
      this.#item.accessibilityInformation = { label: `Taskwright${docker}, show the tasks` };
      return;
    }
    const verdict = verdictOf(last);
    this.#item.text = `${verdictSymbol(verdict.kind)} ${last.task_id} ${verdict.text}`;
    const where = this.#last?.runtime === 'docker' ? ' in Docker' : '';
    this.#item.tooltip = withPlacement(`Taskwright: the last run of ${last.task_id}${where} ${verdict.spoken}`);
    this.#item.accessibilityInformation = { label: `Taskwright, ${last.task_id} ${verdict.spoken}` };
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** What is said, and where tasks run that say nothing themselves, with a way to change it. */
function withPlacement(words: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: [COMMAND.choosePlacement] };
  const setting = settings.placement();
  text.appendText(words).appendMarkdown('\n\n');
  text.appendText(`Tasks run in: ${setting === null ? 'as each task says' : placementLabel(setting)} `);
  return text.appendMarkdown(`[Change](command:${COMMAND.choosePlacement})`);
}

function stopLinks(runs: readonly LiveRun[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: [COMMAND.stop] };
  for (const run of runs) {
    const task = referenceTo(run.task);
    text.appendText(`${task.name}${run.runtime === 'docker' ? ' in Docker' : ''}: ${run.phase} `);
    text.appendMarkdown(
      `[$(debug-stop) Stop](command:${COMMAND.stop}?${encodeURIComponent(JSON.stringify([task]))})\n\n`,
    );
  }
  return text;
}
