import { dirname, resolve } from 'node:path';
import * as vscode from 'vscode';
import { takesObjects } from '../../actions/normal.ts';
import { actionDialect, kindOfType } from '../../environments/kinds.ts';
import type { ActionSchema } from '../../language/solutions/object-actions.ts';
import type { EnvironmentSpec, Task } from '../../tasks/task.ts';
import { Disposable } from '../lifecycle.ts';
import type { LiveRun } from '../runs/live-run.ts';
import { WorkspaceMemory } from '../workspace-memory.ts';

/** Time between two requests to the same server, in ms. */
const RETRY_DELAY = 30_000;

/**
 * JSON Schemas of actions, as environments publish them: reported by each run, and requested from servers with an address.
 * They are stored for the workspace, so that editing needs no server.
 */
export class ActionSchemas extends Disposable {
  readonly #log: vscode.LogOutputChannel;
  readonly #learnEmitter = this.register(new vscode.EventEmitter<void>());
  readonly #schemas: WorkspaceMemory<ActionSchema>;
  readonly #lastRequests = new Map<string, number>();
  readonly onDidLearn = this.#learnEmitter.event;

  constructor(
    memento: vscode.Memento,
    runs: { readonly onDidStart: vscode.Event<LiveRun> },
    log: vscode.LogOutputChannel,
  ) {
    super();
    this.#log = log;
    this.#schemas = new WorkspaceMemory(memento, 'actionSchemas');
    this.register(
      runs.onDidStart((run) => {
        run.onEvent((event) => {
          if (event.type === 'actions') this.#learn(keyOf(run.task), event.schema);
        });
      }),
    );
  }

  /** The schema of a task's actions, if it is known. A server with an address is requested in the background. */
  of(task: Task): ActionSchema | undefined {
    if (!takesObjects(actionDialect(task.env))) return undefined;
    const key = keyOf(task);
    if (
      vscode.workspace.isTrusted &&
      Date.now() - (this.#lastRequests.get(key) ?? 0) > RETRY_DELAY &&
      'url' in task.env
    ) {
      this.#lastRequests.set(key, Date.now());
      void this.#request(key, task.env);
    }
    return this.#schemas.get(key);
  }

  async #request(key: string, env: EnvironmentSpec): Promise<void> {
    try {
      const { readActionSchema } = await import('../../environments/openenv/action-schema.ts');
      const schema = await readActionSchema(env);
      if (schema !== null) this.#learn(key, schema);
    } catch (error) {
      this.#log.debug(`The schema of actions is not known: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  #learn(key: string, schema: ActionSchema): void {
    if (this.#schemas.set(key, schema)) this.#learnEmitter.fire();
  }
}

/** Tasks in the same environment have the same key. */
function keyOf({ env, file }: Task): string {
  const identity = kindOfType(env)?.identity?.(env);
  // A program belongs to its folder.
  if (identity !== undefined) return JSON.stringify([dirname(file), identity]);
  const { url, image, folder } = env;
  return JSON.stringify([url ?? image ?? null, typeof folder === 'string' ? resolve(dirname(file), folder) : null]);
}
