import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { plainLabel } from '../../presentation/plain-text.ts';
import { taskLabel } from '../../tasks/label.ts';
import { Disposable } from '../lifecycle.ts';
import { OFFERED_RUNS } from '../names.ts';
import type { LiveRun } from './live-run.ts';
import type { Runs } from './runs.ts';

/** Offers runs that wait for an external agent to VS Code's own agents, as MCP servers, until they end. */
export class OfferedRuns
  extends Disposable
  implements vscode.McpServerDefinitionProvider<vscode.McpHttpServerDefinition>
{
  readonly #changeEmitter = this.register(new vscode.EventEmitter<void>());
  readonly #runsByUrl = new Map<string, LiveRun>();
  readonly onDidChangeMcpServerDefinitions = this.#changeEmitter.event;

  constructor(runs: Runs) {
    super();
    this.registerAll(
      runs.onDidStart((run) => this.#follow(run)),
      vscode.lm.registerMcpServerDefinitionProvider(OFFERED_RUNS, this),
    );
  }

  provideMcpServerDefinitions(): vscode.McpHttpServerDefinition[] {
    return [...this.#runsByUrl].map(([url, run]) => {
      const label = l10n.t('Task {0}', plainLabel(taskLabel(run.task)));
      return new vscode.McpHttpServerDefinition(label, vscode.Uri.parse(url), {}, run.runId);
    });
  }

  /** Adds the token when an agent uses the server. */
  resolveMcpServerDefinition(server: vscode.McpHttpServerDefinition): vscode.McpHttpServerDefinition | undefined {
    const address = this.#runsByUrl.get(server.uri.toString(true))?.agentAddress;
    if (address == null) return undefined;
    server.headers = { Authorization: `Bearer ${address.token}` };
    return server;
  }

  #follow(run: LiveRun): void {
    const stop = run.onEvent((event) => {
      if (event.type === 'waiting' && event.address !== null) {
        this.#runsByUrl.set(event.address.url, run);
        this.#changeEmitter.fire();
      }
      if (event.type !== 'ended') return;
      stop();
      for (const [url, other] of this.#runsByUrl) if (other === run) this.#runsByUrl.delete(url);
      this.#changeEmitter.fire();
    });
  }
}
