import { availableParallelism } from 'node:os';
import * as vscode from 'vscode';
import { MAX_TIMEOUT_MS } from '../base/time-limit.ts';
import type { Retention } from '../runs/job/retention.ts';
import type { Seeds } from '../runs/job/seeds.ts';
import { PLACEMENT_KINDS, type PlacementKind } from '../tasks/placement-kind.ts';
import { type RunLimits, readLimits } from '../traces/limits.ts';

const SECTION = 'taskwright';

/** The settings with the defaults that package.json documents. `resource`: workspace folders can have different values. */
export const settings = {
  codeLens: (resource: vscode.Uri): boolean => read('codeLens', true, resource),
  inlineValues: (resource: vscode.Uri): boolean => read('inlineValues', true, resource),
  browserPath: (): string | undefined => read('browser.path', '').trim() || undefined,
  miniwobFolder: (): string | undefined => read('miniwob.folder', '').trim() || undefined,
  /** The names of environment variables that agents get. */
  agentVariables: (): readonly string[] => {
    const value: unknown = vscode.workspace.getConfiguration(SECTION).get('agents.environmentVariables');
    return Array.isArray(value) ? value.filter((name): name is string => typeof name === 'string') : [];
  },
  /** What sets limits to runs: 0 sets none. */
  limits: (resource: vscode.Uri): RunLimits =>
    readLimits(({ setting, unit }) => (unit === 'ms' ? seconds : positive)(read(setting, 0, resource))),
  /** The settings for the runs of a job. All are masked if one of its files requires it. `others`: its other files. */
  plan(resource: vscode.Uri, others: readonly vscode.Uri[] = []): RunLimits & { readonly mask?: boolean } {
    const mask = [resource, ...others].some((file) => this.maskSensitive(file));
    return { ...this.limits(resource), ...(mask && { mask }) };
  },
  maskSensitive: (resource: vscode.Uri): boolean => read('run.maskSensitive', false, resource),
  /** Whether saving tasks or evaluate functions re-scores their recorded runs. */
  rescoreWatch: (): boolean => read('rescore.watch', false),
  setRescoreWatch: (enabled: boolean): Thenable<void> =>
    vscode.workspace.getConfiguration(SECTION).update('rescore.watch', enabled),
  /** Null if each task decides. */
  placement: (resource?: vscode.Uri): PlacementKind | null => {
    const value: unknown = vscode.workspace.getConfiguration(SECTION, resource).get('placement');
    return PLACEMENT_KINDS.find((kind) => kind === value) ?? null;
  },
  setPlacement: (kind: PlacementKind | null, target: vscode.ConfigurationTarget): Thenable<void> =>
    vscode.workspace.getConfiguration(SECTION).update('placement', kind ?? undefined, target),
  /** The unchecked value of a setting below `taskwright.docker`. */
  docker: (key: string): unknown => vscode.workspace.getConfiguration(SECTION).get(`docker.${key}`),
  /** An empty list: the host that Docker itself uses. */
  setDockerHosts: (hosts: readonly string[], target: vscode.ConfigurationTarget): Thenable<void> =>
    vscode.workspace.getConfiguration(SECTION).update('docker.hosts', hosts, target),
  swarmLanes: (): number => Math.max(1, Math.trunc(read('swarm.lanes', 4))),
  /** Null if images are not pushed to a registry. */
  swarmRegistry: (): string | null => read('swarm.registry', '').trim() || null,
  kubernetesLanes: (): number => Math.max(1, Math.trunc(read('kubernetes.lanes', 4))),
  /** Null if there is none. */
  kubernetesRegistry: (): string | null => read('kubernetes.registry', '').trim() || null,
  /** Null: the one of the context of kubectl. */
  kubernetesNamespace: (): string | null => read('kubernetes.namespace', '').trim() || null,
  /** Number of runs of a job that run in parallel. */
  concurrency: (resource: vscode.Uri): number =>
    positive(read('jobs.concurrency', 0, resource)) ?? Math.min(4, availableParallelism()),
  retries: (resource: vscode.Uri): number => Math.max(0, read('jobs.retries', 2, resource)),
  seeds: (resource: vscode.Uri): Seeds => ({
    first: Math.trunc(read('jobs.seed', 0, resource)),
    consecutive: read<string>('jobs.seeds', 'same', resource) === 'consecutive',
  }),
  /** How long finished jobs stay in `.taskwright/jobs`. */
  retention: (resource: vscode.Uri): Retention => ({
    keepDays: Math.max(1, Math.trunc(read('runs.keepDays', 30, resource))),
    keepBytes: (positive(read('runs.keepSize', 5, resource)) ?? 5) * 1000 ** 3,
  }),
};

/** Whether a setting has changed, or one below it. */
export function affects(event: vscode.ConfigurationChangeEvent, key: string): boolean {
  return event.affectsConfiguration(`${SECTION}.${key}`);
}

/** Calls `listener` when a setting changes, or one below it. */
export function onDidChangeSetting(key: string, listener: () => void): vscode.Disposable {
  return vscode.workspace.onDidChangeConfiguration((event) => affects(event, key) && listener());
}

function read<T extends string | number | boolean>(key: string, fallback: T, resource?: vscode.Uri): T {
  const value: unknown = vscode.workspace.getConfiguration(SECTION, resource).get(key);
  return typeof value === typeof fallback ? (value as T) : fallback;
}

function positive(value: number): number | undefined {
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

/** A number of seconds in ms, at most what timers take; undefined if it sets no limit. */
function seconds(value: number): number | undefined {
  const limit = positive(value);
  return limit === undefined ? undefined : Math.min(limit, Math.floor(MAX_TIMEOUT_MS / 1000)) * 1000;
}
