import { TaskFileError } from '../tasks/discover.ts';
import type { Range } from '../tasks/range.ts';
import { isTaskFileName } from '../tasks/recognition.ts';
import type { TaskFile } from '../tasks/rows.ts';
import { type BreakpointOptions, type Breakpoints, type CallBreakpoint, isHitCountMet } from './breakpoints.ts';
import { callAt } from './call-locations.ts';
import type { DebugHost } from './host.ts';

/** A breakpoint as the person set it, zero-based. */
export interface RequestedBreakpoint extends BreakpointOptions {
  readonly line: number;
  readonly column: number | null;
}

/** Where it stands by now; null with the reason where it stands nowhere. */
export interface ResolvedBreakpoint {
  readonly id: number;
  readonly range: Range | null;
  readonly message: string;
}

/** Sets all breakpoints of a file on the calls that they mean. */
export async function resolveCallBreakpoints(
  breakpoints: Breakpoints,
  host: DebugHost,
  path: string,
  wishes: readonly RequestedBreakpoint[],
): Promise<readonly ResolvedBreakpoint[]> {
  const file = wishes.length === 0 ? 'There is none.' : await read(host, path);
  const set: CallBreakpoint[] = [];
  const placed = wishes.map(({ line, column, condition, hitCondition, logMessage }): ResolvedBreakpoint => {
    const id = breakpoints.nextId();
    if (typeof file === 'string') return { id, range: null, message: file };
    if (hitCondition !== undefined && isHitCountMet(hitCondition, 1) === null) {
      return { id, range: null, message: 'A hit count is a number (3) or a comparison (>= 3, % 2).' };
    }
    const location = callAt(file, line, column);
    if (location === undefined)
      return { id, range: null, message: 'No setup or evaluate call of a task stands here or below.' };
    set.push({ id, file: path, location, condition, hitCondition, logMessage, hits: 0 });
    return { id, range: location.call.range, message: '' };
  });
  breakpoints.setCalls(path, set);
  return placed;
}

/** The file, or why nothing stands in it: all breakpoints of an editor are told to every debugger. */
async function read(host: DebugHost, path: string): Promise<TaskFile | string> {
  if (!isTaskFileName(path)) return 'This is no task file.';
  try {
    return await host.read(path);
  } catch (error) {
    if (error instanceof TaskFileError) return error.message;
    throw error;
  }
}
