import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './places.ts';

/** Clock ticks in a second, in which Linux reports processor time to programs. */
const TICKS = 100;

/** One line of `/proc/PID/stat`. Times are seconds of processor time. */
export interface ProcessLine {
  readonly pid: number;
  readonly parent: number;
  readonly name: string;
  /** Of the process itself. */
  readonly own: number;
  /** Of its ended descendants. */
  readonly children: number;
}

/** Reads a line of `/proc/PID/stat`. The name is in parentheses and may contain spaces and parentheses. */
export function parseProcessLine(line: string): ProcessLine {
  const nameStart = line.indexOf('(');
  const nameEnd = line.lastIndexOf(')');
  const fields = line.slice(nameEnd + 2).split(' ');
  const seconds = (field: number): number => Number(fields[field]) / TICKS;
  return {
    pid: Number(line.slice(0, nameStart)),
    parent: Number(fields[1]),
    name: line.slice(nameStart + 1, nameEnd),
    own: seconds(11) + seconds(12),
    children: seconds(13) + seconds(14),
  };
}

/** The processes of this system. Empty where there is no `/proc`. */
export function readProcesses(): readonly ProcessLine[] {
  const lines: ProcessLine[] = [];
  for (const pid of pids()) {
    try {
      lines.push(parseProcessLine(readFileSync(join('/proc', pid, 'stat'), 'utf8')));
    } catch {
      // The process has ended.
    }
  }
  return lines;
}

function pids(): readonly string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

/** The processor time of a run so far, in seconds. */
export interface Spent {
  /** Of the process and all its descendants, ended or not. */
  readonly tree: number;
  /** Of Docker's daemons and containers, unless the process started them. */
  readonly docker: number;
  /** Of ended processes that outlived their parents, whose time the ancestors of the process inherit. */
  readonly inherited: number;
}

/** The processor time of a run, and the seconds of a unit on this machine. */
export interface RunTime extends Spent {
  readonly unit: number;
}

const DOCKER = /^(dockerd|containerd|containerd-shim.*|docker-proxy)$/;

/** The processor time of the process `pid` and all that belongs to it, from a snapshot of all processes. */
export function spentBy(pid: number, processes: readonly ProcessLine[]): Spent {
  const byPid = new Map(processes.map((line) => [line.pid, line]));
  const children = new Map<number, ProcessLine[]>();
  for (const line of processes) children.set(line.parent, [...(children.get(line.parent) ?? []), line]);
  const treeOf = (top: readonly ProcessLine[]): Set<ProcessLine> => {
    const tree = new Set(top);
    for (const line of tree) for (const child of children.get(line.pid) ?? []) tree.add(child);
    return tree;
  };
  const sum = (lines: Iterable<ProcessLine>): number =>
    [...lines].reduce((seconds, { own, children: ended }) => seconds + own + ended, 0);
  const run = byPid.get(pid);
  const tree = run === undefined ? new Set<ProcessLine>() : treeOf([run]);
  const docker = treeOf(processes.filter((line) => DOCKER.test(line.name) && !tree.has(line)));
  let inherited = 0;
  for (let line = run && byPid.get(run.parent); line !== undefined; line = byPid.get(line.parent))
    inherited += line.children;
  return { tree: sum(tree), docker: sum(docker), inherited };
}

/** Measures the processor time of a run from its first process. */
export class ProcessorTime {
  readonly #pid: number;
  readonly #before: Spent;
  readonly #samples: number[] = [];

  /** @param pid the first process of the run, all of whose time counts; other programs count from now on */
  constructor(pid: number) {
    this.#pid = pid;
    this.#before = spentBy(pid, readProcesses());
  }

  /** Runs the calibration program once. The unit is the mean of all samples, as machines change their pace during a run. */
  async sample(): Promise<void> {
    const seconds = await calibrate();
    if (seconds !== null) this.#samples.push(seconds);
  }

  /** Null where processor time or the unit cannot be measured. */
  read(): RunTime | null {
    const now = spentBy(this.#pid, readProcesses());
    if (now.tree === 0 || this.#samples.length === 0) return null;
    const sample = this.#samples.reduce((sum, value) => sum + value, 0) / this.#samples.length;
    return {
      tree: now.tree,
      docker: now.docker - this.#before.docker,
      inherited: now.inherited - this.#before.inherited,
      unit: sample * UNIT_SAMPLES,
    };
  }
}

/**
 * How many times a unit is what `bench/calibrate.ts` takes. Set once, so that a unit was what the unit tests took on
 * 2026-11-28.
 */
const UNIT_SAMPLES = 140;

/** The budget of all of `npm test`, in units. */
export const BUDGET = 27;

/** Seconds of processor time that the calibration program takes. Null if it fails. */
function calibrate(): Promise<number | null> {
  return new Promise((resolve) => {
    const program = join(root, 'bench', 'calibrate.ts');
    const child = spawn(process.execPath, ['--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (data: string) => {
      output += data;
    });
    child.on('error', () => resolve(null));
    child.on('close', (code) => resolve(code === 0 ? (JSON.parse(output) as { seconds: number }).seconds : null));
  });
}

/** The total processor time of a run, in seconds. */
export function totalOf({ tree, docker, inherited }: Spent): number {
  return tree + docker + inherited;
}

/** `processor time: 2,150 s = 24.4 units (budget 27)`, with the excess over the budget. */
export function describeProcessorTime(time: RunTime): string {
  const seconds = totalOf(time);
  const units = seconds / time.unit;
  const total = `${Math.round(seconds).toLocaleString('en-US')} s = ${units.toFixed(1)} units (budget ${BUDGET})`;
  const over = units > BUDGET ? `, over the budget by ${(units - BUDGET).toFixed(1)} units` : '';
  return `processor time: ${total}${over}`;
}

/** The processor time of this process and its ended children so far, in seconds. */
export function spentHere(): number {
  const { user, system } = process.cpuUsage();
  const here = readProcesses().find(({ pid }) => pid === process.pid);
  return (user + system) / 1e6 + (here?.children ?? 0);
}
