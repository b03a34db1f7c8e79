import { readdirSync, readFileSync } from 'node:fs';

export interface RunningProcess {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
  readonly environment: string;
}

/** Every process of this machine that can be looked at (Linux). */
export function processes(): RunningProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        // It has ended, only nobody has asked for its exit code yet.
        if (state === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8');
        return [{ pid: Number(name), parent: Number(parent), command, environment }];
      } catch {
        return []; // It ended while we looked.
      }
    });
}

/** The environment server that was started from a folder, and everything that carries its mark. */
export function startedFrom(folder: string): RunningProcess[] {
  const all = processes();
  const servers = all.filter(({ command }) => command.includes(folder) && command.includes('server.js'));
  const marks = new Set(servers.flatMap((server) => /TASKWRIGHT_OWNER=[^\0]*/.exec(server.environment)?.[0] ?? []));
  return all.filter(({ environment }) => [...marks].some((mark) => environment.includes(mark)));
}
