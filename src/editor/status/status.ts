import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { PLACEMENT_DESCRIPTORS } from '../../placement/descriptors.ts';
import { PLACEMENT_VIEWS } from '../../presentation/placement/views.ts';
import { isolateDirection, withoutIcons } from '../../presentation/plain-text.ts';
import { verdictOf } from '../../presentation/runs/verdict.ts';
import { referenceTo } from '../../presentation/tasks/reference.ts';
import { shorten, taskLabel } from '../../tasks/label.ts';
import type { Task } from '../../tasks/task.ts';
import { Disposable } from '../lifecycle.ts';
import { COMMAND } from '../names.ts';
import type { PlacementChoice } from '../placement/choice.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import { settings } from '../settings.ts';
import { verdictSymbol } from '../verdict-icons.ts';

const NAME_LENGTH = 40;

/** The status bar item: the runs in progress with links to stop them, otherwise the last result. Opens the Tasks view. */
export class Status extends Disposable {
  readonly #runs: Runs;
  readonly #item: vscode.StatusBarItem;
  #last: LiveRun | undefined;

  constructor(runs: Runs, choice: PlacementChoice) {
    super();
    this.#runs = runs;
    this.#item = this.register(
      vscode.window.createStatusBarItem('taskwright.status', vscode.StatusBarAlignment.Right, 90),
    );
    this.#item.name = 'Taskwright';
    this.#item.command = COMMAND.showTasks;
    this.registerAll(
      runs.onDidEnd((run) => {
        this.#last = run;
        this.#draw();
      }),
      runs.onDidChangeVerdicts(() => this.#draw()),
      runs.onDidProgress(() => this.#draw()),
      choice.onDidChange(() => this.#draw()),
    );
    this.#draw();
    this.#item.show();
  }

  #draw(): void {
    const active = this.#runs.active;
    const first = active[0];
    if (first !== undefined) {
      const name = shortName(first.task);
      const steps = first.agentSteps;
      this.#item.text =
        active.length > 1
          ? `$(loading~spin) ${l10n.t('Taskwright: {0} running', active.length)}`
          : first.paused
            ? `$(debug-pause) ${name} · ${l10n.t('paused')}`
            : `$(loading~spin) ${name} · ${steps > 0 ? l10n.t('step {0}', steps) : first.phase.slice(0, 40)}`;
      this.#item.tooltip = stopLinks(active);
      this.#item.accessibilityInformation = { label: l10n.t('Taskwright: {0} running', active.length) };
      return;
    }
    const run = this.#last;
    if (run === undefined || run.record === null) {
      const setting = settings.placement();
      const placement =
        setting !== null && PLACEMENT_DESCRIPTORS[setting].isolated ? `: ${PLACEMENT_VIEWS[setting].label}` : '';
      this.#item.text = `$(checklist) Taskwright${placement}`;
      this.#item.tooltip = withPlacement(l10n.t('Show Tasks'));
      this.#item.accessibilityInformation = { label: `Taskwright${placement}, ${l10n.t('Show Tasks')}` };
      return;
    }
    const verdict = verdictOf(run.record);
    const name = taskLabel(run.task);
    this.#item.text = `${verdictSymbol(verdict.kind)} ${shortName(run.task)} ${verdict.text}`;
    this.#item.tooltip = withPlacement(
      l10n.t('Last run: {0}, {1}', PLACEMENT_VIEWS[run.runtime].task(name), verdict.accessibleText),
    );
    this.#item.accessibilityInformation = { label: `Taskwright, ${name} ${verdict.accessibleText}` };
  }
}

/** The name of a task, so short that the result after it is in view. */
function shortName(task: Task): string {
  return isolateDirection(withoutIcons(shorten(taskLabel(task), NAME_LENGTH)));
}

/** A text with the default placement and a link to change it. */
function withPlacement(line: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: [COMMAND.choosePlacement] };
  const setting = settings.placement();
  text.appendText(line).appendMarkdown('\n\n');
  text.appendText(
    `${l10n.t('Placement: {0}', setting === null ? l10n.t('from task') : PLACEMENT_VIEWS[setting].label)} `,
  );
  return text.appendMarkdown(`[${l10n.t('Change')}](command:${COMMAND.choosePlacement})`);
}

function stopLinks(runs: readonly LiveRun[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString(undefined, true);
  text.isTrusted = { enabledCommands: [COMMAND.stop] };
  for (const run of runs) {
    const task = referenceTo(run.task);
    text.appendText(`${PLACEMENT_VIEWS[run.runtime].task(task.name)}: ${run.phase} `);
    text.appendMarkdown(
      `[$(debug-stop) ${l10n.t('Stop')}](command:${COMMAND.stop}?${encodeURIComponent(JSON.stringify([task]))})\n\n`,
    );
  }
  return text;
}
