import { readFileSync } from 'node:fs';

/** What `/proc/PID/stat` says about a process (proc(5)). */
export interface ProcessStat {
  /** `Z` or `X`: it has ended. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  /** When it started, in clock ticks since the machine started. */
  readonly startTime: string;
}

/** Parses the text of `/proc/PID/stat`. A thread without modules has it as text, so it uses nothing but its argument. */
export function parseStat(text: string): ProcessStat {
  // The name, in parentheses, can contain anything. The state is field 3, the start time field 22.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    startTime: fields[19] ?? '',
  };
}

/** Reads `/proc/PID/stat`; null if the process does not exist, or where there is no /proc. */
export function readStat(pid: number): ProcessStat | null {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    // The process has ended.
    return null;
  }
}
