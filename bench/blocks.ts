import type { Profiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';

/** What the process did between two turns of its loop, in µs. */
interface Turn {
  readonly start: number;
  readonly end: number;
  /** Its own work: a busy machine adds none. */
  readonly work: number;
}

/**
 * Measures the longest time for which this process works without a pause.
 * @returns a function that stops the measurement and returns the longest time in ms
 */
export function watchBlocks(): () => number {
  const turns = watchTurns();
  return () => longest(turns(), ({ work }) => work);
}

/** Longest times without a pause, in ms. */
export interface Blocks {
  /** Of the whole process. */
  readonly host: number;
  /** Of the code of one file, with the code that it calls and the garbage collection meanwhile. */
  readonly own: number;
}

/**
 * The same, and how much of it is the work of one program.
 * @param file part of the path of the program
 */
export async function watchBlocksOf(file: string): Promise<() => Promise<Blocks>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_US });
  await session.post('Profiler.start');
  const stopWatching = watchTurns();
  return async () => {
    const turns = stopWatching();
    const { profile } = await session.post('Profiler.stop');
    session.disconnect();
    const own = ownWork(profile, file);
    return {
      host: longest(turns, ({ work }) => work),
      own: longest(turns, (turn) => Math.min(own(turn), turn.work)),
    };
  };
}

const SAMPLE_US = 1000;

function longest(turns: readonly Turn[], work: (turn: Turn) => number): number {
  return turns.reduce((most, turn) => Math.max(most, work(turn)), 0) / 1000;
}

function watchTurns(): () => readonly Turn[] {
  const turns: Turn[] = [];
  let watching = true;
  let start = now();
  let usage = process.cpuUsage();
  const look = (): void => {
    const end = now();
    const { user, system } = process.cpuUsage(usage);
    turns.push({ start, end, work: Math.min(end - start, user + system) });
    start = end;
    usage = process.cpuUsage();
    if (watching) setTimeout(look, 1);
  };
  look();
  return () => {
    watching = false;
    return turns;
  };
}

/** The clock of the profiler. */
function now(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

function ownWork(
  { startTime, nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  file: string,
): (turn: Turn) => number {
  const nodesById = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const runs = (id: number): boolean => {
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
      if (nodesById.get(at)?.callFrame.url.includes(file) === true) return true;
    }
    return false;
  };
  const own = new Set(nodes.map(({ id }) => id).filter(runs));
  const stretches: { from: number; to: number }[] = [];
  let at = startTime + (timeDeltas[0] ?? 0);
  let isOwn = false;
  samples.forEach((id, index) => {
    // A sample stands for the time up to the next one.
    const to = at + (timeDeltas[index + 1] ?? 0);
    const isCollecting = nodesById.get(id)?.callFrame.functionName === '(garbage collector)';
    isOwn = own.has(id) || (isCollecting && isOwn);
    if (isOwn) stretches.push({ from: at, to });
    at = to;
  });
  return ({ start, end }) =>
    stretches.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, end) - Math.max(from, start)), 0);
}
