import * as vscode from 'vscode';
import type { RunningEnvironment, Usage } from '../../placement/placement.ts';
import { Debouncer, DisposableStore } from '../lifecycle.ts';
import { CONTEXT, VIEW } from '../names.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import { referenceTo } from '../tasks/reference.ts';
import { formatMemory, formatUsage, placementLabel, uptime } from './format.ts';
import type { WindowPlacements } from './window-placements.ts';

/**
 * How often what runs is asked what it uses, while the view can be seen, in milliseconds. Not oftener: a line that is
 * drawn anew while a button of it is held down loses the press.
 */
const USAGE_MS = 5_000;

/** How often what an environment has said is shown, in milliseconds. */
const WORDS_MS = 1_000;

/** One line of the view. The same object for the same environment, so that VS Code can redraw it alone. */
export interface EnvironmentNode {
  readonly environment: RunningEnvironment;
  usage: Usage | null;
  /** As it was last drawn. */
  label: string;
}

/** The view of what runs: local servers and containers, with the task in each and what it uses. */
export class EnvironmentsView implements vscode.TreeDataProvider<EnvironmentNode>, vscode.Disposable {
  readonly #disposables = new DisposableStore();
  readonly #placements: WindowPlacements;
  readonly #runs: Runs;
  readonly #view: vscode.TreeView<EnvironmentNode>;
  readonly #changed = this.#disposables.add(new vscode.EventEmitter<EnvironmentNode | undefined>());
  #nodes: readonly EnvironmentNode[] = [];
  readonly #list = this.#disposables.add(new Debouncer(50, () => this.#look()));
  readonly #shells = new Map<RunningEnvironment, vscode.Terminal[]>();
  #measuring = false;
  #log: vscode.OutputChannel | undefined;
  /** Whose words the log shows. */
  #told: RunningEnvironment | undefined;
  #words = '';

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(placements: WindowPlacements, runs: Runs) {
    this.#placements = placements;
    this.#runs = runs;
    this.#view = this.#disposables.add(vscode.window.createTreeView(VIEW.environments, { treeDataProvider: this }));
    this.#disposables.add(this.#view.onDidChangeVisibility(() => this.#list.schedule()));
    for (const event of [runs.onDidStart, runs.onDidProgress, runs.onDidEnd]) {
      this.#disposables.add(event(() => this.#list.schedule()));
    }
    for (const timer of [
      setInterval(() => void this.#measure(), USAGE_MS),
      setInterval(() => this.#tellWords(), WORDS_MS),
    ]) {
      this.#disposables.add({ dispose: () => clearInterval(timer) });
    }
  }

  getChildren(node?: EnvironmentNode): EnvironmentNode[] {
    return node === undefined ? [...this.#nodes] : [];
  }

  getTreeItem(node: EnvironmentNode): vscode.TreeItem {
    const { environment, usage } = node;
    const { placement, tasks, id, started } = environment;
    const label = labelOf(environment);
    node.label = label;
    // What changes first: a narrow side bar cuts off the rest, which the icon tells too.
    const parts = [uptime(started, Date.now()), formatUsage(usage), placement].filter((part) => part !== '');
    const item = new vscode.TreeItem(label);
    item.id = `${placement} ${id}`;
    item.description = parts.join(' · ');
    item.iconPath = new vscode.ThemeIcon(placement === 'docker' ? 'package' : 'vm');
    item.contextValue = `environment ${placement} ${tasks.length > 0 ? 'busy' : 'ready'}`;
    item.tooltip = tooltip(environment, usage, label);
    item.accessibilityInformation = {
      label: `environment ${placementLabel(placement)}, ${label}, ${formatUsage(usage)}, up ${uptime(started, Date.now())}`,
    };
    return item;
  }

  /** The runs that go on in an environment. */
  runsIn({ environment }: EnvironmentNode): readonly LiveRun[] {
    return this.#runs.active.filter((run) => environment.tasks.includes(run.task));
  }

  /** Shows what an environment has said, and goes on showing what it says. */
  showLog({ environment }: EnvironmentNode): void {
    this.#log ??= this.#disposables.add(vscode.window.createOutputChannel('Taskwright: Environment'));
    this.#told = environment;
    this.#words = '';
    this.#log.clear();
    this.#tellWords();
    this.#log.show(true);
  }

  /** A terminal inside a container. */
  openShell({ environment }: EnvironmentNode): void {
    const names = environment.tasks.map((task) => referenceTo(task).name).join(', ');
    const terminal = vscode.window.createTerminal({
      name: names === '' ? 'Container' : `Container of ${names}`,
      shellPath: 'docker',
      shellArgs: [
        ...['exec', '-it'],
        ...(environment.shellUser === null ? [] : ['--user', environment.shellUser]),
        ...[environment.id, 'sh'],
      ],
      iconPath: new vscode.ThemeIcon('package'),
      isTransient: true,
    });
    this.#shells.set(environment, [...(this.#shells.get(environment) ?? []), terminal]);
    terminal.show();
  }

  /** Ends an environment; the runs in it end as cancelled. */
  async stop(node: EnvironmentNode): Promise<void> {
    const runs = this.runsIn(node);
    // Else each tells of its end as of a failure.
    for (const shell of this.#shells.get(node.environment) ?? []) shell.dispose();
    for (const run of runs) run.cancel();
    await Promise.all(runs.map((run) => this.#runs.ended(run)));
    await node.environment.dispose();
    this.#list.schedule();
  }

  /** Ends an environment and starts the runs in it anew. */
  async restart(node: EnvironmentNode): Promise<void> {
    const runs = this.runsIn(node);
    await this.stop(node);
    for (const run of runs) {
      await this.#runs.start(referenceTo(run.task), { agent: run.agent, placement: run.runtime });
    }
  }

  /** Ends everything that runs in this window. */
  async stopAll(): Promise<void> {
    await this.#runs.end();
    this.#list.schedule();
  }

  /** Looks what runs, and draws it where that has changed. */
  async #look(): Promise<void> {
    const running = await this.#placements.running();
    if (this.#disposables.disposed) return;
    const known = new Map(this.#nodes.map((node) => [node.environment, node]));
    for (const gone of this.#shells.keys()) if (!running.includes(gone)) this.#shells.delete(gone);
    const before = this.#nodes;
    this.#nodes = running.map((environment) => known.get(environment) ?? { environment, usage: null, label: '' });
    this.#view.description = running.length === 0 ? '' : String(running.length);
    void vscode.commands.executeCommand('setContext', CONTEXT.hasEnvironments, running.length > 0);
    // While all lines are drawn, VS Code does not know which is which: a button that is pressed then does nothing.
    const same = before.length === this.#nodes.length && this.#nodes.every((node, at) => node === before[at]);
    if (!same) this.#changed.fire(undefined);
    for (const node of same ? this.#nodes : []) if (node.label !== labelOf(node.environment)) this.#changed.fire(node);
    if (running.length > known.size) void this.#measure();
  }

  /** Asks each what it uses, while somebody sees it. */
  async #measure(): Promise<void> {
    if (!this.#view.visible || this.#measuring) return;
    this.#measuring = true;
    const nodes = this.#nodes;
    for (const [at, usage] of (await Promise.all(nodes.map(({ environment }) => environment.usage()))).entries()) {
      const node = nodes[at];
      if (node === undefined) continue;
      node.usage = usage;
      if (this.#nodes.includes(node)) this.#changed.fire(node);
    }
    this.#measuring = false;
    // A container that is kept ready comes and goes without a run of ours.
    if (nodes.length > 0) this.#list.schedule();
  }

  #tellWords(): void {
    const words = this.#told?.logLines.join('\n') ?? '';
    if (words === this.#words) return;
    const [before, log] = [this.#words, this.#log];
    this.#words = words;
    // Replaced only where old lines have gone: the place where somebody reads stays.
    if (words.startsWith(before)) log?.append(before === '' ? `${words}\n` : `${words.slice(before.length + 1)}\n`);
    else log?.replace(`${words}\n`);
  }

  dispose(): void {
    this.#disposables.dispose();
  }
}

/** The tasks in it. */
function labelOf({ tasks }: RunningEnvironment): string {
  return tasks.length > 0 ? tasks.map((task) => referenceTo(task).name).join(', ') : 'Ready';
}

function tooltip(environment: RunningEnvironment, usage: Usage | null, label: string): vscode.MarkdownString {
  const { placement, id, started } = environment;
  const text = new vscode.MarkdownString();
  text.appendText(label);
  const facts = [
    placement === 'docker' ? `Container ${id.slice(0, 12)}` : `Process ${id} of this machine`,
    `Since ${started.toLocaleTimeString()}`,
  ];
  if (usage !== null && usage.cpus !== null) facts.push(`Processors in use: ${usage.cpus.toFixed(2)}`);
  if (usage !== null) {
    const limit = usage.memoryLimit === null ? '' : ` of ${formatMemory(usage.memoryLimit)}`;
    facts.push(`Memory: ${formatMemory(usage.memory)}${limit}`);
  }
  for (const fact of facts) text.appendMarkdown('\n\n').appendText(fact);
  return text;
}
