import * as vscode from 'vscode';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import { inSlices } from '../../tasks/slices.ts';
import { type LastTwo, withBefore } from '../compare/last-two.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import { COMMAND, CONTEXT, VIEW } from '../names.ts';
import { placementLabel } from '../placement/format.ts';
import { verdictIcon } from '../runs/icons.ts';
import { NOT_RUN, type RunVerdict, type VerdictKind, verdictOf } from '../runs/verdict.ts';
import { filterRoots, parseFilter } from './filter.ts';
import {
  buildTree,
  childrenOf,
  count,
  type FileNode,
  type FileSummary,
  type FolderNode,
  filesBelow,
  MOST_SIBLINGS,
  type Node,
  type Problems,
  problemText,
  type RangeNode,
  type Root,
  type TaskList,
  type TaskSummary,
} from './model.ts';
import { type TaskReference, taskKey } from './reference.ts';
import type { TaskRoots } from './roots.ts';
import type { TaskFiles } from './task-files.ts';

/** What the tree asks about runs. */
export interface Verdicts {
  /** How the last or the present run of a task went; undefined where it never ran. */
  verdict(key: string): RunVerdict | undefined;
  /** The runs of this window that are under way. */
  readonly active: readonly { readonly task: { readonly file: string } }[];
  readonly onDidChangeVerdicts: vscode.Event<void>;
}

/** What the tree asks about where tasks run. */
export interface PlacementInfo {
  /** `usual`: all tasks run there that say nothing themselves. */
  of(task: TaskSummary): { readonly kind: PlacementKind; readonly because: string; readonly usual: boolean };
  readonly onDidChange: vscode.Event<void>;
}

const NO_PROBLEMS: Problems = { errors: 0, warnings: 0 };

/** Scheme of the made-up addresses that carry a task's problems as a decoration, as the explorer shows them. */
const PROBLEM_SCHEME = 'taskwright-task';

/** The view of all tasks: folder → file → task. */
export class TaskTree implements vscode.TreeDataProvider<Node>, vscode.FileDecorationProvider, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #files: TaskFiles;
  readonly #roots: TaskRoots;
  readonly #verdicts: Verdicts;
  readonly #lastTwo: LastTwo;
  readonly #places: PlacementInfo;
  readonly #view: vscode.TreeView<Node>;
  readonly #treeChanged = this.#disposables.add(new vscode.EventEmitter<Node | undefined>());
  readonly #decorationsChanged = this.#disposables.add(new vscode.EventEmitter<vscode.Uri[] | undefined>());
  readonly #redraw = this.#disposables.add(new Debouncer(50, () => this.#draw()));
  /** The tasks that were drawn, and the problems that were last shown at them. */
  readonly #drawn = new Map<string, { readonly file: string; readonly index: number; problems: Problems }>();
  #summaryOf = new Map<string, FileSummary>();
  #filter = '';

  readonly onDidChangeTreeData = this.#treeChanged.event;
  readonly onDidChangeFileDecorations = this.#decorationsChanged.event;

  constructor(files: TaskFiles, roots: TaskRoots, verdicts: Verdicts, lastTwo: LastTwo, places: PlacementInfo) {
    this.#lastTwo = lastTwo;
    this.#roots = roots;
    this.#places = places;
    this.#files = files;
    this.#verdicts = verdicts;
    this.#view = this.#disposables.add(
      vscode.window.createTreeView(VIEW.tasks, {
        treeDataProvider: this,
        showCollapseAll: true,
        canSelectMany: true,
      }),
    );
    this.#disposables.add(vscode.window.registerFileDecorationProvider(this));
    this.#disposables.add(files.onDidChange(() => this.#redraw.schedule()));
    this.#disposables.add(verdicts.onDidChangeVerdicts(() => this.#redraw.schedule()));
    this.#disposables.add(places.onDidChange(() => this.#redraw.schedule()));
  }

  async getChildren(node?: Node): Promise<Node[]> {
    return [...(node === undefined ? await this.#build() : childrenOf(node))];
  }

  /** Everything there is, whatever the filter. */
  roots(): Promise<readonly Root[]> {
    return this.#roots.read();
  }

  /** What the filter leaves of it. */
  async shown(): Promise<readonly Root[]> {
    return this.#filtered(await this.#roots.read());
  }

  /** What the tree is filtered by, as it was written; empty: by nothing. */
  get filter(): string {
    return this.#filter;
  }

  /** Filters the tree; the answer is how many tasks are left. */
  async setFilter(text: string): Promise<number> {
    this.#filter = text.trim();
    void vscode.commands.executeCommand('setContext', CONTEXT.filtered, parseFilter(text) !== null);
    const nodes = await this.#build();
    this.#treeChanged.fire(undefined);
    return tasksBelow(nodes);
  }

  async #build(): Promise<readonly (FolderNode | FileNode)[]> {
    const all = await this.#roots.read();
    const shown = await this.#filtered(all);
    const nodes = buildTree(shown);
    this.#describe(
      all.flatMap(({ files }) => files),
      shown === all ? null : tasksBelow(nodes),
    );
    return nodes;
  }

  async #filtered(roots: readonly Root[]): Promise<readonly Root[]> {
    const filter = parseFilter(this.#filter);
    const kindOf = (key: string): VerdictKind => (this.#verdicts.verdict(key) ?? NOT_RUN).kind;
    return filter === null ? roots : await inSlices(filterRoots(roots, filter, kindOf));
  }

  /** The view's title and badge, and the context keys of its welcome text. `shown`: how many a filter has left. */
  #describe(files: readonly FileSummary[], shown: number | null): void {
    const tasks = files.reduce((sum, file) => sum + file.tasks.length, 0);
    const errors = files.reduce((sum, { problems }) => sum + problems.errors, 0);
    const running = files.reduce((sum, file) => sum + this.#running(file), 0);
    const parts = tasks === 0 ? [] : [shown === null ? String(tasks) : `${shown} of ${tasks}`];
    this.#view.message = shown === null ? '' : filterMessage(this.#filter, shown);
    if (errors > 0) parts.push(count(errors, 'error'));
    this.#view.description = parts.join(' · ');
    this.#view.badge = running > 0 ? { value: running, tooltip: `${count(running, 'task')} running` } : undefined;
    void vscode.commands.executeCommand('setContext', CONTEXT.hasTasks, tasks > 0);
    void vscode.commands.executeCommand('setContext', CONTEXT.searched, this.#files.searched);
    this.#summaryOf = new Map(files.map((file) => [file.file, file]));
    // Only what differs: a decoration that is asked for again flickers.
    const changed: vscode.Uri[] = [];
    for (const [key, drawn] of this.#drawn) {
      const task = this.#summaryOf.get(drawn.file)?.tasks.at(drawn.index);
      if (task === undefined) this.#drawn.delete(key);
      const problems = task?.problems ?? NO_PROBLEMS;
      if (problemText(problems) === problemText(drawn.problems)) continue;
      drawn.problems = problems;
      changed.push(vscode.Uri.parse(key, true));
    }
    if (changed.length > 0) this.#decorationsChanged.fire(changed);
  }

  #running({ file, tasks }: FileSummary): number {
    if (tasks.length > MOST_SIBLINGS) return this.#verdicts.active.filter(({ task }) => task.file === file).length;
    return this.#verdictsOf(tasks).filter(({ kind }) => kind === 'running').length;
  }

  #verdictsOf(tasks: TaskList): readonly RunVerdict[] {
    return Array.from({ length: tasks.length }, (_, index) => {
      const task = tasks.at(index);
      return (task === undefined ? undefined : this.#verdicts.verdict(taskKey(task))) ?? NOT_RUN;
    });
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
      case 'range':
        return rangeItem(node, this.#idOf(node));
      case 'task':
        return this.#taskItem(this.#idOf(node), node.task);
    }
  }

  /** Filtered nodes are nodes of their own: they open by themselves, and leave those of the whole tree as they were. */
  #idOf({ id }: Node): string {
    return this.#filter === '' ? id : `filtered:${id}`;
  }

  #groupItem(node: FolderNode | FileNode, contextValue: string, uri: vscode.Uri): vscode.TreeItem {
    const files = filesBelow(node);
    const total = files.reduce((sum, { tasks }) => sum + tasks.length, 0);
    // How the tasks of a very large file went is not counted at each drawing.
    const verdicts = files.flatMap(({ tasks }) => (tasks.length > MOST_SIBLINGS ? [] : this.#verdictsOf(tasks)));
    const passed = verdicts.filter(({ kind }) => kind === 'passed').length;
    const everRun = verdicts.some(({ kind }) => kind !== 'none');
    const open = node.kind === 'file' ? total <= 50 : true;
    const item = new vscode.TreeItem(
      node.label,
      open ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
    );
    item.id = this.#idOf(node);
    item.contextValue = contextValue;
    item.resourceUri = uri;
    item.iconPath = node.kind === 'file' ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    item.description = everRun ? `${passed}/${total}` : String(total);
    const title = node.kind === 'file' && node.file.title !== null ? `${node.file.title} — ` : '';
    item.tooltip = `${title}${count(total, 'task')}${everRun ? `, ${passed} passed in the last run` : ''}`;
    item.accessibilityInformation = { label: `${node.label}, ${item.tooltip}` };
    return item;
  }

  #taskItem(id: string, task: TaskSummary): vscode.TreeItem {
    const verdict = this.#verdicts.verdict(taskKey(task)) ?? NOT_RUN;
    const problems = problemText(task.problems);
    const item = new vscode.TreeItem(task.name, vscode.TreeItemCollapsibleState.None);
    item.id = id;
    const uri = problemUri(task);
    this.#drawn.set(uri.toString(), { file: task.file, index: task.index, problems: task.problems });
    item.resourceUri = uri;
    item.iconPath = verdictIcon(task.readable ? verdict.kind : 'error');
    const place = this.#places.of(task);
    const placed = place.usual ? '' : place.kind;
    const lastTwo = this.#lastTwo.of(taskKey(task));
    item.description = [withBefore(verdict, lastTwo), task.environment, placed, task.tags.join(', ')]
      .filter((part) => part !== '')
      .join(' · ');
    item.tooltip = tooltip(
      task,
      lastRuns(verdict, lastTwo),
      problems,
      `Runs in: ${placementLabel(place.kind)}, ${place.because}`,
    );
    item.contextValue = [
      'task',
      verdict.kind === 'running' ? 'running' : 'idle',
      task.readable ? 'readable' : 'broken',
    ].join(' ');
    item.command = { command: COMMAND.openTask, title: 'Go to Task', arguments: [reference(task)] };
    item.accessibilityInformation = {
      label: [
        `task ${task.name}`,
        lastRuns(verdict, lastTwo),
        task.environment === '' ? '' : `environment ${task.environment}`,
        placed === '' ? '' : `runs in ${placed}`,
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
    const drawn = this.#drawn.get(uri.toString());
    if (drawn === undefined) return undefined;
    const { errors, warnings } = drawn.problems;
    if (errors + warnings === 0) return undefined;
    const total = errors + warnings;
    return new vscode.FileDecoration(
      total > 9 ? '9+' : String(total),
      problemText(drawn.problems),
      new vscode.ThemeColor(errors > 0 ? 'list.errorForeground' : 'list.warningForeground'),
    );
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

function tasksBelow(nodes: readonly (FolderNode | FileNode)[]): number {
  return nodes.flatMap(filesBelow).reduce((sum, { tasks }) => sum + tasks.length, 0);
}

function filterMessage(filter: string, shown: number): string {
  return shown === 0 ? `No task matches “${filter}”.` : `Filtered by “${filter}”: ${count(shown, 'task')}.`;
}

function rangeItem(node: RangeNode, id: string): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.contextValue = 'range';
  item.tooltip = `${count(node.count, 'task')}, by their place in the file`;
  item.accessibilityInformation = { label: `tasks ${node.label}` };
  return item;
}

function reference(task: TaskSummary): TaskReference {
  return { file: task.file, index: task.index, name: task.name };
}

function problemUri(task: TaskSummary): vscode.Uri {
  // The place is part of the path: decorations are kept without regard to a fragment.
  return vscode.Uri.from({ scheme: PROBLEM_SCHEME, path: `${vscode.Uri.file(task.file).path}/${task.index}` });
}

function lastRuns({ spoken }: RunVerdict, lastTwo: ReturnType<LastTwo['of']>): string {
  return lastTwo === undefined ? spoken : `${spoken}; before: ${verdictOf(lastTwo[1].run).spoken}`;
}

function tooltip(task: TaskSummary, runs: string, problems: string, place: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  text.appendText(task.name);
  if (task.prompt !== null && task.prompt !== '') text.appendMarkdown('\n\n').appendText(shorten(task.prompt));
  text.appendMarkdown('\n\n').appendText(`Last run: ${runs}`);
  text.appendMarkdown('\n\n').appendText(place);
  if (problems !== '') text.appendMarkdown('\n\n').appendText(`Problems: ${problems}`);
  return text;
}

function shorten(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
