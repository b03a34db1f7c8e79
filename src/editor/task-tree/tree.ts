import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inSlices } from '../../base/slices.ts';
import { kindNamed } from '../../environments/kinds.ts';
import { PLACEMENT_VIEWS } from '../../presentation/placement/views.ts';
import { isolateDirection, joinTexts } from '../../presentation/plain-text.ts';
import { isActive, NOT_RUN, type RunVerdict, verdictOf } from '../../presentation/runs/verdict.ts';
import { filterRoots, parseFilter } from '../../presentation/tasks/filter.ts';
import {
  buildTree,
  childrenOf,
  eachTask,
  errorCount,
  type FileNode,
  type FileSummary,
  type FolderNode,
  filesBelow,
  MAX_SIBLINGS,
  type Node,
  type Problems,
  problemText,
  type RangeNode,
  type Root,
  type TaskList,
  type TaskSummary,
  taskCount,
} from '../../presentation/tasks/model.ts';
import { bareReference, taskKey } from '../../presentation/tasks/reference.ts';
import { type LastTwo, withBefore } from '../compare/last-two.ts';
import { Disposable } from '../lifecycle.ts';
import { COLOR, COMMAND, CONTEXT, VIEW } from '../names.ts';
import { isOwnNode, type OwnNode, ownId, ownItem } from '../own-tasks/nodes.ts';
import type { OwnTasks } from '../own-tasks/own-tasks.ts';
import type { PlacementChoice } from '../placement/choice.ts';
import type { Runs } from '../runs/runs.ts';
import type { TaskRoots } from '../tasks/roots.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { paragraphs } from '../texts.ts';
import { verdictIcon } from '../verdict-icons.ts';
import { TreeRefresh } from './refresh.ts';

/** The results of runs that the tree shows. */
export type Verdicts = Pick<Runs, 'verdict' | 'active' | 'onDidChangeVerdicts'>;

/** The features that the tree shows. */
export interface TaskTreeParts {
  readonly files: TaskFiles;
  readonly roots: TaskRoots;
  readonly verdicts: Verdicts;
  readonly lastTwo: LastTwo;
  readonly placements: PlacementChoice;
  readonly ownTasks: OwnTasks;
}

const NO_PROBLEMS: Problems = { errors: 0, warnings: 0 };

/** Scheme of the URIs of tasks, to which file decorations with the number of problems are attached. */
const PROBLEM_SCHEME = 'taskwright-task';

/** The view of all tasks: folder → file → task. */
export class TaskTree
  extends Disposable
  implements vscode.TreeDataProvider<Node | OwnNode>, vscode.FileDecorationProvider
{
  readonly #parts: TaskTreeParts;
  readonly #view: vscode.TreeView<Node | OwnNode>;
  readonly #treeChanged = this.register(new vscode.EventEmitter<Node | OwnNode | undefined>());
  readonly #decorationsChanged = this.register(new vscode.EventEmitter<vscode.Uri[] | undefined>());
  readonly #refresh: TreeRefresh;
  /** The rendered tasks and the problems last shown for them. */
  readonly #drawnTasks = new Map<string, { readonly file: string; readonly index: number; problems: Problems }>();
  #summaryOf = new Map<string, FileSummary>();
  #filter = '';

  readonly onDidChangeTreeData = this.#treeChanged.event;
  readonly onDidChangeFileDecorations = this.#decorationsChanged.event;

  constructor(parts: TaskTreeParts) {
    super();
    this.#parts = parts;
    const options = { treeDataProvider: this, showCollapseAll: true, canSelectMany: true };
    this.#view = this.register(vscode.window.createTreeView(VIEW.tasks, options));
    this.register(vscode.window.registerFileDecorationProvider(this));
    const view = this.#view;
    this.#refresh = this.register(
      new TreeRefresh({
        get visible() {
          return view.visible;
        },
        // The expansion state stays, because nodes keep their ids.
        refresh: () => this.#treeChanged.fire(undefined),
        refreshHidden: () => this.#build(),
      }),
    );
    this.registerAll(
      view.onDidChangeVisibility(() => this.#refresh.noteVisibility()),
      parts.files.onDidChange(() => this.#refresh.noteChange()),
      parts.verdicts.onDidChangeVerdicts(() => this.#refresh.noteChange()),
      parts.placements.onDidChange(() => this.#refresh.noteChange()),
    );
  }

  async getChildren(node?: Node | OwnNode): Promise<(Node | OwnNode)[]> {
    this.#refresh.noteRequest(node);
    if (node !== undefined && isOwnNode(node)) return [...(await this.#parts.ownTasks.children(node))];
    if (node?.kind === 'task') return [...(await this.#parts.ownTasks.children(node.task))];
    return [...(node === undefined ? await this.#build() : childrenOf(node))];
  }

  /** All tasks, regardless of the filter. */
  roots(): Promise<readonly Root[]> {
    return this.#parts.roots.read();
  }

  /** The tasks that match the filter. */
  async filteredRoots(): Promise<readonly Root[]> {
    return this.#applyFilter(await this.#parts.roots.read());
  }

  /** The filter text; empty if there is no filter. */
  get filter(): string {
    return this.#filter;
  }

  /** Filters the tree and returns the number of matching tasks. */
  async setFilter(text: string): Promise<number> {
    this.#filter = text.trim();
    void vscode.commands.executeCommand('setContext', CONTEXT.filtered, parseFilter(text) !== null);
    const nodes = await this.#build();
    this.#treeChanged.fire(undefined);
    return tasksBelow(nodes);
  }

  async #build(): Promise<readonly (FolderNode | FileNode)[]> {
    const all = await this.#parts.roots.read();
    const roots = await this.#applyFilter(all);
    const nodes = buildTree(roots);
    this.#describe(
      all.flatMap(({ files }) => files),
      roots === all ? null : tasksBelow(nodes),
    );
    return nodes;
  }

  async #applyFilter(roots: readonly Root[]): Promise<readonly Root[]> {
    const filter = parseFilter(this.#filter);
    return filter === null ? roots : await inSlices(filterRoots(roots, filter, (key) => this.#verdictOf(key).kind));
  }

  /** Updates title, badge, and context keys of the view. `matchCount`: how many tasks match the filter; null without one. */
  #describe(files: readonly FileSummary[], matchCount: number | null): void {
    const tasks = files.reduce((sum, file) => sum + file.tasks.length, 0);
    const errors = files.reduce((sum, { problems }) => sum + problems.errors, 0);
    const running = files.reduce((sum, file) => sum + this.#running(file), 0);
    const parts = tasks === 0 ? [] : [matchCount === null ? String(tasks) : l10n.t('{0} of {1}', matchCount, tasks)];
    this.#view.message = matchCount === null ? '' : filterMessage(this.#filter, matchCount);
    if (errors > 0) parts.push(errorCount(errors));
    this.#view.description = parts.join(' · ');
    this.#view.badge = running > 0 ? { value: running, tooltip: l10n.t('{0} running', taskCount(running)) } : undefined;
    void vscode.commands.executeCommand('setContext', CONTEXT.hasTasks, tasks > 0);
    void vscode.commands.executeCommand('setContext', CONTEXT.searched, this.#parts.files.searched);
    this.#summaryOf = new Map(files.map((file) => [file.file, file]));
    // Only what differs: an updated decoration flickers.
    const changedUris: vscode.Uri[] = [];
    for (const [key, drawnTask] of this.#drawnTasks) {
      const task = this.#summaryOf.get(drawnTask.file)?.tasks.at(drawnTask.index);
      if (task === undefined) this.#drawnTasks.delete(key);
      const problems = task?.problems ?? NO_PROBLEMS;
      if (problemText(problems) === problemText(drawnTask.problems)) continue;
      drawnTask.problems = problems;
      changedUris.push(vscode.Uri.parse(key, true));
    }
    if (changedUris.length > 0) this.#decorationsChanged.fire(changedUris);
  }

  #running({ file, tasks }: FileSummary): number {
    if (tasks.length > MAX_SIBLINGS) return this.#parts.verdicts.active.filter(({ task }) => task.file === file).length;
    return this.#verdictsOf(tasks).filter(isActive).length;
  }

  #verdictsOf(tasks: TaskList): readonly RunVerdict[] {
    return Array.from(eachTask(tasks), (task) => this.#verdictOf(taskKey(task)));
  }

  #verdictOf(key: string): RunVerdict {
    return this.#parts.verdicts.verdict(key) ?? NOT_RUN;
  }

  getTreeItem(node: Node | OwnNode): vscode.TreeItem {
    if (isOwnNode(node)) {
      return ownItem(
        node,
        (one) => this.#idOf({ id: ownId(one) }),
        (task) => this.#verdictOf(taskKey(task)),
      );
    }
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

  /** Filtered nodes have ids of their own, so that they expand without changing the expansion of the whole tree. */
  #idOf({ id }: Pick<Node, 'id'>): string {
    return this.#filter === '' ? id : `filtered:${id}`;
  }

  #groupItem(node: FolderNode | FileNode, contextValue: string, uri: vscode.Uri): vscode.TreeItem {
    const files = filesBelow(node);
    const total = files.reduce((sum, { tasks }) => sum + tasks.length, 0);
    // Counting the results of a very large file at each refresh takes too long.
    const verdicts = files.flatMap(({ tasks }) => (tasks.length > MAX_SIBLINGS ? [] : this.#verdictsOf(tasks)));
    const passedCount = verdicts.filter(({ kind }) => kind === 'passed').length;
    const hasRun = verdicts.some(({ kind }) => kind !== 'none');
    const open = node.kind === 'file' ? total <= 50 : true;
    const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.label, total === 0 ? None : open ? Expanded : Collapsed);
    item.id = this.#idOf(node);
    item.contextValue = contextValue;
    item.resourceUri = uri;
    item.iconPath = node.kind === 'file' ? vscode.ThemeIcon.File : vscode.ThemeIcon.Folder;
    item.description = hasRun ? `${passedCount}/${total}` : String(total);
    const title = node.kind === 'file' && node.file.title !== null ? `${node.file.title} — ` : '';
    const tasks = taskCount(total);
    item.tooltip = `${title}${hasRun ? l10n.t('{0}, {1} passed in the last run', tasks, passedCount) : tasks}`;
    item.accessibilityInformation = { label: `${node.label}, ${item.tooltip}` };
    return item;
  }

  #taskItem(id: string, task: TaskSummary): vscode.TreeItem {
    const verdict = this.#verdictOf(taskKey(task));
    const problems = problemText(task.problems);
    const item = new vscode.TreeItem(
      isolateDirection(task.label),
      hasOwnTasks(task) ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
    );
    item.id = id;
    const uri = problemUri(task);
    this.#drawnTasks.set(uri.toString(), { file: task.file, index: task.index, problems: task.problems });
    item.resourceUri = uri;
    item.iconPath = verdictIcon(task.readable ? verdict.kind : 'error');
    const placement = this.#parts.placements.of(task);
    const placementText = placement.isDefault ? '' : placement.kind;
    const lastTwo = this.#parts.lastTwo.of(taskKey(task));
    const origin = task.isComputed ? l10n.t('depends on values that are only known when the program runs') : '';
    const facts = [withBefore(verdict, lastTwo), task.environment, placementText, task.tags.join(', '), origin];
    item.description = joinTexts(facts, ' · ');
    const runs = lastRuns(verdict, lastTwo);
    item.tooltip = paragraphs([
      task.label,
      shorten(task.prompt ?? ''),
      l10n.t('Last run: {0}', runs),
      l10n.t('Placement: {0} ({1})', PLACEMENT_VIEWS[placement.kind].label, placement.reason),
      problems === '' ? '' : l10n.t('Problems: {0}', problems),
      origin,
    ]);
    item.contextValue = `task ${isActive(verdict) ? 'running' : 'idle'} ${task.readable ? 'readable' : 'broken'}`;
    item.command = { command: COMMAND.openTask, title: l10n.t('Go to Task'), arguments: [bareReference(task)] };
    const accessibleTexts = [
      l10n.t('task {0}', task.label),
      runs,
      task.environment === '' ? '' : l10n.t('environment {0}', task.environment),
      placementText === '' ? '' : l10n.t('placement {0}', placementText),
      task.tags.length === 0 ? '' : l10n.t('tags {0}', task.tags.join(', ')),
      problems,
      origin,
    ];
    item.accessibilityInformation = { label: joinTexts(accessibleTexts, ', ') };
    return item;
  }

  provideFileDecoration(uri: vscode.Uri): vscode.FileDecoration | undefined {
    if (uri.scheme !== PROBLEM_SCHEME) return undefined;
    const drawnTask = this.#drawnTasks.get(uri.toString());
    if (drawnTask === undefined) return undefined;
    const { errors, warnings } = drawnTask.problems;
    if (errors + warnings === 0) return undefined;
    const total = errors + warnings;
    return new vscode.FileDecoration(
      total > 9 ? '9+' : String(total),
      problemText(drawnTask.problems),
      new vscode.ThemeColor(errors > 0 ? COLOR.failed : COLOR.partial),
    );
  }
}

/** Whether the environment of a task may have tasks of its own; only its server knows. */
function hasOwnTasks({ environment, readable }: TaskSummary): boolean {
  return readable && kindNamed(environment)?.hasOwnTasks === true;
}

function tasksBelow(nodes: readonly (FolderNode | FileNode)[]): number {
  return nodes.flatMap(filesBelow).reduce((sum, { tasks }) => sum + tasks.length, 0);
}

function filterMessage(filter: string, matchCount: number): string {
  return matchCount === 0
    ? l10n.t('No tasks match “{0}”.', filter)
    : l10n.t('Filtered by “{0}”: {1}.', filter, taskCount(matchCount));
}

function rangeItem(node: RangeNode, id: string): vscode.TreeItem {
  const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.Collapsed);
  item.id = id;
  item.contextValue = 'range';
  item.tooltip = l10n.t('{0} by index', taskCount(node.count));
  item.accessibilityInformation = { label: l10n.t('tasks {0}', node.label) };
  return item;
}

function problemUri(task: TaskSummary): vscode.Uri {
  // The index is part of the path, because VS Code ignores the fragment of a decoration's URI.
  return vscode.Uri.from({ scheme: PROBLEM_SCHEME, path: `${vscode.Uri.file(task.file).path}/${task.index}` });
}

function lastRuns({ accessibleText: text }: RunVerdict, lastTwo: ReturnType<LastTwo['of']>): string {
  return lastTwo === undefined ? text : l10n.t('{0}; before: {1}', text, verdictOf(lastTwo[1].run).accessibleText);
}

function shorten(text: string): string {
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
