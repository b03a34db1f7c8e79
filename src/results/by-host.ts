import { getOrCreate } from '../base/get-or-create.ts';

/** What one of several hosts has made of a job. */
export interface HostProgress {
  /** As the user named it. */
  readonly host: string;
  readonly running: number;
  readonly ended: number;
}

/** The progress on each host by name. Runs without a host do not count, so it is empty for a job in one place. */
export function progressByHost(
  runs: Iterable<{ readonly host?: string | null | undefined; readonly running: boolean }>,
): readonly HostProgress[] {
  const hosts = new Map<string, { running: number; ended: number }>();
  for (const { host, running } of runs) {
    if (host === undefined || host === null) continue;
    const counts = getOrCreate(hosts, host, () => ({ running: 0, ended: 0 }));
    counts[running ? 'running' : 'ended'] += 1;
  }
  return [...hosts].sort(([one], [other]) => one.localeCompare(other)).map(([host, counts]) => ({ host, ...counts }));
}
