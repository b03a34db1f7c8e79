import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { inSlices, type Work } from '../../base/slices.ts';
import { buildTree, childrenOf, type FileSummary, type Node } from '../../presentation/tasks/model.ts';
import { bareReference, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import { editorRange } from '../ranges.ts';
import type { TaskRoots } from '../tasks/roots.ts';

/**
 * The items of the Testing view: the nodes of the tree. The children of an item are created when VS Code resolves it, and
 * follow the files from then on.
 */
export class TestItems {
  readonly #controller: vscode.TestController;
  readonly #roots: TaskRoots;
  readonly #nodes = new WeakMap<vscode.TestItem, Node>();
  /** The items of tasks, by the tasks' keys. */
  readonly #tasks = new Map<string, vscode.TestItem>();
  /** Resolved items, with the file from which their children were created. */
  readonly #resolvedItems = new WeakMap<vscode.TestItem, FileSummary | null>();
  #working: Promise<unknown> = Promise.resolve();
  #requested = false;

  constructor(controller: vscode.TestController, roots: TaskRoots) {
    this.#controller = controller;
    this.#roots = roots;
  }

  /** Creates the children of an item; without an item, the top-level items. */
  resolve(item: vscode.TestItem | undefined): Promise<void> {
    return this.#inTurn(async () => {
      if (item === undefined) await this.#updateRoots();
      else await this.#open(item);
    });
  }

  /** Updates the existing items, if the Testing view was ever opened. */
  async update(): Promise<void> {
    if (this.#requested) await this.#inTurn(() => this.#updateRoots());
  }

  /** The item of a task, created if necessary; undefined if no file of the tree contains the task. */
  itemOf(task: TaskReference): Promise<vscode.TestItem | undefined> {
    return this.#inTurn(async () => {
      if (!this.#requested || !this.#tasks.has(taskKey(task))) {
        await this.#updateRoots();
        await this.#openTo(this.#controller.items, task);
      }
      return this.#tasks.get(taskKey(task));
    });
  }

  /** Creates the items of a file's tasks, unless the file has ranges. */
  openFile(file: string): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.#requested) await this.#updateRoots();
      const item = this.#itemOfFile(this.#controller.items, file);
      const node = item === undefined ? undefined : this.#nodes.get(item);
      if (item !== undefined && node !== undefined && !isInRanges(node)) await this.#open(item);
    });
  }

  /** The task items of a request in view order, including all descendants. */
  tasksIn(request: Pick<vscode.TestRunRequest, 'include' | 'exclude'>): Promise<readonly vscode.TestItem[]> {
    return this.#inTurn(async () => {
      if (request.include === undefined) await this.#updateRoots();
      const excludedItems = new Set(request.exclude);
      const tasks: vscode.TestItem[] = [];
      const collect = async (item: vscode.TestItem): Promise<void> => {
        if (excludedItems.has(item)) return;
        if (this.referenceOf(item) !== undefined) {
          tasks.push(item);
          return;
        }
        await this.#open(item);
        for (const [, child] of item.children) await collect(child);
      };
      for (const item of request.include ?? [...this.#controller.items].map(([, one]) => one)) await collect(item);
      return tasks;
    });
  }

  /** The task of an item, as of its last update. */
  referenceOf(item: vscode.TestItem): TaskReference | undefined {
    const node = this.#nodes.get(item);
    return node?.kind === 'task' ? bareReference(node.task) : undefined;
  }

  /** Runs operations sequentially. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#working.then(work);
    // The caller handles the error; the next operation runs anyway.
    this.#working = done.catch(() => undefined);
    return done;
  }

  async #updateRoots(): Promise<void> {
    this.#requested = true;
    await this.#fill(this.#controller.items, buildTree(await this.#roots.read()));
  }

  /** Creates the children of a file or range; those of a folder exist already. */
  async #open(item: vscode.TestItem): Promise<void> {
    const node = this.#nodes.get(item);
    if (node === undefined || node.kind === 'folder' || node.kind === 'task' || this.#resolvedItems.has(item)) return;
    this.#resolvedItems.set(item, node.kind === 'file' ? node.file : null);
    await this.#fill(item.children, childrenOf(node));
  }

  /** Updates a collection to these nodes, and recursively the resolved items. */
  async #fill(collection: vscode.TestItemCollection, nodes: readonly Node[]): Promise<void> {
    await inSlices(this.#sync(collection, nodes));
    for (const node of nodes) {
      const item = collection.get(node.id);
      if (item === undefined || node.kind === 'task') continue;
      if (node.kind === 'folder') await this.#fill(item.children, node.children);
      else if (this.#resolvedItems.has(item)) {
        if (node.kind === 'file' && this.#resolvedItems.get(item) === node.file) continue;
        this.#resolvedItems.set(item, node.kind === 'file' ? node.file : null);
        await this.#fill(item.children, childrenOf(node));
      }
    }
  }

  *#sync(collection: vscode.TestItemCollection, nodes: readonly Node[]): Work<void> {
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, item] of [...collection]) {
      if (ids.has(id)) continue;
      this.#forget(item);
      collection.delete(id);
      yield;
    }
    for (const [sortIndex, node] of nodes.entries()) {
      const existing = collection.get(node.id);
      const uri = uriOf(node);
      const isKnown = existing !== undefined && existing.uri?.toString() === uri?.toString();
      if (existing !== undefined && !isKnown) this.#forget(existing);
      const item = isKnown ? existing : this.#controller.createTestItem(node.id, labelOf(node), uri);
      this.#nodes.set(item, node);
      setUpItem(item, node, sortIndex);
      if (node.kind === 'task') this.#tasks.set(taskKey(node.task), item);
      // This replaces an item with the same id.
      if (!isKnown) collection.add(item);
      yield;
    }
  }

  #forget(item: vscode.TestItem): void {
    const task = this.referenceOf(item);
    if (task !== undefined && this.#tasks.get(taskKey(task)) === item) this.#tasks.delete(taskKey(task));
    for (const [, child] of item.children) this.#forget(child);
  }

  async #openTo(collection: vscode.TestItemCollection, task: TaskReference): Promise<void> {
    const item = this.#itemOfFile(collection, task.file);
    if (item === undefined) return;
    await this.#open(item);
    for (const [, child] of item.children) {
      const node = this.#nodes.get(child);
      if (node?.kind === 'range' && node.from <= task.index && task.index < node.from + node.count)
        await this.#open(child);
    }
  }

  #itemOfFile(collection: vscode.TestItemCollection, file: string): vscode.TestItem | undefined {
    for (const [, item] of collection) {
      const node = this.#nodes.get(item);
      if (node?.kind === 'file' && node.file.file === file) return item;
      const descendant = node?.kind === 'folder' ? this.#itemOfFile(item.children, file) : undefined;
      if (descendant !== undefined) return descendant;
    }
    return undefined;
  }
}

function labelOf(node: Node): string {
  return node.kind === 'task' ? node.task.label : node.label;
}

/**
 * The URI of an item. VS Code resolves two levels below every item whose file is open, and visits each item at every
 * keystroke. A file with ranges has no URI, because it may have 100,000 tasks.
 */
function uriOf(node: Node): vscode.Uri | undefined {
  if (node.kind === 'task') return vscode.Uri.file(node.task.file);
  if (node.kind === 'folder') return vscode.Uri.file(node.path);
  return node.kind === 'file' && !isInRanges(node) ? vscode.Uri.file(node.file.file) : undefined;
}

function isInRanges(node: Node): boolean {
  return node.kind === 'file' && node.children[0]?.kind === 'range';
}

/** Updates the properties of an item. VS Code transfers only changes. */
function setUpItem(item: vscode.TestItem, node: Node, sortIndex: number): void {
  item.label = labelOf(node);
  // Keeps the order of the file.
  item.sortText = String(sortIndex).padStart(6, '0');
  item.canResolveChildren = node.kind === 'file' || node.kind === 'range';
  if (node.kind !== 'task') {
    if (node.kind === 'file') item.description = node.file.title ?? '';
    return;
  }
  const { task } = node;
  item.range = editorRange(task.range);
  // No description: VS Code would use it instead of the name as the accessible label.
  item.error = task.readable ? undefined : l10n.t('This task cannot be read. See the Problems view.');
  const tags = [...new Set(task.tags)];
  if (tags.join('\0') !== item.tags.map(({ id }) => id).join('\0'))
    item.tags = tags.map((tag) => new vscode.TestTag(tag));
}
