import type { RunningEnvironment, Usage } from '../../placement/placement.ts';

/** `37 % · 412 MB`, without unknown values. */
export function formatUsage(usage: Usage | null): string {
  if (usage === null) return '';
  const parts = usage.cpus === null ? [] : [`${Math.round(usage.cpus * 100)} %`];
  return [...parts, formatMemory(usage.memory)].join(' · ');
}

/** `412 MB`, `1.2 GB`. */
export function formatMemory(bytes: number): string {
  const megabytes = bytes / 1024 / 1024;
  return megabytes < 1000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1024).toFixed(1)} GB`;
}

/** `0:07`, `12:03`, `1:02:03`. */
export function uptime(since: Date, now: number): string {
  const seconds = Math.max(0, Math.floor((now - since.getTime()) / 1000));
  const two = (value: number): string => String(value).padStart(2, '0');
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

/** Whether the name of a Docker host is an address, and not a context. */
export function isAddress(host: string): boolean {
  return host.includes(':');
}

/** `build-1` of `ssh://user@build-1`. A context keeps its name. */
export function hostName(host: string): string {
  const address = host.includes('://') ? host : `tcp://${host}`;
  if (!isAddress(host) || !URL.canParse(address)) return host;
  const { host: machine, pathname } = new URL(address);
  return machine === '' ? pathname : machine;
}

/**
 * What the menu of the view knows of an environment: `environment docker busy`. With `hud` it may offer a shell, which opens
 * with ssh, but not on Windows.
 */
export function contextOf(
  { placement, hudAddress, tasks }: Pick<RunningEnvironment, 'placement' | 'hudAddress' | 'tasks'>,
  platform: NodeJS.Platform = process.platform,
): string {
  const shell = hudAddress === undefined || platform === 'win32' ? [] : ['hud'];
  return ['environment', placement, ...shell, tasks.length > 0 ? 'busy' : 'ready'].join(' ');
}
