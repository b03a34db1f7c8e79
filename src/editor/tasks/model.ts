/**
 * The tree of tasks as plain data: folder → file → task. Knows nothing of VS Code; what a node looks like is decided
 * in `tree.ts`.
 */

import type { Range } from '../../tasks/range.ts';
import type { Task } from '../../tasks/task.ts';

export interface Problems {
  readonly errors: number;
  readonly warnings: number;
}

/** One task as the tree shows it. */
export interface TaskSummary {
  readonly file: string;
  readonly index: number;
  readonly name: string;
  /** Where it stands in the file. */
  readonly range: Range;
  readonly prompt: string | null;
  /** `browser`, `qa`, or what an environment that does not run here calls itself. */
  readonly environment: string;
  readonly tags: readonly string[];
  readonly metadata: Task['metadata'];
  readonly problems: Problems;
  /** The row could be read as a task at all. */
  readonly readable: boolean;
}

/** The tasks of a file, each made when it is asked for: there may be a hundred thousand. */
export interface TaskList {
  readonly length: number;
  at(index: number): TaskSummary | undefined;
}

/** One task file as the tree shows it. */
export interface FileSummary {
  /** Absolute path. */
  readonly file: string;
  /** Folders and name below the root, from the outermost. */
  readonly path: readonly string[];
  /** Name of the task set, where it has one. */
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
  /** Unique in the tree and the same for the same folder, so that it stays open through a refresh. */
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

/** Some of the tasks of a file that has too many to show side by side. */
export interface RangeNode {
  readonly kind: 'range';
  readonly id: string;
  /** `1000–1999`: the indexes of its tasks. */
  readonly label: string;
  /** Place of its first task in the file. */
  readonly from: number;
  readonly count: number;
  /** Made when the node is opened. */
  children(): readonly TaskNode[];
}

export interface TaskNode {
  readonly kind: 'task';
  readonly id: string;
  readonly task: TaskSummary;
}

export type Node = FolderNode | FileNode | RangeNode | TaskNode;

/** More tasks than this stand in ranges of as many. */
export const MOST_SIBLINGS = 1000;

/** The tree's top. One root's content stands there itself; several roots each get a folder of their own. */
export function buildTree(roots: readonly Root[]): readonly (FolderNode | FileNode)[] {
  const filled = roots.filter((root) => root.files.length > 0);
  if (roots.length === 1) return filled.flatMap((root) => below(root.path, root.files, 0));
  return filled.map((root) => ({
    kind: 'folder',
    id: `root:${root.path}`,
    label: root.name,
    path: root.path,
    root: true,
    children: below(root.path, root.files, 0),
  }));
}

/** Folders first, each in alphabetical order; a chain of folders that hold nothing else is one node, as in the explorer. */
function below(path: string, files: readonly FileSummary[], depth: number): readonly (FolderNode | FileNode)[] {
  const folders = new Map<string, FileSummary[]>();
  const here: FileNode[] = [];
  for (const file of files) {
    const name = file.path[depth] ?? file.file;
    if (depth >= file.path.length - 1) here.push(fileNode(file, name));
    else folders.set(name, [...(folders.get(name) ?? []), file]);
  }
  const nodes = [...folders].map(([name, inside]): FolderNode => {
    let label = name;
    let level = depth + 1;
    for (;;) {
      const next = inside[0]?.path[level];
      const together = next !== undefined && inside.every((f) => f.path.length > level + 1 && f.path[level] === next);
      if (!together) break;
      label += `/${next}`;
      level += 1;
    }
    const full = `${path}/${label}`;
    return {
      kind: 'folder',
      id: `folder:${full}`,
      label,
      path: full,
      root: false,
      children: below(full, inside, level),
    };
  });
  return [...nodes.sort((a, b) => compare(a.label, b.label)), ...here.sort((a, b) => compare(a.label, b.label))];
}

function fileNode(file: FileSummary, label: string): FileNode {
  const { length } = file.tasks;
  const base = { kind: 'file', id: `file:${file.file}`, label, file } as const;
  if (length <= MOST_SIBLINGS) return { ...base, children: taskNodes(file, 0, length, '') };
  const children: RangeNode[] = [];
  for (let from = 0; from < length; from += MOST_SIBLINGS) {
    const to = Math.min(from + MOST_SIBLINGS, length);
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

/** @param range tells apart tasks that share an id in several ranges */
function taskNodes(file: FileSummary, from: number, to: number, range: string): readonly TaskNode[] {
  const seen = new Map<string, number>();
  const nodes: TaskNode[] = [];
  for (let index = from; index < to; index += 1) {
    const task = file.tasks.at(index);
    if (task === undefined) continue;
    const before = seen.get(task.name) ?? 0;
    seen.set(task.name, before + 1);
    // Several tasks may share an id by mistake; the tree needs them apart.
    nodes.push({ kind: 'task', id: `task:${range}${task.file}#${task.name}${before > 0 ? `#${before}` : ''}`, task });
  }
  return nodes;
}

/** The nodes right below a node. */
export function childrenOf(node: Node): readonly Node[] {
  if (node.kind === 'task') return [];
  return node.kind === 'range' ? node.children() : node.children;
}

/** Every file at a node or below it. */
export function filesBelow(node: Node): readonly FileSummary[] {
  if (node.kind === 'file') return [node.file];
  return node.kind === 'folder' ? node.children.flatMap(filesBelow) : [];
}

/** `2 problems` in words that a description and a screen reader can take; empty where there are none. */
export function problemText(problems: Problems): string {
  const parts: string[] = [];
  if (problems.errors > 0) parts.push(count(problems.errors, 'error'));
  if (problems.warnings > 0) parts.push(count(problems.warnings, 'warning'));
  return parts.join(', ');
}

export function count(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}

function compare(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' });
}
