import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Task } from '../../tasks/task.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import { MAX_SIBLINGS, type TaskSummary } from '../tasks/model.ts';
import { findRow } from '../tasks/reference.ts';
import type { TaskFiles } from '../tasks/task-files.ts';
import { type OwnNode, ownId, rangesOf } from './nodes.ts';

/** Time until what could not be read is read again, in ms: the tree may ask at once. */
const RETRY_MS = 30_000;

/** The own tasks of OpenEnv environments, read from their servers when a node is opened. */
export class OwnTasks {
  readonly #files: Pick<TaskFiles, 'get' | 'read'>;
  readonly #placements: WindowPlacements;
  readonly #read = new Map<string, Promise<readonly OwnNode[]>>();

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
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const reading = this.#readChildren(node, owner);
    this.#read.set(key, reading);
    if ((await reading).some(({ kind }) => kind === 'ownNote')) setTimeout(() => this.#read.delete(key), RETRY_MS);
    return reading;
  }

  async #readChildren(node: TaskSummary | OwnNode, owner: TaskSummary): Promise<readonly OwnNode[]> {
    try {
      if (!('kind' in node)) return await this.#splits(owner);
      if (node.kind === 'split') {
        if (node.count > MAX_SIBLINGS) return rangesOf(node);
        return await this.#tasks(owner, node.split, 0, node.count);
      }
      return node.kind === 'ownRange' ? await this.#tasks(owner, node.split, node.from, node.to) : [];
    } catch (error) {
      return [note(owner, error instanceof Error ? error.message : String(error))];
    }
  }

  async #splits(owner: TaskSummary): Promise<readonly OwnNode[]> {
    if (!vscode.workspace.isTrusted)
      return [note(owner, l10n.t('The environment starts in a trusted workspace only.'))];
    const { readSplits } = await import('../../environments/openenv/task-api.ts');
    const splits = await this.#withServer(owner, readSplits);
    if (splits === null) return [note(owner, l10n.t('The environment has no tasks of its own.'))];
    return splits.map(({ name, count }) => ({ kind: 'split', owner, split: name, count }));
  }

  async #tasks(owner: TaskSummary, split: string, from: number, to: number): Promise<readonly OwnNode[]> {
    const { readOwnTasks } = await import('../../environments/openenv/task-api.ts');
    const tasks = await this.#withServer(owner, (http) => readOwnTasks(http, split, from, to));
    return tasks.map((task, at) => ({ kind: 'ownTask', owner, own: { split, index: from + at, task } }));
  }

  /** Calls `use` with the address of the environment's server, which is started if it must be. */
  async #withServer<T>(owner: TaskSummary, use: (http: string) => Promise<T>): Promise<T> {
    const task = await this.#taskOf(owner);
    const [{ readOpenEnv }, { addressesOf }] = await Promise.all([
      import('../../environments/openenv/spec.ts'),
      import('../../environments/openenv/addresses.ts'),
    ]);
    const spec = readOpenEnv(task.env);
    if ('problems' in spec) throw new Error(spec.problems[0]?.message ?? '');
    if (spec.place.kind === 'url') return await use(addressesOf(spec.place.url).http);
    const placement = await this.#placements.get(spec.place.kind === 'image' ? 'docker' : 'local', false);
    const lease = await placement.open(task, { progress: () => {} });
    try {
      return await use(lease.address ?? '');
    } finally {
      await lease.release();
    }
  }

  async #taskOf(owner: TaskSummary): Promise<Task> {
    const uri = vscode.Uri.file(owner.file);
    // A file that is read counts as changed. The tree would ask again, without end.
    const known = this.#files.get(uri) ?? (await this.#files.read(uri));
    const task = known === undefined ? undefined : findRow(known.file.rows, owner)?.task;
    if (!task) throw new Error(l10n.t('The task “{0}” cannot be read. Fix the errors in its file first.', owner.name));
    return task;
  }
}

function note(owner: TaskSummary, text: string): OwnNode {
  return { kind: 'ownNote', owner, text };
}
