import { dirname } from 'node:path';
import type { ActionInput } from '../actions/action.ts';
import type { Json } from '../base/json.ts';
import { kindOfType } from '../environments/kinds.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import { PLACEMENT_DESCRIPTORS } from '../placement/descriptors.ts';
import type { AttachPython } from '../placement/placement.ts';
import { numbersOutside } from '../python/numbers.ts';
import { withoutCodeMarks } from '../results/code-spans.ts';
import type { RunEvent } from '../runs/events.ts';
import type { CallToRun, DebuggedSession, RunDebugger, RunningCall, UnresetSession } from '../runs/run/debugging.ts';
import type { CallOutcome } from '../server/protocol.ts';
import { taskName } from '../tasks/name.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import { parseCallString } from '../tasks/reward-call.ts';
import type { Call, Task } from '../tasks/task.ts';
import type { Grade, RunError, RunRecord, Step } from '../traces/trace.ts';
import { ActionFile } from './action-file.ts';
import type { Breakpoints } from './breakpoints.ts';
import { currentCall, withRangesOf } from './call-locations.ts';
import { expressionScope } from './conditions.ts';
import { answer } from './console.ts';
import { type Answer, DebugError, type Debuggee, type DebuggeeEvents, type Resume, type Stop } from './debuggee.ts';
import type { DebugHost, DebugRunRequest, FunctionDebuggers } from './host.ts';
import { LiveSession } from './live-session.ts';
import { NextStop, type StopMode } from './next-stop.ts';
import { StepInto } from './step-into.ts';
import { printActions, type StopLocation, type StoppedState } from './stopped-state.ts';

export interface LiveOptions extends Pick<DebugRunRequest, 'task' | 'agent' | 'placement' | 'seed'> {
  readonly stopOnEntry?: boolean | undefined;
  readonly keepEnvironment?: boolean | undefined;
  /** False for “Run without debugging”. */
  readonly debugged: boolean;
  readonly breakpoints: Breakpoints;
  /** Debuggers for user-defined functions. */
  readonly debuggers: FunctionDebuggers | undefined;
}

/** How a stop ends. `again`: run this call instead and stop after it. `into`: step into the user-defined function. */
type Release = { readonly mode: StopMode; readonly again?: Call; readonly into?: true };

/** A live run. It waits at each call and action while the debugger is stopped there. */
export class LiveDebuggee implements Debuggee, RunDebugger {
  readonly kind = 'live';
  readonly #host: DebugHost;
  readonly #options: LiveOptions;
  readonly #events: DebuggeeEvents;
  readonly #cancel = new AbortController();
  #task: Task;
  #prompt: string;
  #location: StopLocation = { kind: 'start' };
  #steps: readonly Step[] = [];
  #response: string | null = null;
  readonly #live: LiveSession;
  readonly #nextStop: NextStop;
  #release: ((release: Release) => void) | null = null;
  /** The `.actions` file that the run replays. */
  #actionFile: Promise<ActionFile | null> = Promise.resolve(null);
  readonly #stepInto: StepInto;
  #run: Promise<void> = Promise.resolve();

  constructor(host: DebugHost, options: LiveOptions, events: DebuggeeEvents) {
    this.#host = host;
    this.#options = options;
    this.#events = events;
    this.#task = options.task;
    this.#prompt = options.task.prompt ?? '';
    this.#nextStop = new NextStop(options.breakpoints, options.stopOnEntry ? 'entry' : 'continue', {
      scope: () => this.#scope(),
      output: events.output,
      source: () => {
        const location = this.#location;
        return location.kind === 'call' ? { file: this.#task.file, range: location.running.call.range } : undefined;
      },
    });
    this.#stepInto = new StepInto(options.debuggers, options.task.file, events.output, {
      steppedOut: () => {
        this.#nextStop.afterThisCall ??= 'step';
      },
      edited: () => {
        this.#live.edited = true;
      },
    });
    this.#live = new LiveSession(this.#stepInto);
  }

  get debugged(): boolean {
    return this.#options.debugged;
  }

  get edited(): boolean {
    return this.#live.edited;
  }

  get state(): StoppedState | null {
    return this.#release === null ? null : this.#now();
  }

  start(): void {
    const { task, agent, placement, seed } = this.#options;
    const { signal } = this.#cancel;
    const run = this.#host.run({
      ...{ task, agent, placement, seed, signal },
      debugger: this,
      listen: (event) => this.#onRunEvent(event),
    });
    this.#run = run
      .then((record) => this.#events.output('console', verdictOf(record)))
      .catch((error: Error) => {
        this.#events.output('stderr', error instanceof DebugError ? error.message : (error.stack ?? error.message));
      })
      .finally(() => {
        this.#release = null;
        this.#live.session = null;
        this.#events.ended();
      });
  }

  supports(action: Resume): boolean {
    return action !== 'back' && action !== 'reverse';
  }

  resume(action: Resume): void {
    if (action === 'back' || action === 'reverse') return;
    this.#leave(action === 'into' ? { mode: 'next', into: true } : { mode: action });
  }

  pause(): void {
    if (this.#release !== null) return;
    this.#nextStop.pause();
    const location = this.#location;
    const session = this.#live.session;
    if (session === null || location.kind !== 'call' || location.outcome !== null) return;
    const name = location.running.call.function;
    if (findBuiltin(name) !== undefined) return;
    void this.#stepInto.pause(session, name).then((isPaused) => {
      // It has stopped in the function, so it does not stop after it.
      if (isPaused) this.#nextStop.cancelPause();
    });
  }

  async restartFrame(): Promise<void> {
    const location = this.#location;
    if (this.#release === null || location.kind !== 'call' || location.running.phase !== 'evaluate') {
      throw new DebugError('Only the current evaluate call can be evaluated again.');
    }
    const { phase, index } = location.running;
    const { file } = this.#options.task;
    const name = taskName(this.#options.task);
    const current = (await this.#host.read(file)).rows.find((row) => row.name === name)?.task;
    const call = current == null ? undefined : currentCall(current, this.#task, phase, index);
    if (current == null || call === undefined) {
      throw new DebugError(`The task file has changed, and this call of “${name}” is no longer in it.`);
    }
    this.#live.edited = true;
    this.#task = withRangesOf(current, this.#task);
    this.#leave({ mode: 'continue', again: call });
  }

  goTo(): never {
    throw new DebugError('A live run cannot jump to a step. Replay the recorded run instead.');
  }

  async ask(expression: string, passive: boolean): Promise<Answer> {
    const call = (name: string, args: readonly Json[]) => this.#live.call(name, args, passive);
    return await answer(expression, this.#now(), call, (links) => this.queryPage(links));
  }

  async queryPage(links: readonly PageLink[]): Promise<Json> {
    return await this.#live.queryPage(links);
  }

  setResponse(text: string): string {
    if (this.#live.session === null || this.#release === null) throw new DebugError('The run is not stopped.');
    const response = readLiteral(text);
    const value = typeof response === 'string' ? response : text;
    this.#live.setResponse(value);
    this.#response = value;
    return value;
  }

  setArgument(index: number, text: string): Json {
    const location = this.#location;
    if (location.kind !== 'call' || location.outcome !== null || this.#release === null) {
      throw new DebugError(
        'Arguments can only be changed before the call. To evaluate the call again, change the task file and select Restart Frame.',
      );
    }
    const value = readLiteral(text);
    if (value === undefined)
      throw new DebugError(`“${text}” is not a value. Enter a string in quotes, a number, or a list.`);
    this.#live.edited = true;
    const { running } = location;
    const { args, numbers = {} } = running.call;
    const call = { ...running.call, args: args.with(index, value), numbers: numbersOutside(numbers, index) };
    this.#location = { ...location, running: { ...running, call } };
    return value;
  }

  async end(): Promise<void> {
    this.#cancel.abort();
    await this.#run;
  }

  attachPython(placement: PlacementKind): AttachPython | undefined {
    const { env, file } = this.#task;
    const hasServer = (kindOfType(env)?.server?.(env, dirname(file)) ?? null) !== null;
    return this.#stepInto.environment(hasServer && PLACEMENT_DESCRIPTORS[placement].isolated);
  }

  async beforeReset(session: UnresetSession): Promise<void> {
    await this.#intoTaskClass(session);
    const { env, file } = this.#task;
    if ((kindOfType(env)?.start?.(env) ?? null) === null) return;
    this.#location = { kind: 'start' };
    const candidates = this.#options.breakpoints.onCall(file, taskName(this.#options.task), 'start', 0);
    const stop = await this.#nextStop.beforeLocation(candidates, 'breakpoint', 'start');
    if (stop !== null) await this.#stop(stop);
  }

  afterReset(session: DebuggedSession): void {
    this.#live.session = session;
  }

  async beforeCall(running: RunningCall): Promise<CallToRun> {
    this.#location = { kind: 'call', running, outcome: null };
    const { phase, index } = running;
    const { file } = this.#options.task;
    const candidates = this.#options.breakpoints.onCall(file, taskName(this.#options.task), phase, index);
    const stop = await this.#nextStop.beforeLocation(candidates, 'breakpoint', phase);
    const release = stop === null ? null : await this.#stop(stop);
    // The user may have changed the arguments at the stop.
    const location: StopLocation = this.#location;
    const call = release?.again ?? (location.kind === 'call' ? location.running.call : running.call);
    // Set before the call: the function may return before its result arrives.
    this.#nextStop.afterThisCall = release?.again === undefined ? null : 'restart';
    const session = this.#live.session;
    if (session === null || findBuiltin(call.function) !== undefined) return { call, pause: false };
    const { entered, pause } = await this.#stepInto.before(session, call.function, release?.into === true);
    if (entered) this.#nextStop.afterThisCall ??= 'step';
    return { call, pause };
  }

  async afterCall(running: RunningCall, outcome: CallOutcome): Promise<Call | null> {
    this.#location = { kind: 'call', running, outcome };
    const isLast = running.phase === 'evaluate' && running.index === this.#options.task.evaluate.length - 1;
    const stop = await this.#nextStop.afterCall(running, outcome, isLast);
    if (stop === null) return null;
    await this.#stepInto.whenSettled();
    const { again } = await this.#stop(stop);
    this.#nextStop.afterThisCall = again === undefined ? null : 'restart';
    return again ?? null;
  }

  async beforeAction(actions: readonly ActionInput[], step: number): Promise<void> {
    const { breakpoints } = this.#options;
    const number = step + 1;
    const file = await this.#actionFile;
    const source = file?.sourceOf(number, printActions(actions)) ?? null;
    this.#location = { kind: 'action', actions, step: number, done: null, source };
    const lines = source === null ? [] : breakpoints.onLine(file?.path, number);
    const candidates = [...lines, ...breakpoints.onActions(actions, number)];
    const reason = lines.length > 0 ? 'breakpoint' : 'function breakpoint';
    const stop = await this.#nextStop.beforeLocation(candidates, reason, 'agent');
    if (stop !== null) await this.#stop(stop);
    // Methods of the class run as part of the action.
    const session = this.#live.session;
    if (session !== null) await this.#intoTaskClass(session);
  }

  /** Prepares what calls methods of the class of the task, if it has one. */
  async #intoTaskClass(session: UnresetSession): Promise<void> {
    const { env } = this.#task;
    const taskClass = kindOfType(env)?.userTask?.(env) ?? null;
    if (taskClass !== null) await this.#stepInto.taskClass(session, taskClass);
  }

  async afterAction(done: Step): Promise<void> {
    if (this.#location.kind === 'action') this.#location = { ...this.#location, done };
    const stop = done.error === null ? null : await this.#nextStop.afterFailedAction(done.error.message);
    if (stop !== null) await this.#stop(stop);
  }

  async beforeEnd(grade: Grade, error: RunError | null): Promise<void> {
    this.#location = { kind: 'end', grade, error };
    if (!this.#options.keepEnvironment) return;
    this.#events.output(
      'console',
      'The run has ended. Its environment stays open until you continue or stop debugging.',
    );
    await this.#stop({ reason: 'step', text: error?.message ?? null, breakpoints: [] });
  }

  async #stop(stop: Stop): Promise<Release> {
    const release = Promise.withResolvers<Release>();
    this.#release = release.resolve;
    this.#events.stopped(stop);
    return await release.promise;
  }

  #leave(release: Release): void {
    const resume = this.#release;
    if (resume === null) return;
    this.#release = null;
    const location = this.#location;
    const phase = location.kind === 'call' ? location.running.phase : location.kind === 'action' ? 'agent' : '';
    this.#nextStop.resume(release.mode, phase);
    resume(release);
  }

  #now(): StoppedState {
    return {
      ...{ task: this.#task, prompt: this.#prompt, seed: this.#options.seed },
      ...{ location: this.#location, steps: this.#steps, response: this.#response },
    };
  }

  #scope() {
    const call = async (name: string, args: readonly Json[]) => (await this.#live.call(name, args, true)).value;
    return expressionScope(this.#now(), call, (links) => this.queryPage(links));
  }

  #onRunEvent(event: RunEvent): void {
    switch (event.type) {
      case 'started':
        this.#prompt = event.header.prompt;
        this.#actionFile = ActionFile.forAgent(event.header.agent, this.#host.cwd);
        // The debugger shows the same masked values as the trace.
        this.#task = event.header.task;
        break;
      case 'step': {
        this.#steps = [...this.#steps, event.step];
        const response = event.step.info['response'];
        if (typeof response === 'string') this.#response = response;
        break;
      }
      case 'hidden':
        this.#task = event.header.task;
        this.#steps = event.steps;
        break;
      case 'phase':
        if (event.detail !== undefined) this.#events.output('console', event.detail);
        break;
      case 'log':
        this.#events.output('stdout', event.text);
        break;
      case 'waiting':
        if (event.address !== null) {
          const { url, token } = event.address;
          this.#events.output(
            'console',
            `Waiting for an agent at the MCP server ${url} (Authorization: Bearer ${token})`,
          );
        }
        break;
      default:
    }
  }
}

/** Parses a value that the user typed: JSON, or a Python literal. Undefined if it is neither. */
function readLiteral(text: string): Json | undefined {
  const read = parseCallString(`value(${text})`);
  return read?.args.length === 1 ? read.args[0] : undefined;
}

/** The result of a run: a summary line, then one line for each evaluate call. */
function verdictOf({ status, reward, error, grade }: RunRecord): string {
  const lines = grade.subscores.map(
    ({ name, value, reason }) => `  ${value ?? 'error'}  ${name}: ${withoutCodeMarks(reason)}`,
  );
  const summary =
    error === null ? `${status}, reward ${reward ?? 'none'}` : `${status}: ${withoutCodeMarks(error.message)}`;
  return [summary, ...lines].join('\n');
}
