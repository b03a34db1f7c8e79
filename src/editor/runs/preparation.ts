import { existsSync } from 'node:fs';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Range } from '../../base/range.ts';
import { findRow, referenceTo, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import type { JobTask } from '../../runs/job/job-tasks.ts';
import { taskName } from '../../tasks/name.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import { showFile } from '../columns.ts';
import { UnsavedError } from '../documents.ts';
import { showError } from '../notifications.ts';
import type { OwnTasks } from '../own-tasks/own-tasks.ts';
import type { PlacementChoice } from '../placement/choice.ts';
import { editorRange } from '../ranges.ts';
import { showErrorWithActions } from '../report.ts';
import { unreadableTask } from '../tasks/read-task.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { chooseAgent, MANUAL, SOLUTION } from './agents.ts';
import { saveAround, UNTRUSTED } from './before-run.ts';

/** What is needed to start a run. */
export interface PreparedRun {
  readonly task: Task;
  readonly agent: string;
  readonly runtime: PlacementKind;
}

/** Why a task cannot run, and the position of the problem. */
export interface Refusal {
  readonly file: string;
  /** Null if the task no longer exists, or its files could not be saved. */
  readonly range: Range | null;
  readonly code: string;
  readonly message: string;
}

/** A task of a job, with the result of its preparation. */
export function jobTaskOf({ file, name, index }: TaskReference, preparation: PreparedRun | Refusal): JobTask {
  const of = { file, id: name, index };
  if (!('message' in preparation)) {
    const { task, agent, runtime } = preparation;
    return { ...of, task, agent, placement: runtime, error: null };
  }
  const { message, code, range } = preparation;
  const error = { message, code, file: preparation.file, ...(range && { range }) };
  return { ...of, task: null, agent: null, placement: 'local', error };
}

/** Decides whether, with which agent, and where a task runs. */
export class RunPreparation {
  readonly #state: vscode.Memento;
  readonly #files: TaskFiles;
  readonly #choice: PlacementChoice;
  readonly #ownTasks: OwnTasks;

  constructor(state: vscode.Memento, files: TaskFiles, choice: PlacementChoice, ownTasks: OwnTasks) {
    this.#state = state;
    this.#files = files;
    this.#choice = choice;
    this.#ownTasks = ownTasks;
  }

  /** The saved task, its agent, and its placement, without asking; or why it cannot run. */
  async prepare(
    reference: TaskReference,
    { agent, foreground }: { agent: string | undefined; foreground: boolean },
  ): Promise<PreparedRun | Refusal> {
    if (!vscode.workspace.isTrusted) return { ...at(reference), code: 'untrusted', message: UNTRUSTED };
    const task = await this.savedTask(reference);
    if ('message' in task) return task;
    const knownAgent = agent === undefined || agent === SOLUTION ? await this.#knownAgent(task, agent) : agent;
    // Only a run that the user waits for can be manual.
    const chosenAgent = knownAgent === MANUAL && !foreground ? await this.#knownAgent(task, SOLUTION) : knownAgent;
    if (chosenAgent !== null) {
      return { task, agent: chosenAgent, runtime: this.#choice.of({ ...task, name: taskName(task) }).kind };
    }
    const { file, name } = reference;
    const message = l10n.t('“{0}” has no solution. Write one, or select an agent with Run Task with Agent.', name);
    return { file, range: task.range, code: 'no_agent', message };
  }

  /** The saved task, or the finding because of which it cannot run. The workspace is trusted. */
  async savedTask(reference: TaskReference): Promise<Task | Refusal> {
    const uri = vscode.Uri.file(reference.file);
    try {
      await saveAround(uri);
    } catch (error) {
      if (!(error instanceof UnsavedError)) throw error;
      return { ...at(reference), code: error.code, message: error.message };
    }
    const knownFile = await this.#files.read(uri);
    const inFile = knownFile === undefined ? undefined : findRow(knownFile.file.rows, reference);
    const own = inFile === undefined ? await this.#ownTasks.find(reference) : null;
    const selection = own === null ? { ...knownFile, row: inFile } : own.tasks[0];
    const { file, row, userFunctions } = selection ?? {};
    if (file === undefined || row === undefined || userFunctions === undefined) {
      const path = vscode.workspace.asRelativePath(uri);
      const missingText = l10n.t('The task “{0}” is no longer in {1}.', reference.name, path);
      return { ...at(reference), code: 'task_missing', message: [missingText, ...(own?.notes ?? [])].join(' ') };
    }
    const { refusal } = await import('../../language/findings/diagnose.ts');
    const finding = refusal(file, row, userFunctions);
    if (finding === null && row.task !== null) return row.task;
    return {
      file: reference.file,
      range: (finding ?? row).range,
      code: finding?.code ?? 'unreadable',
      message: finding?.message ?? unreadableTask(reference.name),
    };
  }

  /** The agent for a run that the user waits for; undefined if the user cancels. `ask`: ask even if one is known. */
  async agent(task: Task, ask: boolean): Promise<string | undefined> {
    if (!ask) return (await this.#knownAgent(task)) ?? MANUAL;
    const { pickAgent } = await import('./agent-pick.ts');
    return await pickAgent(task, this.#state.get<string>(lastAgentKey(task)));
  }

  /** Stores the agent for the next run of the task. */
  async rememberAgent(task: Task, agent: string): Promise<void> {
    await this.#state.update(lastAgentKey(task), agent);
  }

  async #knownAgent(task: Task, restrictTo?: typeof SOLUTION): Promise<string | null> {
    const last = restrictTo === SOLUTION ? undefined : this.#state.get<string>(lastAgentKey(task));
    const { solutionAgent } = await import('../../runs/solutions/solution-agent.ts');
    return chooseAgent({ last, solution: solutionAgent(task), exists: existsSync });
  }
}

function lastAgentKey(task: Task): string {
  return `agent:${taskKey(referenceTo(task))}`;
}

function at({ file }: TaskReference): Pick<Refusal, 'file' | 'range'> {
  return { file, range: null };
}

/** Shows why a task cannot run, at the position of the problem. */
export async function showRefusal({ file, range, code, message }: Refusal): Promise<void> {
  if (range === null) {
    void showError(message);
    return;
  }
  await showFile(vscode.Uri.file(file), { selection: editorRange(range) });
  showErrorWithActions(message, code);
}
