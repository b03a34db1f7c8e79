import { join } from 'node:path';
import type * as vscode from 'vscode';
import { defined } from '../base/defined.ts';
import { programEnvironment } from '../processes/program-environment.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import { LIMIT_NAMES, LIMITS, type RunLimits } from '../traces/limits.ts';
import { configuredHosts, dockerSettings } from './placement/docker-settings.ts';
import { settings } from './settings.ts';

/** A program to start, with the arguments that come before its own. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The command line `taskwright`, with settings that it reads from its environment: the browser, the pages of MiniWoB++, the
 * limits of containers, and how long jobs stay for `resource`. Throws `ServerError` for an invalid setting.
 */
export function commandLine(extensionFolder: string, resource: vscode.Uri): Program {
  const [browser, miniwob] = [settings.browserPath(), settings.miniwobFolder()];
  const { limits } = dockerSettings(settings.docker);
  const { keepDays, keepBytes } = settings.retention(resource);
  return {
    file: process.execPath,
    args: [join(extensionFolder, 'dist', 'cli.js')],
    env: {
      ...programEnvironment(),
      ...defined({ TASKWRIGHT_BROWSER: browser }),
      TASKWRIGHT_KEEP_DAYS: String(keepDays),
      TASKWRIGHT_KEEP_SIZE: String(keepBytes / 1000 ** 3),
      TASKWRIGHT_DOCKER_LIMITS: JSON.stringify(limits),
      ...defined({ TASKWRIGHT_MINIWOB: miniwob }),
    },
  };
}

/** The options of `run` and `serve` that the settings for files or folders decide. Masking applies to all of them. */
export function optionsOf(resource: vscode.Uri, others: readonly vscode.Uri[] = []): readonly string[] {
  return formatOptions({
    placement: settings.placement(resource),
    ...limitFlags(settings.limits(resource)),
    mask: [resource, ...others].some((one) => settings.maskSensitive(one)),
    // Without a placement, a task may run in Docker.
    ...PLACE_OPTIONS[settings.placement(resource) ?? 'docker'](),
  });
}

/** The options for the location of a placement, from the settings. */
const PLACE_OPTIONS: Readonly<Record<PlacementKind, () => Parameters<typeof formatOptions>[0]>> = {
  local: () => ({}),
  docker: () => ({ hosts: configuredHosts(settings.docker).join(',') || null }),
  swarm: () => ({ lanes: settings.swarmLanes(), registry: settings.swarmRegistry() }),
  kubernetes: () => ({
    lanes: settings.kubernetesLanes(),
    registry: settings.kubernetesRegistry(),
    namespace: settings.kubernetesNamespace(),
  }),
};

/** The limits that both commands have. */
function limitFlags(limits: RunLimits): Parameters<typeof formatOptions>[0] {
  return Object.fromEntries(
    LIMIT_NAMES.flatMap((name) => {
      const [{ flag, unit, served }, value] = [LIMITS[name], limits[name]];
      return served && value !== undefined ? [[flag, unit === 'ms' ? value / 1000 : value]] : [];
    }),
  );
}

/** The options that have a value. */
function formatOptions(
  options: Readonly<Record<string, string | number | boolean | null | undefined>>,
): readonly string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (value === null || value === undefined || value === false) return [];
    return value === true ? [`--${name}`] : [`--${name}`, String(value)];
  });
}
