import { PassThrough } from 'node:stream';
import { DebugClient } from '@vscode/debugadapter-testsupport';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { onTestFinished } from 'vitest';
import type { Placement } from '../../../src/placement/placement.ts';
import type { PlacementKind } from '../../../src/tasks/placement-kind.ts';
import { taskwright } from '../cli/command-line.ts';

/** What a person sees at a stop. */
export interface Seen {
  readonly reason: string;
  readonly text: string | undefined;
  /** Of the top frame: `line:column-line:column`, from 1; null where it stands nowhere. */
  readonly at: string | null;
  readonly stack: readonly string[];
}

/** Another editor that speaks to `taskwright dap` over its standard streams. */
export class Client extends DebugClient {
  readonly #exit: Promise<number>;
  readonly #input: PassThrough;
  readonly outputs: DebugProtocol.OutputEvent['body'][] = [];
  readonly events: DebugProtocol.Event[] = [];
  /** All that it has received. */
  received = '';
  /** How often it was said to be over. */
  terminations = 0;
  readonly #waiting: ((event: DebugProtocol.Event) => void)[] = [];
  readonly #unread: DebugProtocol.Event[] = [];

  constructor(of: {
    cwd: string;
    placement?: Placement;
    placements?: Readonly<Partial<Record<PlacementKind, Placement>>>;
  }) {
    super('node', '', 'taskwright');
    const input = new PassThrough();
    const output = new PassThrough();
    this.#input = input;
    this.connect(output, input);
    output.on('data', (data: Buffer) => {
      this.received += data.toString();
    });
    for (const name of ['stopped', 'terminated']) this.on(name, (event: DebugProtocol.Event) => this.#hear(event));
    this.on('terminated', () => {
      this.terminations += 1;
    });
    this.on('output', (event: DebugProtocol.OutputEvent) => this.outputs.push(event.body));
    for (const name of ['capabilities', 'taskwright.atStep']) {
      this.on(name, (event: DebugProtocol.Event) => this.events.push(event));
    }
    this.#exit = taskwright(['dap'], { ...of, streams: { input, output } }).then(({ exit }) => exit);
    onTestFinished(async () => {
      await this.close();
    });
  }

  /** Sets everything and launches. Resolves where it stops first, or ends. */
  async begin(
    launch: Record<string, unknown>,
    set: {
      file?: string;
      breakpoints?: DebugProtocol.SourceBreakpoint[];
      functions?: string[];
      filters?: string[];
      filterOptions?: DebugProtocol.ExceptionFilterOptions[];
    } = {},
  ): Promise<Seen | 'terminated'> {
    const initialized = this.waitForEvent('initialized');
    await this.initializeRequest({
      adapterID: 'taskwright',
      linesStartAt1: true,
      columnsStartAt1: true,
    });
    await initialized;
    if (set.file !== undefined) await this.break(set.file, set.breakpoints ?? []);
    if (set.functions !== undefined) {
      await this.setFunctionBreakpointsRequest({ breakpoints: set.functions.map((name) => ({ name })) });
    }
    await this.setExceptionBreakpointsRequest({
      filters: set.filters ?? [],
      ...(set.filterOptions === undefined ? {} : { filterOptions: set.filterOptions }),
    });
    await this.launchRequest(launch as DebugProtocol.LaunchRequestArguments);
    const stop = this.next();
    await this.configurationDoneRequest();
    return await stop;
  }

  async break(
    file: string,
    breakpoints: DebugProtocol.SourceBreakpoint[],
  ): Promise<readonly DebugProtocol.Breakpoint[]> {
    return (await this.setBreakpointsRequest({ source: { path: file }, breakpoints })).body.breakpoints;
  }

  /** Goes on, and resolves at the next stop or the end. */
  async go(how: 'continue' | 'next' | 'stepOut' | 'stepBack' | 'reverseContinue'): Promise<Seen | 'terminated'> {
    const stop = this.next();
    await this.send(how, { threadId: 1 });
    return await stop;
  }

  async restartFrame(): Promise<Seen | 'terminated'> {
    const stop = this.next();
    await this.restartFrameRequest({ frameId: 1 });
    return await stop;
  }

  async next(): Promise<Seen | 'terminated'> {
    const event =
      this.#unread.shift() ?? (await new Promise<DebugProtocol.Event>((resolve) => this.#waiting.push(resolve)));
    if (event.event === 'terminated') return 'terminated';
    const { reason, text } = (event as DebugProtocol.StoppedEvent).body;
    const { stackFrames } = (await this.stackTraceRequest({ threadId: 1 })).body;
    const [top] = stackFrames;
    const placed = top?.source !== undefined;
    return {
      reason,
      text,
      at: placed ? `${top.line}:${top.column}-${top.endLine}:${top.endColumn}` : null,
      stack: stackFrames.map(({ name }) => name),
    };
  }

  /** The variables of a scope at the top of the stack. */
  async scope(name: string): Promise<DebugProtocol.Variable[]> {
    const { scopes } = (await this.scopesRequest({ frameId: 1 })).body;
    const found = scopes.find((scope) => scope.name === name);
    if (found === undefined) throw new Error(`There is no scope ${name}: ${scopes.map((scope) => scope.name)}`);
    return await this.parts(found.variablesReference);
  }

  async parts(variablesReference: number): Promise<DebugProtocol.Variable[]> {
    return (await this.variablesRequest({ variablesReference })).body.variables;
  }

  async ask(expression: string, context = 'repl'): Promise<string> {
    return (await this.evaluateRequest({ expression, context, frameId: 1 })).body.result;
  }

  async said(): Promise<string> {
    return this.outputs.map(({ output }) => output).join('');
  }

  /** The client goes; resolves with the exit code when the adapter has gone too. */
  async close(): Promise<number> {
    this.#input.destroy();
    return await this.#exit;
  }

  #hear(event: DebugProtocol.Event): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#unread.push(event);
    else waiting(event);
  }
}
