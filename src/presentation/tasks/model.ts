import { join } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { Range } from '../../base/range.ts';
import type { Task } from '../../tasks/task.ts';
import { plural } from '../plural.ts';

/** The tree of tasks as plain data: folder → file → task. Independent of VS Code; `tree.ts` renders it. */

export interface Problems {
  readonly errors: number;
  readonly warnings: number;
}

/** One task as the tree shows it. */
export interface TaskSummary {
  /** How it is shown. */
  readonly label: string;
  readonly file: string;
  readonly index: number;
  readonly name: string;
  /** Its range in the file. */
  readonly range: Range;
  readonly prompt: string | null;
  /** `browser`, `qa`, or the type of an environment that Taskwright cannot run. */
  readonly environment: string;
  readonly tags: readonly string[];
  readonly metadata: Task['metadata'];
  readonly problems: Problems;
  /** Whether the row can be read as a task. */
  readonly readable: boolean;
  /** Whether it depends on values that are only known when a program runs. */
  readonly isComputed: boolean;
}

/** The tasks of a file, created on demand: there may be 100,000. */
export interface TaskList {
  readonly length: number;
  at(index: number): TaskSummary | undefined;
}

/** The tasks of a list, each created when it is reached. */
export function* eachTask(tasks: TaskList): Generator<TaskSummary, void> {
  for (let index = 0; index < tasks.length; index += 1) {
    const task = tasks.at(index);
    if (task !== undefined) yield task;
  }
}

/** One task file as the tree shows it. */
export interface FileSummary {
  /** Absolute path. */
  readonly file: string;
  /** Folders and name below the root, from the outermost. */
  readonly path: readonly string[];
  /** Name of the task set; null if it has none. */
  readonly title: string | null;
  readonly tasks: TaskList;
  readonly problems: Problems;
}

export interface Root {
  readonly name: string;
  /** Absolute path of the workspace folder. */
  readonly path: string;
  readonly files: readonly FileSummary[];
}

export interface FolderNode {
  readonly kind: 'folder';
  /** Unique and stable, so that the folder stays expanded after a refresh. */
  readonly id: string;
  readonly label: string;
  readonly path: string;
  readonly root: boolean;
  readonly children: readonly (FolderNode | FileNode)[];
}

export interface FileNode {
  readonly kind: 'file';
  readonly id: string;
  readonly label: string;
  readonly file: FileSummary;
  readonly children: readonly TaskNode[] | readonly RangeNode[];
}

/** Some tasks of a file with too many to list. */
export interface RangeNode {
  readonly kind: 'range';
  readonly id: string;
  /** `1000–1999`: the indexes of its tasks. */
  readonly label: string;
  /** Index of its first task in the file. */
  readonly from: number;
  readonly count: number;
  /** Created when the node is expanded. */
  children(): readonly TaskNode[];
}

export interface TaskNode {
  readonly kind: 'task';
  readonly id: string;
  readonly task: TaskSummary;
}

export type Node = FolderNode | FileNode | RangeNode | TaskNode;

/** Files with more tasks show ranges of this size. */
export const MAX_SIBLINGS = 1000;

/** The top-level nodes. With several roots, each has a folder. */
export function buildTree(roots: readonly Root[]): readonly (FolderNode | FileNode)[] {
  const rootsWithFiles = roots.filter((root) => root.files.length > 0);
  if (roots.length === 1) return rootsWithFiles.flatMap((root) => nodesBelow(root.path, root.files, 0));
  return rootsWithFiles.map((root) => ({
    kind: 'folder',
    id: `root:${root.path}`,
    label: root.name,
    path: root.path,
    root: true,
    children: nodesBelow(root.path, root.files, 0),
  }));
}

/** Folders first, in alphabetical order. A chain of folders without other content is one node, as in the explorer. */
function nodesBelow(path: string, files: readonly FileSummary[], depth: number): readonly (FolderNode | FileNode)[] {
  const folders = new Map<string, FileSummary[]>();
  const filesHere: FileNode[] = [];
  for (const file of files) {
    const name = file.path[depth] ?? file.file;
    if (depth >= file.path.length - 1) filesHere.push(fileNode(file, name));
    else folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  const nodes = [...folders].map(([name, contents]): FolderNode => {
    let label = name;
    let level = depth + 1;
    for (;;) {
      const next = contents[0]?.path[level];
      const sharesSegment =
        next !== undefined && contents.every((f) => f.path.length > level + 1 && f.path[level] === next);
      if (!sharesSegment) break;
      label += `/${next}`;
      level += 1;
    }
    const full = join(path, ...label.split('/'));
    return {
      kind: 'folder',
      id: `folder:${full}`,
      label,
      path: full,
      root: false,
      children: nodesBelow(full, contents, level),
    };
  });
  return [...nodes.sort((a, b) => compare(a.label, b.label)), ...filesHere.sort((a, b) => compare(a.label, b.label))];
}

function fileNode(file: FileSummary, label: string): FileNode {
  const { length } = file.tasks;
  const base = { kind: 'file', id: `file:${file.file}`, label, file } as const;
  if (length <= MAX_SIBLINGS) return { ...base, children: taskNodes(file, 0, length, '') };
  const children: RangeNode[] = [];
  for (let from = 0; from < length; from += MAX_SIBLINGS) {
    const to = Math.min(from + MAX_SIBLINGS, length);
    children.push({
      kind: 'range',
      id: `range:${file.file}#${from}`,
      label: to - from === 1 ? String(from) : `${from}–${to - 1}`,
      from,
      count: to - from,
      children: () => taskNodes(file, from, to, `${from}#`),
    });
  }
  return { ...base, children };
}

/** @param range distinguishes tasks that share an id in different ranges */
function taskNodes(file: FileSummary, from: number, to: number, range: string): readonly TaskNode[] {
  const counts = new Map<string, number>();
  const nodes: TaskNode[] = [];
  for (let index = from; index < to; index += 1) {
    const task = file.tasks.at(index);
    if (task === undefined) continue;
    const before = counts.get(task.name) ?? 0;
    counts.set(task.name, before + 1);
    // Tasks may share an id by mistake; node ids must be unique.
    nodes.push({ kind: 'task', id: `task:${range}${task.file}#${task.name}${before > 0 ? `#${before}` : ''}`, task });
  }
  return nodes;
}

/** The child nodes of a node. */
export function childrenOf(node: Node): readonly Node[] {
  if (node.kind === 'task') return [];
  return node.kind === 'range' ? node.children() : node.children;
}

/** Every file at a node or below it. */
export function filesBelow(node: Node): readonly FileSummary[] {
  if (node.kind === 'file') return [node.file];
  return node.kind === 'folder' ? node.children.flatMap(filesBelow) : [];
}

/** `1 error, 2 warnings`; empty if there are none. */
export function problemText(problems: Problems): string {
  const { errors, warnings } = problems;
  const warningCount = plural(warnings, l10n.t('1 warning'), l10n.t('{0} warnings', warnings));
  return [...(errors > 0 ? [errorCount(errors)] : []), ...(warnings > 0 ? [warningCount] : [])].join(', ');
}

export function errorCount(n: number): string {
  return plural(n, l10n.t('1 error'), l10n.t('{0} errors', n));
}

export function taskCount(n: number): string {
  return plural(n, l10n.t('1 task'), l10n.t('{0} tasks', n));
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' });
}
