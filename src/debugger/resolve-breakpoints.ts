import type { Range } from '../base/range.ts';
import { describeSystemError } from '../base/system-error.ts';
import { TaskFileError } from '../tasks/discover.ts';
import { isTaskFileName } from '../tasks/recognition.ts';
import type { TaskFile } from '../tasks/rows.ts';
import { ActionFile } from './action-file.ts';
import {
  type ActiveBreakpoint,
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

/** What a breakpoint on a line binds to: a range, and what it needs beside its options; or why it cannot be bound. */
type Binding<Target> = { readonly range: Range; readonly targets: readonly Target[] } | string;

/** Binds all breakpoints of a file: to calls of a task file, or to lines of an `.actions` file. */
export async function resolveBreakpoints(
  breakpoints: Breakpoints,
  host: DebugHost,
  path: string,
  requests: readonly RequestedBreakpoint[],
): Promise<readonly ResolvedBreakpoint[]> {
  if (path.endsWith('.actions')) {
    const file = await ActionFile.open(path).catch(describeSystemError);
    const { bound, results } = bindEach(breakpoints, requests, ({ line }): Binding<Pick<LineBreakpoint, 'step'>> => {
      if (typeof file === 'string') return file;
      const action = file.actionAt(line);
      return action === undefined
        ? 'There is no action at or after this line.'
        : { range: action.range, targets: [{ step: action.step }] };
    });
    breakpoints.setLines(path, bound);
    return results;
  }
  const file = requests.length === 0 ? 'The file has no breakpoints.' : await read(host, path);
  const { bound, results } = bindEach(
    breakpoints,
    requests,
    ({ line, column }): Binding<Pick<CallBreakpoint, 'file' | 'location'>> => {
      if (typeof file === 'string') return file;
      const locations = stopsAt(file, line, column);
      return locations[0] === undefined
        ? 'There is no setup or evaluate call at or after this line.'
        : { range: locations[0].call.range, targets: locations.map((location) => ({ file: path, location })) };
    },
  );
  breakpoints.setCalls(path, bound);
  return results;
}

function bindEach<Target>(
  breakpoints: Breakpoints,
  requests: readonly RequestedBreakpoint[],
  bind: (request: RequestedBreakpoint) => Binding<Target>,
) {
  const bound: (Target & ActiveBreakpoint)[] = [];
  const results = requests.map((request): ResolvedBreakpoint => {
    const { line: _, column: __, ...options } = request;
    const id = breakpoints.nextId();
    const isBadHitCount = options.hitCondition !== undefined && isHitCountMet(options.hitCondition, 1) === null;
    const binding = bind(request);
    if (typeof binding === 'string') return { id, range: null, message: binding };
    if (isBadHitCount) {
      return { id, range: null, message: 'A hit count is a number (3) or a comparison (>= 3, % 2).' };
    }
    bound.push(...binding.targets.map((target) => ({ id, ...target, ...options, hits: 0 })));
    return { id, range: binding.range, message: '' };
  });
  return { bound, results };
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
