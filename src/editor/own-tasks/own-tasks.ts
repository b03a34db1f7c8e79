import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { MAX_SIBLINGS, type TaskSummary } from '../../presentation/tasks/model.ts';
import { findRow, type TaskReference, taskKey } from '../../presentation/tasks/reference.ts';
import { withoutCodeMarks } from '../../results/code-spans.ts';
import type { OwnTasks as FoundTasks } from '../../runs/selection/own-tasks.ts';
import type { Task } from '../../tasks/task.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { unreadableTask } from '../tasks/read-task.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { type OwnNode, ownId, rangesOf } from './nodes.ts';

/** Milliseconds until a failed read is repeated: the tree may request children again immediately. */
const RETRY_MS = 30_000;

/** The own tasks of OpenEnv environments, read from their servers when a node is opened. */
export class OwnTasks {
  readonly #files: Pick<TaskFiles, 'get' | 'read'>;
  readonly #placements: WindowPlacements;
  readonly #read = new Map<string, Promise<readonly OwnNode[]>>();
  /** The tasks below which own tasks were shown, by the keys of the own tasks. */
  readonly #owners = new Map<string, TaskSummary>();

  constructor(files: Pick<TaskFiles, 'get' | 'read'>, placements: WindowPlacements) {
    this.#files = files;
    this.#placements = placements;
  }

  /**
   * The nodes below a task or below one of its nodes. Never rejects: what went wrong is a node. What was read stays, because
   * the tree requests children at each change, and commands recognize a node by its identity.
   */
  async children(node: TaskSummary | OwnNode): Promise<readonly OwnNode[]> {
    const owner = 'kind' in node ? node.owner : node;
    // `#readChildren` reports a task that cannot be read.
    const { env } = (await this.#taskOf(owner).catch(() => null)) ?? {};
    const key = JSON.stringify(['kind' in node ? ownId(node) : `${owner.file}#${owner.name}`, env]);
    const cachedChildren = this.#read.get(key);
    if (cachedChildren !== undefined) return cachedChildren;
    const reading = this.#readChildren(node, owner);
    this.#read.set(key, reading);
    if ((await reading).some(({ kind }) => kind === 'ownNote')) setTimeout(() => this.#read.delete(key), RETRY_MS);
    return reading;
  }

  /**
   * The own task with the name of a reference, such as `words/train/12`, of an environment in the file of the reference. It
   * is requested from the server, which is started if necessary. The workspace must be trusted.
   */
  async find(reference: TaskReference): Promise<FoundTasks> {
    const knownFile = await this.#files.read(vscode.Uri.file(reference.file));
    if (knownFile === undefined) return { tasks: [], notes: [] };
    const { file, userFunctions } = knownFile;
    const owner = this.#owners.get(taskKey(reference));
    const ownerRow = owner && findRow(file.rows, owner);
    const { findOwnTasks } = await import('../../runs/selection/own-tasks.ts');
    return await findOwnTasks(
      reference.name,
      (ownerRow === undefined ? file.rows : [ownerRow]).map((row) => ({ file, row, userFunctions })),
      (task, use) => this.#withServer(task, use),
    );
  }

  async #readChildren(node: TaskSummary | OwnNode, owner: TaskSummary): Promise<readonly OwnNode[]> {
    try {
      if (!('kind' in node)) return await this.#splits(owner);
      if (node.kind === 'split') {
        if (node.count > MAX_SIBLINGS) return rangesOf(node);
        return await this.#tasks(node, 0, node.count);
      }
      return node.kind === 'ownRange' ? await this.#tasks(node, node.from, node.to) : [];
    } catch (error) {
      return [note(owner, withoutCodeMarks(error instanceof Error ? error.message : String(error)))];
    }
  }

  async #splits(owner: TaskSummary): Promise<readonly OwnNode[]> {
    if (!vscode.workspace.isTrusted)
      return [note(owner, l10n.t('The environment starts in a trusted workspace only.'))];
    const { readEnvironmentName, readSplits } = await import('../../environments/openenv/task-api.ts');
    const [environment, splits] = await this.#withServer(await this.#taskOf(owner), (http) =>
      Promise.all([readEnvironmentName(http), readSplits(http)]),
    );
    if (environment === null || splits === null)
      return [note(owner, l10n.t('The environment has no tasks of its own.'))];
    return splits.map(({ name, count }) => ({ kind: 'split', owner, environment, split: name, count }));
  }

  async #tasks(
    { owner, environment, split }: Extract<OwnNode, { kind: 'split' | 'ownRange' }>,
    from: number,
    to: number,
  ): Promise<readonly OwnNode[]> {
    const [{ readOwnTasks }, { ownTaskAddress }] = await Promise.all([
      import('../../environments/openenv/task-api.ts'),
      import('../../language/actions/own-task.ts'),
    ]);
    const tasks = await this.#withServer(await this.#taskOf(owner), (http) => readOwnTasks(http, split, from, to));
    return tasks.map((description, at) => {
      const own = { split, index: from + at, task: description };
      const task = { file: owner.file, index: 0, name: ownTaskAddress(environment, own) };
      this.#owners.set(taskKey(task), owner);
      return { kind: 'ownTask', owner, own, task };
    });
  }

  /** Calls `use` with the address of the environment's server, which is started if it must be. */
  async #withServer<T>(task: Task, use: (http: string) => Promise<T>): Promise<T> {
    const { serversOf } = await import('../../runs/selection/own-tasks.ts');
    const placements = this.#placements.use();
    try {
      return await serversOf((kind) => placements.get(kind))(task, use);
    } finally {
      placements.dispose();
    }
  }

  async #taskOf(owner: TaskSummary): Promise<Task> {
    const uri = vscode.Uri.file(owner.file);
    // Reading a file reports a change, so that the tree would request its children endlessly.
    const knownFile = this.#files.get(uri) ?? (await this.#files.read(uri));
    const task = knownFile === undefined ? undefined : findRow(knownFile.file.rows, owner)?.task;
    if (!task) throw new Error(unreadableTask(owner.name));
    return task;
  }
}

function note(owner: TaskSummary, text: string): OwnNode {
  return { kind: 'ownNote', owner, text };
}
