import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { actionDialect } from '../../environments/kinds.ts';
import type { ActionSchema } from '../../language/solutions/object-actions.ts';
import type { EnvironmentSpec, Task } from '../../tasks/task.ts';
import { DisposableStore } from '../lifecycle.ts';
import type { LiveRun } from '../runs/live-run.ts';

const MEMENTO = 'actionSchemas';
/** Environments whose schema is remembered. */
const MOST = 50;
/** Time until a server that did not answer is asked again, in ms. */
const PAUSE = 30_000;

/**
 * JSON Schemas of actions, as environments publish them: told by each run, and asked of servers that run at an address.
 * They are remembered in the workspace, so that editing needs no server.
 */
export class ActionSchemas implements vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #memento: vscode.Memento;
  readonly #log: vscode.LogOutputChannel;
  readonly #learned = this.#disposables.add(new vscode.EventEmitter<void>());
  readonly #known: Map<string, ActionSchema>;
  readonly #asked = new Map<string, number>();
  readonly onDidLearn = this.#learned.event;

  constructor(
    memento: vscode.Memento,
    runs: { readonly onDidStart: vscode.Event<LiveRun> },
    log: vscode.LogOutputChannel,
  ) {
    this.#memento = memento;
    this.#log = log;
    this.#known = new Map(memento.get<readonly (readonly [string, ActionSchema])[]>(MEMENTO, []));
    this.#disposables.add(
      runs.onDidStart((run) => {
        run.onEvent((event) => {
          if (event.type === 'actions') this.#learn(keyOf(run.task), event.schema);
        });
      }),
    );
  }

  /** The schema of a task's actions, if it is known. A server at an address is asked in the background, once in a while. */
  of(task: Task): ActionSchema | undefined {
    if (actionDialect(task.env).dialect !== 'object') return undefined;
    const key = keyOf(task);
    if (vscode.workspace.isTrusted && Date.now() - (this.#asked.get(key) ?? 0) > PAUSE && 'url' in task.env) {
      this.#asked.set(key, Date.now());
      void this.#ask(key, task.env);
    }
    return this.#known.get(key);
  }

  async #ask(key: string, env: EnvironmentSpec): Promise<void> {
    try {
      const { readActionSchema } = await import('../../environments/openenv/action-schema.ts');
      const schema = await readActionSchema(env);
      if (schema !== null) this.#learn(key, schema);
    } catch (error) {
      this.#log.debug(`The schema of actions is not known: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #learn(key: string, schema: ActionSchema): void {
    if (JSON.stringify(this.#known.get(key)) === JSON.stringify(schema)) return;
    this.#known.delete(key);
    this.#known.set(key, schema);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST) break;
      this.#known.delete(oldest);
    }
    void this.#memento.update(MEMENTO, [...this.#known]);
    this.#learned.fire();
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** Tasks in the same environment have the same key. */
function keyOf({ env, file }: Task): string {
  const { url, image, folder } = env;
  return JSON.stringify([url ?? image ?? null, typeof folder === 'string' ? resolve(dirname(file), folder) : null]);
}
