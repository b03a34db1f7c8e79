import { basename, resolve } from 'node:path';
import {
  CapabilitiesEvent,
  ContinuedEvent,
  Event,
  InitializedEvent,
  OutputEvent,
  Response,
  StoppedEvent,
  TerminatedEvent,
} from '@vscode/debugadapter';
import type { DebugProtocol } from '@vscode/debugprotocol';
import { escapeLines } from '../base/terminal-text.ts';
import { withoutCodeMarks } from '../results/code-spans.ts';
import { openRun } from '../traces/store.ts';
import { Breakpoints } from './breakpoints.ts';
import { callAt } from './call-locations.ts';
import { CAPABILITIES, LIVE_ONLY, REPLAY_ONLY, withoutCapabilities } from './capabilities.ts';
import { DebugError, type Debuggee, type DebuggeeEvents, type Resume } from './debuggee.ts';
import { AT_STEP, GO_TO_STEP } from './events.ts';
import { type Launch, launchSchema } from './launch.ts';
import { LiveDebuggee } from './live.ts';
import { Replay } from './replay.ts';
import { StateSession, THREAD } from './state-session.ts';

/** The requests that resume the run. */
const RESUMING: ReadonlyMap<string, Resume> = new Map([
  ['continue', 'continue'],
  ['next', 'next'],
  ['stepIn', 'into'],
  ['stepOut', 'out'],
  ['stepBack', 'back'],
  ['reverseContinue', 'reverse'],
]);

/** Implements the Debug Adapter Protocol for one run of a task, live or recorded. */
export class TaskDebugSession extends StateSession {
  readonly #configuration = Promise.withResolvers<void>();
  readonly #exit = Promise.withResolvers<void>();
  /** The current run is ending because another one replaces it. */
  #restarting = false;
  #terminated = false;

  /** Resolves when the client has disconnected and the run has ended. */
  get finished(): Promise<void> {
    return this.#exit.promise;
  }

  protected override dispatchRequest(request: DebugProtocol.Request): void {
    const action = RESUMING.get(request.command);
    if (action === undefined) super.dispatchRequest(request);
    else this.#resume(new Response(request), action);
  }

  override shutdown(): void {
    void this.#end().then(this.#exit.resolve, this.#exit.reject);
  }

  protected override initializeRequest(response: DebugProtocol.InitializeResponse): void {
    response.body = CAPABILITIES;
    this.sendResponse(response);
    this.sendEvent(new InitializedEvent());
  }

  protected override configurationDoneRequest(response: DebugProtocol.ConfigurationDoneResponse): void {
    this.sendResponse(response);
    this.#configuration.resolve();
  }

  protected override launchRequest(response: DebugProtocol.LaunchResponse, args: unknown): void {
    void this.answer(response, async () => {
      const read = launchSchema.safeParse(args ?? {});
      if (!read.success) throw new DebugError(read.error.issues.map(({ message }) => message).join(' '));
      this.launch = read.data;
      const debuggee = await this.#open(read.data);
      this.debuggee = debuggee;
      const missingCapabilities = debuggee.kind === 'live' ? REPLAY_ONLY : LIVE_ONLY;
      this.sendEvent(new CapabilitiesEvent(withoutCapabilities(missingCapabilities)));
      void this.#configuration.promise.then(() => debuggee.start());
    });
  }

  protected override attachRequest(response: DebugProtocol.AttachResponse): void {
    void this.answer(response, async () => {
      throw new DebugError('Attach is not supported. Launch a task or a recorded run instead.');
    });
  }

  protected override restartRequest(
    response: DebugProtocol.RestartResponse,
    args: DebugProtocol.RestartArguments | undefined,
  ): void {
    void this.answer(response, async () => {
      const newLaunch = launchSchema.safeParse(args?.arguments);
      const launch = newLaunch.success ? newLaunch.data : this.launch;
      if (launch === null) throw new DebugError('Nothing has been launched yet.');
      this.launch = launch;
      this.#restarting = true;
      try {
        await this.debuggee?.end();
      } finally {
        this.#restarting = false;
      }
      this.#announceContinue();
      this.#terminated = false;
      try {
        this.debuggee = await this.#open(launch);
      } catch (error) {
        this.#terminate();
        throw error;
      }
      this.debuggee.start();
    });
  }

  protected override disconnectRequest(response: DebugProtocol.DisconnectResponse): void {
    void this.#end().then(() => {
      this.sendResponse(response);
      this.#exit.resolve();
    }, this.#exit.reject);
  }

  protected override terminateRequest(response: DebugProtocol.TerminateResponse): void {
    this.sendResponse(response);
    void this.debuggee?.end().then(() => this.#terminate());
  }

  protected override pauseRequest(response: DebugProtocol.PauseResponse): void {
    this.debuggee?.pause();
    this.sendResponse(response);
  }

  protected override restartFrameRequest(response: DebugProtocol.RestartFrameResponse): void {
    void this.answer(response, async () => {
      await this.requireStopped().debuggee.restartFrame();
      this.#announceContinue();
    });
  }

  protected override gotoTargetsRequest(
    response: DebugProtocol.GotoTargetsResponse,
    args: DebugProtocol.GotoTargetsArguments,
  ): void {
    void this.answer(response, async () => {
      response.body = { targets: [] };
      const debuggee = this.debuggee;
      if (!(debuggee instanceof Replay) || args.source.path === undefined) return;
      const file = await this.host.read(resolve(this.convertClientPathToDebugger(args.source.path)));
      const column = args.column === undefined ? null : this.convertClientColumnToDebugger(args.column);
      const location = callAt(file, this.convertClientLineToDebugger(args.line), column);
      const step = location === undefined || location.task !== debuggee.taskName ? null : debuggee.stepOf(location);
      if (location === undefined || step === null) return;
      response.body.targets.push({ id: step, label: location.call.function, ...this.clientRange(location.call.range) });
    });
  }

  protected override gotoRequest(response: DebugProtocol.GotoResponse, args: DebugProtocol.GotoArguments): void {
    void this.answer(response, async () => this.requireStopped().debuggee.goTo(args.targetId));
  }

  protected override customRequest(command: string, response: DebugProtocol.Response, args: unknown): void {
    if (command !== GO_TO_STEP) {
      super.customRequest(command, response, args);
      return;
    }
    void this.answer(response, async () => {
      const { step } = (args ?? {}) as { step?: unknown };
      if (typeof step !== 'number') throw new DebugError('Specify the step to go to, for example {step: 3}.');
      if (this.debuggee === null) throw new DebugError('No debug session is active.');
      this.debuggee.goTo(step);
    });
  }

  async #open(launch: Launch): Promise<Debuggee> {
    const breakpoints = this.breakpoints;
    const events = this.#events();
    if (launch.run !== undefined) {
      const run = await openRun(resolve(this.host.cwd, launch.run));
      return await Replay.open(this.host, { run, breakpoints, step: launch.step }, events);
    }
    const task = await this.host.find(launch.task ?? '');
    const { agent, placement, seed = this.host.defaultSeed(task), stopOnEntry, keepEnvironment } = launch;
    const options = { task, agent, placement, seed, stopOnEntry, keepEnvironment };
    // “Run without debugging” ignores all breakpoints.
    const debugging = launch.noDebug
      ? { debugged: false, breakpoints: new Breakpoints(), debuggers: undefined }
      : { debugged: true, breakpoints, debuggers: this.host.debuggers };
    return new LiveDebuggee(this.host, { ...options, ...debugging }, events);
  }

  #events(): DebuggeeEvents {
    return {
      stopped: (stop) => {
        const text = stop.text === null ? null : withoutCodeMarks(stop.text);
        this.currentStop = { ...stop, text };
        this.variables.clear();
        const event: DebugProtocol.StoppedEvent = new StoppedEvent(stop.reason, THREAD, text ?? undefined);
        event.body.allThreadsStopped = true;
        if (stop.reason === 'breakpoint' && text !== null) event.body.description = text;
        if (stop.breakpoints.length > 0) event.body.hitBreakpointIds = [...stop.breakpoints];
        this.sendEvent(event);
        const last = this.debuggee?.state?.steps.at(-1);
        if (last !== undefined) this.sendEvent(new Event(AT_STEP, { step: last.index }));
      },
      output: (category, text, location) => {
        const event: DebugProtocol.OutputEvent = new OutputEvent(`${escapeLines(text)}\n`, category);
        if (location !== undefined) {
          const path = this.convertDebuggerPathToClient(location.file);
          const { line, column } = this.clientRange(location.range);
          Object.assign(event.body, { source: { name: basename(path), path }, line, column });
        }
        this.sendEvent(event);
      },
      ended: () => {
        if (!this.#restarting) this.#terminate();
      },
    };
  }

  #resume(response: DebugProtocol.Response, action: Resume): void {
    if (action === 'continue') response.body = { allThreadsContinued: true };
    try {
      const { debuggee } = this.requireStopped();
      if (!debuggee.supports(action))
        throw new DebugError('A live run cannot go back. Replay the recorded run instead.');
      this.sendResponse(response);
      this.variables.clear();
      // Synchronously: a client that has received the response may send a pause request right away.
      debuggee.resume(action);
    } catch (error) {
      this.fail(response, error);
    }
  }

  #terminate(): void {
    if (this.#terminated) return;
    this.#terminated = true;
    this.sendEvent(new TerminatedEvent());
  }

  #announceContinue(): void {
    this.variables.clear();
    this.sendEvent(new ContinuedEvent(THREAD, true));
  }

  async #end(): Promise<void> {
    this.#configuration.resolve();
    await this.debuggee?.end();
  }
}
