import { resolve } from 'node:path';
import { DebugSession, OutputEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import type { Range } from '../base/range.ts';
import { withoutCodeMarks } from '../results/code-spans.ts';
import { TaskFileError } from '../tasks/discover.ts';
import { TraceError } from '../traces/trace-file.ts';
import { type ActionBreakpoint, Breakpoints, EXCEPTION_FILTERS, readActionName } from './breakpoints.ts';
import { stopsBetween } from './call-locations.ts';
import { DebugError } from './debuggee.ts';
import type { DebugHost } from './host.ts';
import { resolveBreakpoints } from './resolve-breakpoints.ts';

/** The part of a debug session that sets breakpoints and answers requests with results or errors. */
export class BreakpointSession extends DebugSession {
  protected readonly host: DebugHost;
  protected readonly breakpoints = new Breakpoints();

  constructor(host: DebugHost) {
    super();
    this.host = host;
    this.setDebuggerLinesStartAt1(false);
    this.setDebuggerColumnsStartAt1(false);
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    // A client may omit `pathFormat`; the library's default is `uri`.
    if (request.command === 'initialize') request.arguments = { pathFormat: 'path', ...request.arguments };
    super.dispatchRequest(request);
  }

  protected override setBreakPointsRequest(
    response: DebugProtocol.SetBreakpointsResponse,
    args: DebugProtocol.SetBreakpointsArguments,
  ): void {
    void this.answer(response, async () => {
      const path = args.source.path === undefined ? '' : this.convertClientPathToDebugger(args.source.path);
      const requests = (args.breakpoints ?? []).map((breakpoint) => ({
        ...breakpoint,
        line: this.convertClientLineToDebugger(breakpoint.line),
        column: breakpoint.column === undefined ? null : this.convertClientColumnToDebugger(breakpoint.column),
      }));
      const results = await resolveBreakpoints(this.breakpoints, this.host, resolve(path), requests);
      response.body = {
        breakpoints: results.map(({ id, range, message }) =>
          range === null
            ? { id, verified: false, message }
            : { id, verified: true, source: args.source, ...this.clientRange(range) },
        ),
      };
    });
  }

  protected override breakpointLocationsRequest(
    response: DebugProtocol.BreakpointLocationsResponse,
    args: DebugProtocol.BreakpointLocationsArguments | undefined,
  ): void {
    void this.answer(response, async () => {
      response.body = { breakpoints: [] };
      if (args?.source.path === undefined) return;
      const first = this.convertClientLineToDebugger(args.line);
      const last = args.endLine === undefined ? first : this.convertClientLineToDebugger(args.endLine);
      const file = await this.host.read(resolve(this.convertClientPathToDebugger(args.source.path)));
      response.body.breakpoints = stopsBetween(file, first, last).map(({ call }) => this.clientRange(call.range));
    });
  }

  protected override setFunctionBreakPointsRequest(
    response: DebugProtocol.SetFunctionBreakpointsResponse,
    args: DebugProtocol.SetFunctionBreakpointsArguments,
  ): void {
    const bound: ActionBreakpoint[] = [];
    const breakpoints = args.breakpoints.map(({ name, condition, hitCondition }): DebugProtocol.Breakpoint => {
      const action = readActionName(name);
      const id = this.breakpoints.nextId();
      if (action === null)
        return { id, verified: false, message: 'Enter the name of an action (click) or the number of a step (3).' };
      bound.push({ id, action, condition, hitCondition, hits: 0 });
      return { id, verified: true };
    });
    this.breakpoints.actions = bound;
    response.body = { breakpoints };
    this.sendResponse(response);
  }

  protected override setExceptionBreakPointsRequest(
    response: DebugProtocol.SetExceptionBreakpointsResponse,
    { filters, filterOptions }: DebugProtocol.SetExceptionBreakpointsArguments,
  ): void {
    const allFilters = [...filters.map((filterId) => ({ filterId, condition: undefined })), ...(filterOptions ?? [])];
    this.breakpoints.filters = new Map(
      allFilters.flatMap(({ filterId, condition }) => {
        const exceptionFilter = EXCEPTION_FILTERS.find(({ filter }) => filter === filterId);
        return exceptionFilter === undefined ? [] : [[exceptionFilter.filter, condition]];
      }),
    );
    this.sendResponse(response);
  }

  /** Sends the response after `work` has succeeded, or an error response if it rejects. */
  protected async answer<T>(
    response: DebugProtocol.Response,
    work: () => Promise<T>,
    showUser = true,
  ): Promise<T | undefined> {
    try {
      const result = await work();
      this.sendResponse(response);
      return result;
    } catch (error) {
      this.fail(response, error, showUser);
      return undefined;
    }
  }

  protected fail(response: DebugProtocol.Response, error: unknown, showUser = true): void {
    const isUserError = error instanceof DebugError || error instanceof TraceError || error instanceof TaskFileError;
    const text = isUserError ? withoutCodeMarks(error.message) : ((error as Error).stack ?? String(error));
    if (!isUserError) this.sendEvent(new OutputEvent(`${text}\n`, 'stderr'));
    this.sendErrorResponse(response, { id: 1, format: text, showUser });
  }

  /** A range in the client's line and column numbering. */
  protected clientRange({ start, end }: Range): { line: number; column: number; endLine: number; endColumn: number } {
    return {
      line: this.convertDebuggerLineToClient(start.line),
      column: this.convertDebuggerColumnToClient(start.character),
      endLine: this.convertDebuggerLineToClient(end.line),
      endColumn: this.convertDebuggerColumnToClient(end.character),
    };
  }
}
