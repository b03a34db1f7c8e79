import * as vscode from 'vscode';
import { Coalesced, Owned } from '../lifecycle.ts';
import { COMMAND, CONTEXT, VIEW } from '../names.ts';
import { verdictIcon } from '../runs/icons.ts';
import { NOT_RUN, type RunVerdict } from '../runs/verdict.ts';
import {
  buildTree,
  count,
  type FileSummary,
  type Node,
  type Problems,
  problemText,
  type TaskSummary,
  tasksBelow,
} from './model.ts';
import { type TaskReference, taskKey } from './reference.ts';
import { type KnownFile, pathBelow, type TaskFiles } from './task-files.ts';

/** What the tree asks about runs. */
export interface Verdicts {
  /** How the last or the present run of a task went; undefined where it never ran. */
  verdict(key: string): RunVerdict | undefined;
  readonly onDidChangeVerdicts: vscode.Event<void>;
}

const NO_PROBLEMS: Problems = { errors: 0, warnings: 0 };

/** Scheme of the made-up addresses that carry a task's problems as a decoration, as the explorer shows them. */
const PROBLEM_SCHEME = 'taskwright-task';

/** The view of all tasks: folder → file → task. */
export class TaskTree implements vscode.TreeDataProvider<Node>, vscode.FileDecorationProvider, vscode.Disposable {
  readonly #owned = new Owned();
  readonly #files: TaskFiles;
  readonly #verdicts: Verdicts;
  readonly #view: vscode.TreeView<Node>;
  readonly #summaries = new WeakMap<KnownFile, FileSummary>();
  readonly #treeChanged = this.#owned.add(new vscode.EventEmitter<Node | undefined>());
  readonly #decorationsChanged = this.#owned.add(new vscode.EventEmitter<vscode.Uri[] | undefined>());
  readonly #redraw = this.#owned.add(new Coalesced(50, () => this.#draw()));
  #problems = new Map<string, TaskSummary>();

  readonly onDidChangeTreeData = this.#treeChanged.event;
  readonly onDidChangeFileDecorations = this.#decorationsChanged.event;

  constructor(files: TaskFiles, verdicts: Verdicts) {
    this.#files = files;
    this.#verdicts = verdicts;
    this.#view = this.#owned.add(
      vscode.window.createTreeView(VIEW.tasks, { treeDataProvider: this, showCollapseAll: true }),
    );
    this.#owned.add(vscode.window.registerFileDecorationProvider(this));
    this.#owned.add(files.onDidChange(() => this.#redraw.ask()));
    this.#owned.add(verdicts.onDidChangeVerdicts(() => this.#redraw.ask()));
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node?.kind === 'task') return [];
    if (node !== undefined) return [...node.children];
    await this.#files.ready();
    return [...(await this.#build())];
  }

  async #build(): Promise<readonly Node[]> {
    const { summarise } = await import('./summary.ts');
    const roots = (vscode.workspace.workspaceFolders ?? []).map((folder) => ({
      name: folder.name,
      path: folder.uri.fsPath,
      files: this.#files.all
        .filter((known) => known.folder?.uri.toString() === folder.uri.toString())
        .map((known) => {
          let summary = this.#summaries.get(known);
          if (summary === undefined) {
            summary = summarise(known.file, known.findings, pathBelow(folder, known.uri.fsPath));
            this.#summaries.set(known, summary);
          }
          return summary;
        }),
    }));
    const nodes = buildTree(roots);
    this.#describe(nodes.flatMap(tasksBelow));
    return nodes;
  }

  /** The view's title and badge, and the context keys of its welcome text. */
  #describe(tasks: readonly TaskSummary[]): void {
    const files = this.#files.all.filter(({ folder }) => folder !== undefined);
    const errors = files.reduce((sum, { findings }) => sum + findings.filter((f) => f.severity === 'error').length, 0);
    const running = tasks.filter((task) => this.#verdicts.verdict(taskKey(task))?.kind === 'running').length;
    const parts = tasks.length === 0 ? [] : [String(tasks.length)];
    if (errors > 0) parts.push(count(errors, 'error'));
    this.#view.description = parts.join(' · ');
    this.#view.badge = running > 0 ? { value: running, tooltip: `${count(running, 'task')} running` } : undefined;
    void vscode.commands.executeCommand('setContext', CONTEXT.hasTasks, tasks.length > 0);
    void vscode.commands.executeCommand('setContext', CONTEXT.searched, this.#files.searched);
    const problems = new Map(tasks.map((task) => [problemUri(task).toString(), task]));
    const textOf = (key: string, of: typeof problems): string => problemText(of.get(key)?.problems ?? NO_PROBLEMS);
    // Only what differs: a decoration that is asked for again flickers.
    const changed = [...new Set([...problems.keys(), ...this.#problems.keys()])].filter(
      (key) => textOf(key, problems) !== textOf(key, this.#problems),
    );
    this.#problems = problems;
    if (changed.length > 0) this.#decorationsChanged.fire(changed.map((key) => vscode.Uri.parse(key, true)));
  }

  async #draw(): Promise<void> {
    // Drawn from the top only: the nodes keep their ids, so that what is open stays open.
    if (this.#view.visible) this.#treeChanged.fire(undefined);
    else await this.#build();
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case 'folder':
        return this.#groupItem(node, node.root ? 'root' : 'folder', vscode.Uri.file(node.path));
      case 'file':
        return this.#groupItem(node, 'file', vscode.Uri.file(node.file.file));
      case 'task':
        return this.#taskItem(node.id, node.task);
    }
  }

  #groupItem(node: Exclude<Node, { kind: 'task' }>, contextValue: string, uri: vscode.Uri): vscode.TreeItem {
    const tasks = tasksBelow(node);
    const verdicts = tasks.map((task) => this.#verdicts.verdict(taskKey(task)) ?? NOT_RUN);
    const passed = verdicts.filter(({ kind }) => kind === 'passed').length;
    const everRun = verdicts.some(({ kind }) => kind !== 'none');
    const open = node.kind === 'file' ? tasks.length <= 50 : true;
    const item = new vscode.TreeItem(
      node.label,
      open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = node.id;
    item.contextValue = contextValue;
    item.resourceUri = uri;
    item.iconPath = node.kind === 'file' ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    item.description = everRun ? `${passed}/${tasks.length}` : String(tasks.length);
    const title = node.kind === 'file' && node.file.title !== null ? `${node.file.title} — ` : '';
    item.tooltip = `${title}${count(tasks.length, 'task')}${everRun ? `, ${passed} passed in the last run` : ''}`;
    item.accessibilityInformation = { label: `${node.label}, ${item.tooltip}` };
    return item;
  }

  #taskItem(id: string, task: TaskSummary): vscode.TreeItem {
    const verdict = this.#verdicts.verdict(taskKey(task)) ?? NOT_RUN;
    const problems = problemText(task.problems);
    const item = new vscode.TreeItem(task.name, vscode.TreeItemCollapsibleState.None);
    item.id = id;
    item.resourceUri = problemUri(task);
    item.iconPath = verdictIcon(task.readable ? verdict.kind : 'error');
    item.description = [verdict.text, task.environment, task.tags.join(', ')].filter((part) => part !== '').join(' · ');
    item.tooltip = tooltip(task, verdict, problems);
    item.contextValue = [
      'task',
      verdict.kind === 'running' ? 'running' : 'idle',
      task.readable ? 'readable' : 'broken',
    ].join(' ');
    item.command = { command: COMMAND.openTask, title: 'Go to Task', arguments: [reference(task)] };
    item.accessibilityInformation = {
      label: [
        `task ${task.name}`,
        verdict.spoken,
        task.environment === '' ? '' : `environment ${task.environment}`,
        task.tags.length === 0 ? '' : `tags ${task.tags.join(', ')}`,
        problems,
      ]
        .filter((part) => part !== '')
        .join(', '),
    };
    return item;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== PROBLEM_SCHEME) return undefined;
    const task = this.#problems.get(uri.toString());
    if (task === undefined) return undefined;
    const { errors, warnings } = task.problems;
    if (errors + warnings === 0) return undefined;
    const total = errors + warnings;
    return new vscode.FileDecoration(
      total > 9 ? '9+' : String(total),
      problemText(task.problems),
      new vscode.ThemeColor(errors > 0 ? 'list.errorForeground' : 'list.warningForeground'),
    );
  }

  dispose(): void {
    this.#owned.dispose();
  }
}

function reference(task: TaskSummary): TaskReference {
  return { file: task.file, index: task.index, name: task.name };
}

function problemUri(task: TaskSummary): vscode.Uri {
  // The place is part of the path: decorations are kept without regard to a fragment.
  return vscode.Uri.from({ scheme: PROBLEM_SCHEME, path: `${vscode.Uri.file(task.file).path}/${task.index}` });
}

function tooltip(task: TaskSummary, verdict: RunVerdict, problems: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(task.name);
  if (task.prompt !== null && task.prompt !== '') text.appendMarkdown('\n\n').appendText(shorten(task.prompt));
  text.appendMarkdown('\n\n').appendText(`Last run: ${verdict.spoken}`);
  if (problems !== '') text.appendMarkdown('\n\n').appendText(`Problems: ${problems}`);
  return text;
}

function shorten(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
