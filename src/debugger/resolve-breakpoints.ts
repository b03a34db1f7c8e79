import type { Range } from '../base/range.ts';
import { describeSystemError } from '../base/system-error.ts';
import { TaskFileError } from '../tasks/discover.ts';
import { isTaskFileName } from '../tasks/recognition.ts';
import type { TaskFile } from '../tasks/rows.ts';
import { ActionFile } from './action-file.ts';
import {
  type BreakpointOptions,
  type Breakpoints,
  type CallBreakpoint,
  isHitCountMet,
  type LineBreakpoint,
} from './breakpoints.ts';
import { stopsAt } from './call-locations.ts';
import type { DebugHost } from './host.ts';

/** A breakpoint as the user set it, zero-based. */
export interface RequestedBreakpoint extends BreakpointOptions {
  readonly line: number;
  readonly column: number | null;
}

/** The range it is bound to; null, with the reason, if it cannot be bound. */
export interface ResolvedBreakpoint {
  readonly id: number;
  readonly range: Range | null;
  readonly message: string;
}

/** Binds all breakpoints of a file: to calls of a task file, or to lines of an `.actions` file. */
export function resolveBreakpoints(
  breakpoints: Breakpoints,
  host: DebugHost,
  path: string,
  requests: readonly RequestedBreakpoint[],
): Promise<readonly ResolvedBreakpoint[]> {
  return path.endsWith('.actions')
    ? resolveLineBreakpoints(breakpoints, path, requests)
    : resolveCallBreakpoints(breakpoints, host, path, requests);
}

async function resolveLineBreakpoints(
  breakpoints: Breakpoints,
  path: string,
  requests: readonly RequestedBreakpoint[],
): Promise<readonly ResolvedBreakpoint[]> {
  const file = await ActionFile.open(path).catch(describeSystemError);
  const bound: LineBreakpoint[] = [];
  const results = requests.map(({ line, column: _, ...options }): ResolvedBreakpoint => {
    const id = breakpoints.nextId();
    if (typeof file === 'string') return { id, range: null, message: file };
    if (isBadHitCount(options)) return { id, range: null, message: BAD_HIT_COUNT };
    const action = file.actionAt(line);
    if (action === undefined) return { id, range: null, message: 'There is no action at or after this line.' };
    bound.push({ id, step: action.step, ...options, hits: 0 });
    return { id, range: action.range, message: '' };
  });
  breakpoints.setLines(path, bound);
  return results;
}

const BAD_HIT_COUNT = 'A hit count is a number (3) or a comparison (>= 3, % 2).';

function isBadHitCount({ hitCondition }: BreakpointOptions): boolean {
  return hitCondition !== undefined && isHitCountMet(hitCondition, 1) === null;
}

async function resolveCallBreakpoints(
  breakpoints: Breakpoints,
  host: DebugHost,
  path: string,
  requests: readonly RequestedBreakpoint[],
): Promise<readonly ResolvedBreakpoint[]> {
  const file = requests.length === 0 ? 'The file has no breakpoints.' : await read(host, path);
  const bound: CallBreakpoint[] = [];
  const results = requests.map(({ line, column, ...options }): ResolvedBreakpoint => {
    const id = breakpoints.nextId();
    if (typeof file === 'string') return { id, range: null, message: file };
    if (isBadHitCount(options)) return { id, range: null, message: BAD_HIT_COUNT };
    const [location, ...others] = stopsAt(file, line, column);
    if (location === undefined)
      return { id, range: null, message: 'There is no setup or evaluate call at or after this line.' };
    for (const one of [location, ...others]) bound.push({ id, file: path, location: one, ...options, hits: 0 });
    return { id, range: location.call.range, message: '' };
  });
  breakpoints.setCalls(path, bound);
  return results;
}

/** The file, or the reason why it cannot have breakpoints: VS Code sends all breakpoints to every debugger. */
async function read(host: DebugHost, path: string): Promise<TaskFile | string> {
  if (!isTaskFileName(path)) return 'This is not a task file.';
  try {
    return await host.read(path);
  } catch (error) {
    if (error instanceof TaskFileError) return error.message;
    throw error;
  }
}
