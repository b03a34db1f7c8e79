import { basename } from 'node:path';
import { InvalidatedEvent } from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { BreakpointSession } from './breakpoint-session.ts';
import { completionsAt } from './completions.ts';
import { DebugError, type Debuggee, type Stop } from './debuggee.ts';
import type { Launch } from './launch.ts';
import { framesAt } from './stack.ts';
import { pageVariables, scopesOf } from './stopped-state.ts';
import { Variables } from './variables.ts';

/** A run has one thread. */
export const THREAD = 1;

/** The part of a debug session that shows a stopped run: stack, variables, expressions, and the reason for the stop. */
export abstract class StateSession extends BreakpointSession {
  protected readonly variables = new Variables();
  protected launch: Launch | null = null;
  protected debuggee: Debuggee | null = null;
  protected currentStop: Stop | null = null;

  protected override threadsRequest(response: DebugProtocol.ThreadsResponse): void {
    const launch = this.launch;
    const name = launch?.run ?? launch?.task ?? 'task';
    response.body = { threads: [{ id: THREAD, name: basename(name) }] };
    this.sendResponse(response);
  }

  protected override stackTraceRequest(
    response: DebugProtocol.StackTraceResponse,
    args: DebugProtocol.StackTraceArguments,
  ): void {
    void this.#show(response, async () => {
      const { state, debuggee } = this.requireStopped();
      const frames = framesAt(state).map(
        ({ name, range, file, canRestart, label }, index): DebugProtocol.StackFrame => {
          const path = this.convertDebuggerPathToClient(file);
          return {
            id: index + 1,
            name,
            canRestart: canRestart && debuggee.kind === 'live',
            ...(range === null ? { line: 0, column: 0 } : this.clientRange(range)),
            ...(range === null ? {} : { source: { name: basename(path), path } }),
            ...(label ? { presentationHint: 'label' as const } : {}),
          };
        },
      );
      const first = args.startFrame ?? 0;
      const stackFrames = frames.slice(first, args.levels ? first + args.levels : undefined);
      response.body = { stackFrames, totalFrames: frames.length };
    });
  }

  protected override scopesRequest(response: DebugProtocol.ScopesResponse, { frameId }: { frameId: number }): void {
    void this.#show(response, async () => {
      const { state, debuggee } = this.requireStopped();
      const live = debuggee.kind === 'live';
      const before = state.location.kind === 'call' && state.location.outcome === null;
      const scopes = scopesOf(state, {
        ...(live ? { response: (text: string) => debuggee.setResponse(text) } : {}),
        ...(live && before ? { argument: (index: number, text: string) => debuggee.setArgument(index, text) } : {}),
      });
      const focusedFrame = framesAt(state).findIndex(({ range }) => range !== null) + 1;
      const page = this.variables.create(() => pageVariables(state, (links) => debuggee.queryPage(links)));
      const variables = scopes
        // The call or action belongs to the first frame, or to the frame that editors select if the first has no source
        // position.
        .filter(({ name }) => frameId <= focusedFrame || (name !== 'Call' && name !== 'Action'))
        .map(({ name, variables }) => ({
          name,
          variablesReference: this.variables.create(variables),
          expensive: false,
        }));
      response.body = { scopes: [...variables, { name: 'Page', variablesReference: page, expensive: true }] };
    });
  }

  protected override variablesRequest(
    response: DebugProtocol.VariablesResponse,
    { variablesReference }: DebugProtocol.VariablesArguments,
  ): void {
    void this.#show(response, async () => {
      response.body = { variables: await this.variables.list(variablesReference) };
    });
  }

  protected override setVariableRequest(
    response: DebugProtocol.SetVariableResponse,
    { variablesReference, name, value }: DebugProtocol.SetVariableArguments,
  ): void {
    void this.answer(response, async () => {
      const variable = await this.variables.find(variablesReference, name);
      if (variable?.set === undefined) throw new DebugError(`${name} cannot be changed.`);
      response.body = this.variables.describe({ value: variable.set(value) });
      this.sendEvent(new InvalidatedEvent(['variables', 'stacks'], THREAD));
    });
  }

  protected override setExpressionRequest(
    response: DebugProtocol.SetExpressionResponse,
    { expression, value }: DebugProtocol.SetExpressionArguments,
  ): void {
    void this.answer(response, async () => {
      const { debuggee } = this.requireStopped();
      const index = /^\s*args\[(\d+)\]\s*$/.exec(expression)?.[1];
      if (index === undefined && expression.trim() !== 'response') {
        throw new DebugError('Only response and the arguments of a call (args[0]) can be changed.');
      }
      const update = index === undefined ? debuggee.setResponse(value) : debuggee.setArgument(Number(index), value);
      response.body = this.variables.describe({ value: update });
      this.sendEvent(new InvalidatedEvent(['variables', 'stacks'], THREAD));
    });
  }

  protected override evaluateRequest(
    response: DebugProtocol.EvaluateResponse,
    { expression, context }: DebugProtocol.EvaluateArguments,
  ): void {
    void this.answer(
      response,
      async () => {
        const debuggee = this.debuggee;
        if (debuggee === null) throw new DebugError('No debug session is active.');
        const { text, value } = await debuggee.ask(expression, context !== 'repl');
        const { value: valueText, ...description } = this.variables.describe({ value, expression });
        response.body = { result: text === '' ? valueText : text, ...description };
      },
      // The client shows the error next to the expression.
      false,
    );
  }

  protected override completionsRequest(
    response: DebugProtocol.CompletionsResponse,
    { text, column }: DebugProtocol.CompletionsArguments,
  ): void {
    const at = this.convertClientColumnToDebugger(column);
    response.body = { targets: completionsAt(text, at) };
    this.sendResponse(response);
  }

  protected override exceptionInfoRequest(response: DebugProtocol.ExceptionInfoResponse): void {
    void this.#show(response, async () => {
      const { state } = this.requireStopped();
      const [frame] = framesAt(state);
      response.body = {
        exceptionId: frame?.name ?? '',
        ...(this.currentStop?.text == null ? {} : { description: this.currentStop.text }),
        breakMode: 'always',
      };
    });
  }

  /**
   * Answers a request that the client makes by itself to show a stop. The run may have continued meanwhile, which is not
   * the user's error.
   */
  async #show(response: DebugProtocol.Response, work: () => Promise<void>): Promise<void> {
    await this.answer(response, work, false);
  }

  /** The current stop. Throws `DebugError` if the run is running. */
  protected requireStopped() {
    const debuggee = this.debuggee;
    const state = debuggee?.state ?? null;
    if (debuggee === null || state === null) throw new DebugError('The run is not stopped.');
    return { debuggee, state };
  }
}
