import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { TerminalProgram } from '../../environments/hud/shell.ts';
import { PLACEMENT_DESCRIPTORS } from '../../placement/descriptors.ts';
import type { RunningEnvironment, Usage } from '../../placement/placement.ts';
import {
  contextOf,
  formatMemory,
  formatUsage,
  hostName,
  isAddress,
  uptime,
} from '../../presentation/placement/format.ts';
import { describeLoads, type Load } from '../../presentation/placement/loads.ts';
import { PLACEMENT_VIEWS } from '../../presentation/placement/views.ts';
import { joinTexts, plainLabel } from '../../presentation/plain-text.ts';
import { plural } from '../../presentation/plural.ts';
import { referenceTo } from '../../presentation/tasks/reference.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { Debouncer, Disposable, every } from '../lifecycle.ts';
import { CONTEXT, VIEW } from '../names.ts';
import { showError } from '../notifications.ts';
import type { WindowPlacements } from '../placement/window-placements.ts';
import type { LiveRun } from '../runs/live-run.ts';
import type { Runs } from '../runs/runs.ts';
import type { ServedTasks, Serving } from '../serving/serving.ts';
import { paragraphs } from '../texts.ts';

/**
 * Milliseconds between two measurements while the view is visible. Shorter intervals are a problem: refreshing a row
 * while one of its buttons is pressed loses the click.
 */
const USAGE_MS = 5_000;

/** Milliseconds between two updates of the environment log. */
const LOG_MS = 1_000;

/** A row of the view. Each environment keeps its object, so that VS Code can refresh it alone. */
export interface EnvironmentNode {
  readonly environment: RunningEnvironment;
  usage: Usage | null;
  /** As last rendered. */
  label: string;
}

/** A row with the load of a host, which keeps its object as that of an environment does. */
interface LoadNode {
  load: Load;
}

type Node = EnvironmentNode | LoadNode | ServedTasks;

/**
 * The view of running environments: local servers and containers, with their tasks and resource usage; and of the tasks that
 * this window serves.
 */
export class EnvironmentsView extends Disposable implements vscode.TreeDataProvider<Node> {
  readonly #placements: WindowPlacements;
  readonly #runs: Runs;
  readonly #jobs: Jobs;
  readonly #serving: Serving;
  readonly #view: vscode.TreeView<Node>;
  readonly #changeEmitter = this.register(new vscode.EventEmitter<Node | undefined>());
  #nodes: readonly EnvironmentNode[] = [];
  #loads: readonly LoadNode[] = [];
  #services: readonly ServedTasks[] = [];
  /** The numbers of sessions as last rendered. */
  #sessions = '';
  readonly #list = this.register(new Debouncer(50, () => this.#refresh()));
  readonly #shells = new Map<RunningEnvironment, vscode.Terminal[]>();
  #measuring = false;
  #log: vscode.OutputChannel | undefined;
  /** The source of the shown log. */
  #logSource: Pick<RunningEnvironment, 'logLines'> | undefined;
  #logText = '';

  readonly onDidChangeTreeData = this.#changeEmitter.event;

  constructor(placements: WindowPlacements, runs: Runs, jobs: Jobs, serving: Serving) {
    super();
    this.#placements = placements;
    this.#runs = runs;
    this.#jobs = jobs;
    this.#serving = serving;
    this.#view = this.register(vscode.window.createTreeView(VIEW.environments, { treeDataProvider: this }));
    this.register(this.#view.onDidChangeVisibility(() => this.#list.schedule()));
    for (const event of [runs.onDidStart, runs.onDidProgress, runs.onDidEnd, serving.onDidChange]) {
      this.register(event(() => this.#list.schedule()));
    }
    this.registerAll(
      every(USAGE_MS, () => void this.#measure()),
      every(LOG_MS, () => this.#updateLog()),
    );
  }

  getChildren(node?: Node): Node[] {
    return node === undefined ? [...this.#services, ...this.#loads, ...this.#nodes] : [];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if ('load' in node) return loadItem(node.load);
    return 'server' in node ? servedItem(node, this.#serving.sessions(node)) : this.#environmentItem(node);
  }

  #environmentItem(node: EnvironmentNode): vscode.TreeItem {
    const { environment, usage } = node;
    const { placement, id, startTime, host } = environment;
    const label = labelOf(environment);
    node.label = label;
    // Changing values first: a narrow side bar truncates the rest, which the icon also shows.
    const place = host === undefined ? placement : hostName(host);
    const item = new vscode.TreeItem(label);
    item.id = `${placement} ${id}`;
    item.description = joinTexts([uptime(startTime, Date.now()), formatUsage(usage), place], ' · ');
    item.iconPath = new vscode.ThemeIcon(PLACEMENT_VIEWS[placement].icon);
    item.contextValue = contextOf(environment);
    item.tooltip = tooltip(environment, usage, label);
    const where = [PLACEMENT_VIEWS[placement].label, ...(host === undefined ? [] : [hostName(host)])].join(' ');
    const upFor = uptime(startTime, Date.now());
    item.accessibilityInformation = {
      label: l10n.t('environment {0}, {1}, {2}, up {3}', where, label, formatUsage(usage), upFor),
    };
    return item;
  }

  /** The node that a command was invoked on. */
  environmentOf(argument: unknown): EnvironmentNode | undefined {
    return this.#nodes.find((node) => node === argument);
  }

  /** The runs in an environment. */
  runsIn({ environment }: EnvironmentNode): readonly LiveRun[] {
    return this.#runs.active.filter((run) => environment.tasks.includes(run.startedTask));
  }

  /** Shows the log of an environment or a server, and keeps it up to date. */
  showLog(of: Pick<RunningEnvironment, 'logLines'>): void {
    this.#log ??= this.register(vscode.window.createOutputChannel(l10n.t('Taskwright: Environment')));
    this.#logSource = of;
    this.#logText = '';
    this.#log.clear();
    this.#updateLog();
    this.#log.show(true);
  }

  /** Opens a terminal in the shell that a HUD environment offers, else inside its container. */
  async openShell({ environment }: EnvironmentNode): Promise<void> {
    const { hudAddress, placement } = environment;
    const shell =
      hudAddress === undefined
        ? null
        : await (await import('../../environments/hud/shell.ts')).terminalShell(hudAddress);
    if (shell !== null && 'words' in shell) this.#openProgram(environment, shell);
    else if (PLACEMENT_DESCRIPTORS[placement].isolated) this.#openContainer(environment);
    else showError(shell?.missing ?? l10n.t('This environment offers no shell.'));
  }

  #openProgram(environment: RunningEnvironment, program: TerminalProgram): void {
    const [shellPath = '', ...shellArgs] = program.words;
    const terminal = this.#openTerminal(environment, {
      name: l10n.t('Shell: {0}', labelOf(environment)),
      shellPath,
      shellArgs,
      env: program.variables,
      iconPath: new vscode.ThemeIcon('terminal'),
    });
    const closing = vscode.window.onDidCloseTerminal((other) => {
      if (other !== terminal) return;
      closing.dispose();
      void program.close();
    });
  }

  #openContainer(environment: RunningEnvironment): void {
    const { tasks, host, shellUser, id } = environment;
    const names = tasks.map((task) => plainLabel(referenceTo(task).name)).join(', ');
    this.#openTerminal(environment, {
      name: names === '' ? l10n.t('Container') : l10n.t('Container: {0}', names),
      shellPath: 'docker',
      shellArgs: [
        ...(host === undefined ? [] : [isAddress(host) ? '--host' : '--context', host]),
        ...['exec', '-it'],
        ...(shellUser === null ? [] : ['--user', shellUser]),
        ...[id, 'sh'],
      ],
      iconPath: new vscode.ThemeIcon('package'),
    });
  }

  #openTerminal(environment: RunningEnvironment, options: vscode.TerminalOptions): vscode.Terminal {
    const terminal = vscode.window.createTerminal({ ...options, isTransient: true });
    this.#shells.set(environment, [...(this.#shells.get(environment) ?? []), terminal]);
    terminal.show();
    return terminal;
  }

  /** Stops an environment; its runs are cancelled. */
  async stop(node: EnvironmentNode): Promise<void> {
    const runs = this.runsIn(node);
    // Otherwise each terminal reports its end as a failure.
    for (const shell of this.#shells.get(node.environment) ?? []) shell.dispose();
    for (const run of runs) run.cancel();
    await Promise.all(runs.map((run) => this.#runs.waitForEnd(run)));
    await node.environment.dispose();
    this.#list.schedule();
  }

  /** Stops an environment and starts its runs again. */
  async restart(node: EnvironmentNode): Promise<void> {
    const runs = this.runsIn(node);
    await this.stop(node);
    for (const run of runs) {
      const { agent, seed, runtime: placement } = run;
      await this.#runs.start(referenceTo(run.task), { agent, seed, placement });
    }
  }

  /** Stops all environments of this window, with its jobs, and the servers of its tasks. */
  async stopAll(): Promise<void> {
    // Otherwise they start their next runs.
    this.#jobs.end();
    await Promise.all([this.#runs.end(), this.#serving.end()]);
    this.#list.schedule();
  }

  /** Reads the running environments and refreshes the view if they changed. */
  async #refresh(): Promise<void> {
    const running = await this.#placements.running();
    if (this.isDisposed) return;
    const nodes = new Map(this.#nodes.map((node) => [node.environment, node]));
    for (const environment of this.#shells.keys()) if (!running.includes(environment)) this.#shells.delete(environment);
    const before = this.#nodes;
    this.#nodes = running.map((environment) => nodes.get(environment) ?? { environment, usage: null, label: '' });
    const servedBefore = this.#services;
    this.#services = this.#serving.served;
    const count = running.length + this.#services.length;
    this.#view.description = count === 0 ? '' : String(count);
    void vscode.commands.executeCommand('setContext', CONTEXT.hasEnvironments, count > 0);
    // Refreshing all rows invalidates their buttons for a moment, so it is avoided.
    const hasSameLoads = this.#updateLoads();
    const isUnchanged =
      hasSameLoads &&
      servedBefore === this.#services &&
      before.length === this.#nodes.length &&
      this.#nodes.every((node, at) => node === before[at]);
    if (!isUnchanged) this.#changeEmitter.fire(undefined);
    for (const node of isUnchanged ? this.#nodes : [])
      if (node.label !== labelOf(node.environment)) this.#changeEmitter.fire(node);
    this.#showSessions();
    if (running.length > nodes.size) void this.#measure();
  }

  /** Refreshes the rows of loads that have changed. False if rows came or went, which only a refresh of all shows. */
  #updateLoads(): boolean {
    const nodes = new Map(this.#loads.map((node) => [node.load.id, node]));
    const before = this.#loads;
    const changedNodes: LoadNode[] = [];
    this.#loads = describeLoads(this.#nodes).map((load) => {
      const node = nodes.get(load.id) ?? { load };
      if (node.load.description !== load.description) changedNodes.push(node);
      node.load = load;
      return node;
    });
    const isSame = before.length === this.#loads.length && this.#loads.every((node, at) => node === before[at]);
    for (const node of isSame ? changedNodes : []) this.#changeEmitter.fire(node);
    return isSame;
  }

  /** Refreshes the rows of served tasks if the number of their sessions has changed. */
  #showSessions(): void {
    const sessions = this.#services.map((served) => this.#serving.sessions(served)).join(' ');
    if (sessions === this.#sessions) return;
    this.#sessions = sessions;
    for (const service of this.#services) this.#changeEmitter.fire(service);
  }

  /** Measures the usage of each environment while the view is visible. */
  async #measure(): Promise<void> {
    if (!this.#view.visible || this.#measuring) return;
    this.#measuring = true;
    const nodes = this.#nodes;
    for (const [at, usage] of (await Promise.all(nodes.map(({ environment }) => environment.usage()))).entries()) {
      const node = nodes[at];
      if (node === undefined) continue;
      node.usage = usage;
      if (this.#nodes.includes(node)) this.#changeEmitter.fire(node);
    }
    this.#updateLoads();
    this.#measuring = false;
    // Idle containers start and stop without a run.
    if (nodes.length > 0) this.#list.schedule();
  }

  #updateLog(): void {
    const text = this.#logSource?.logLines.lines.join('\n') ?? '';
    if (text === this.#logText) return;
    const [before, log] = [this.#logText, this.#log];
    this.#logText = text;
    // Replacing the text loses the scroll position, so this happens only if old lines were dropped.
    if (text.startsWith(before)) log?.append(before === '' ? `${text}\n` : `${text.slice(before.length + 1)}\n`);
    else log?.replace(`${text}\n`);
  }
}

function loadItem({ id, label, description, icon }: Load): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = `load ${id}`;
  item.description = description;
  item.iconPath = new vscode.ThemeIcon(icon);
  item.contextValue = 'load';
  item.tooltip = description === '' ? label : `${label}: ${description}`;
  item.accessibilityInformation = { label: l10n.t('load of {0}: {1}', label, description) };
  return item;
}

/** Tasks that are served, with the number of sessions that run one. */
function servedItem({ server, name }: ServedTasks, sessions: number | null): vscode.TreeItem {
  const label = l10n.t('Serving tasks');
  const address = server.url.replace('http://', '');
  const count = sessions === null ? '' : plural(sessions, l10n.t('1 session'), l10n.t('{0} sessions', sessions));
  const item = new vscode.TreeItem(label);
  item.id = `served ${server.pid}`;
  item.description = joinTexts([address, count, plainLabel(name)], ' · ');
  item.iconPath = new vscode.ThemeIcon('broadcast');
  item.contextValue = 'served';
  item.tooltip = paragraphs([
    l10n.t('Serving {0}', plainLabel(name)),
    server.url,
    l10n.t('Process {0} on this machine', server.pid),
    l10n.t('Started at {0}', server.startedAt.toLocaleTimeString()),
  ]);
  const accessibleTexts = [l10n.t('serving {0} at {1}', plainLabel(name), address), count];
  item.accessibilityInformation = { label: joinTexts(accessibleTexts, ', ') };
  return item;
}

/** The names of its tasks. */
function labelOf({ tasks, name }: RunningEnvironment): string {
  if (tasks.length > 0) return tasks.map((task) => plainLabel(referenceTo(task).name)).join(', ');
  return name === undefined ? l10n.t('Ready') : plainLabel(l10n.t('{0} (ready)', name));
}

function tooltip(environment: RunningEnvironment, usage: Usage | null, label: string): vscode.MarkdownString {
  const { placement, id, startTime, host } = environment;
  const { environment: describe } = PLACEMENT_VIEWS[placement];
  const facts = [label, describe(id), l10n.t('Started at {0}', startTime.toLocaleTimeString())];
  if (host !== undefined) {
    const { hasLanes } = PLACEMENT_DESCRIPTORS[placement];
    facts.push(hasLanes ? l10n.t('On the node {0}', host) : l10n.t('On the Docker host {0}', host));
  }
  if (usage === null) return paragraphs(facts);
  const { cpus, memory, memoryLimit } = usage;
  if (cpus !== null) facts.push(l10n.t('CPUs in use: {0}', cpus.toFixed(2)));
  facts.push(
    memoryLimit === null
      ? l10n.t('Memory: {0}', formatMemory(memory))
      : l10n.t('Memory: {0} of {1}', formatMemory(memory), formatMemory(memoryLimit)),
  );
  return paragraphs(facts);
}
