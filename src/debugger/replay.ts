import type { Json } from '../base/json.ts';
import { EMPTY_RANGE } from '../base/range.ts';
import { findBuiltin } from '../functions/catalogue.ts';
import type { Phase } from '../functions/declaration.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import type { Evaluation } from '../runs/rescoring/snapshot-evaluator.ts';
import { inputsOf } from '../runs/solutions/solution-text.ts';
import type { CallOutcome } from '../server/protocol.ts';
import { taskName } from '../tasks/name.ts';
import { printCall } from '../tasks/print.ts';
import type { Call, Task } from '../tasks/task.ts';
import type { RecordedRun } from '../traces/store.ts';
import type { Step } from '../traces/trace.ts';
import { ActionFile } from './action-file.ts';
import { type Breakpoints, type CallBreakpoint, type ExceptionFilter, TIMEOUT } from './breakpoints.ts';
import { type LocatedCall, withRangesOf } from './call-locations.ts';
import { conditionHolds, expressionScope, hitBreakpoints } from './conditions.ts';
import { answer, type CallValue } from './console.ts';
import { type Answer, DebugError, type Debuggee, type DebuggeeEvents, type Resume, type Stop } from './debuggee.ts';
import { ExpressionError, type ExpressionScope } from './expression.ts';
import type { DebugHost } from './host.ts';
import { RecordedEvaluations } from './recorded-evaluations.ts';
import { printActions, type StopLocation, type StoppedState } from './stopped-state.ts';

export interface ReplayOptions {
  readonly run: RecordedRun;
  readonly breakpoints: Breakpoints;
  /** The step to start at; by default the first. */
  readonly step?: number | undefined;
}

/** A recorded run as a sequence of stops, one for each recorded step, showing the state after it. */
export class Replay implements Debuggee {
  readonly kind = 'replay';
  readonly #options: ReplayOptions;
  readonly #events: DebuggeeEvents;
  readonly #steps: readonly Step[];
  /** The recorded task with the current ranges of its calls. */
  readonly #task: Task;
  readonly #answers: RecordedEvaluations;
  /** The `.actions` file that the run replayed. */
  readonly #actionFile: ActionFile | null;
  #at: number;
  /** The evaluate call whose value has changed, while the replay is stopped because of that. */
  #changedCall: StopLocation | null = null;
  #isStopped = false;
  /** Incremented to cancel a search in progress. */
  #searchId = 0;
  #search: Promise<void> = Promise.resolve();

  /** Rejects with `TraceError` if the trace cannot be read, with `DebugError` if it has no steps. */
  static async open(host: DebugHost, options: ReplayOptions, events: DebuggeeEvents): Promise<Replay> {
    const { run } = options;
    const steps = await run.steps();
    if (steps.length === 0) throw new DebugError(`${run.traceDir} has no steps: the run ended before its first step.`);
    const task = await withCurrentRanges(host, run.header.task, events);
    const actionFile = await ActionFile.forAgent(run.header.agent, host.cwd);
    const answers = await RecordedEvaluations.open(run.traceDir, task, () => host.judging());
    return new Replay(options, events, steps, task, answers, actionFile);
  }

  private constructor(
    options: ReplayOptions,
    events: DebuggeeEvents,
    steps: readonly Step[],
    task: Task,
    answers: RecordedEvaluations,
    actionFile: ActionFile | null,
  ) {
    this.#actionFile = actionFile;
    this.#answers = answers;
    this.#options = options;
    this.#events = events;
    this.#steps = steps;
    this.#task = task;
    this.#at = Math.min(Math.max(0, options.step ?? 0), steps.length - 1);
  }

  get state(): StoppedState | null {
    return this.#isStopped ? this.#stateAt(this.#at) : null;
  }

  get taskName(): string {
    return taskName(this.#task);
  }

  start(): void {
    this.#stop({ reason: 'entry', text: null, breakpoints: [] });
  }

  supports(): boolean {
    return true;
  }

  resume(action: Resume): void {
    const from = this.#at;
    const last = this.#steps.length - 1;
    const forwards = action !== 'back' && action !== 'reverse';
    if (forwards && from === last) {
      this.#isStopped = false;
      this.#events.ended();
      return;
    }
    this.#isStopped = false;
    this.#changedCall = null;
    if (action === 'next' || action === 'into' || action === 'back') {
      this.#at = Math.max(0, from + (action === 'back' ? -1 : 1));
      this.#stop({ reason: action === 'back' && from === 0 ? 'entry' : 'step', text: null, breakpoints: [] });
      return;
    }
    const searchId = this.#searchId;
    this.#search = this.#seek(from, forwards ? 1 : -1, action === 'out').catch((error: Error) => {
      if (this.#searchId !== searchId) return;
      this.#events.output('stderr', `The recorded pages cannot be evaluated: ${error.message}`);
      this.#stop({ reason: 'pause', text: null, breakpoints: [] });
    });
  }

  pause(): void {
    if (this.#isStopped) return;
    this.#searchId += 1;
    this.#stop({ reason: 'pause', text: null, breakpoints: [] });
  }

  async restartFrame(): Promise<void> {
    throw new DebugError('A recorded run cannot be evaluated again here. Debug the task live, or re-score the run.');
  }

  goTo(step: number): void {
    if (!Number.isInteger(step) || step < 0 || step >= this.#steps.length) {
      throw new DebugError(`The recording has no step ${step}; it has 0 to ${this.#steps.length - 1}.`);
    }
    this.#searchId += 1;
    this.#changedCall = null;
    this.#at = step;
    this.#stop({ reason: 'goto', text: null, breakpoints: [] });
  }

  /** The recorded step of a call; null if the run did not reach it. */
  stepOf({ phase, index }: Pick<LocatedCall, 'phase' | 'index'>): number | null {
    return this.#steps.filter(({ source }) => source === phase)[index]?.index ?? null;
  }

  async ask(expression: string, passive: boolean): Promise<Answer> {
    const at = this.#at;
    const call = (name: string, args: readonly Json[]) => this.#callFunction(name, args, at, passive);
    return await answer(expression, this.#stateAt(at), call, (links) => this.#queryPage(links, at));
  }

  queryPage(links: readonly PageLink[]): Promise<Json> {
    return this.#queryPage(links, this.#at);
  }

  setResponse(): never {
    throw new DebugError('A recorded run cannot be changed.');
  }

  setArgument(): never {
    throw new DebugError('A recorded run cannot be changed.');
  }

  async end(): Promise<void> {
    this.#isStopped = false;
    this.#searchId += 1;
    await this.#answers.close();
    await this.#search;
  }

  #stop(stop: Stop): void {
    this.#isStopped = true;
    this.#events.stopped(stop);
  }

  /** Moves step by step until something stops it, at the latest at the end of the recording. */
  async #seek(from: number, by: 1 | -1, untilPhaseEnds: boolean): Promise<void> {
    const edge = by === 1 ? this.#steps.length - 1 : 0;
    let previous = from;
    const searchId = this.#searchId;
    for (let at = from + by; at >= 0 && at < this.#steps.length; at += by) {
      const stop = await this.#reasonAt(at, previous);
      if (this.#searchId !== searchId) return;
      const hasLeftPhase = untilPhaseEnds && this.#steps[at]?.source !== this.#steps[from]?.source;
      this.#at = at;
      if (stop !== null) return this.#stop(stop);
      if (hasLeftPhase) break;
      previous = at;
    }
    if (!untilPhaseEnds) this.#at = edge;
    this.#stop({ reason: this.#at === 0 ? 'entry' : 'step', text: null, breakpoints: [] });
  }

  async #reasonAt(at: number, previous: number): Promise<Stop | null> {
    const step = this.#steps[at] as Step;
    const { breakpoints } = this.#options;
    const scope = this.#scope(at);
    const location = this.#locationOf(at);
    const onCalls =
      location.kind === 'call' && location.running.phase === 'setup'
        ? this.#onCall('setup', location.running.index)
        : [];
    const output = this.#events.output;
    const hit = await hitBreakpoints(onCalls, scope, output);
    if (hit.length > 0) return { reason: 'breakpoint', text: null, breakpoints: hit.map(({ id }) => id) };
    for (const index of this.#task.evaluate.keys()) {
      const callBreakpoints = this.#onCall('evaluate', index);
      const change = callBreakpoints.length === 0 ? null : await this.#changeOf(index, at, previous);
      const stopping = change === null ? [] : await hitBreakpoints(callBreakpoints, scope, output);
      if (change === null || stopping.length === 0) continue;
      this.#changedCall = change.location;
      const call = this.#task.evaluate[index];
      if (change.text !== null && call !== undefined) {
        output('console', `${printCall(call)}: ${change.text}`, { file: this.#task.file, range: call.range });
      }
      return { reason: 'breakpoint', text: change.text, breakpoints: stopping.map(({ id }) => id) };
    }
    if (location.kind === 'action') {
      const { actions, step: number, source } = location;
      const lines = source === null ? [] : breakpoints.onLine(source.file, number);
      const hits = await hitBreakpoints([...lines, ...breakpoints.onActions(actions, number)], scope, output);
      const reason = lines.length > 0 ? 'breakpoint' : 'function breakpoint';
      if (hits.length > 0) return { reason, text: null, breakpoints: hits.map(({ id }) => id) };
    }
    const failure = failureOf(step);
    if (failure === null || !breakpoints.filters.has(failure.filter)) return null;
    const condition = breakpoints.filters.get(failure.filter);
    const stops = await conditionHolds(condition, scope, (text) => output('stderr', text));
    return stops ? { reason: 'exception', text: failure.text, breakpoints: [] } : null;
  }

  #onCall(phase: Phase, index: number): CallBreakpoint[] {
    return [...this.#options.breakpoints.onCall(this.#task.file, this.taskName, phase, index)];
  }

  /**
   * The change of the value of an evaluate call between two consecutive steps, and the call to stop at; null if the value is
   * the same. If the recording does not contain the earlier values, the replay stops where the call was evaluated.
   */
  async #changeOf(
    index: number,
    at: number,
    previous: number,
  ): Promise<{ readonly location: StopLocation; readonly text: string | null } | null> {
    const call = this.#task.evaluate[index];
    if (call === undefined) return null;
    const evaluationStep = this.stepOf({ phase: 'evaluate', index });
    const [now, before] = [
      await this.#valueAt(call, at, evaluationStep),
      await this.#valueAt(call, previous, evaluationStep),
    ];
    const outcome = { ...now, duration_ms: 0, step: null };
    const location: StopLocation = { kind: 'call', running: { phase: 'evaluate', index, call }, outcome };
    if (now.value !== null && before.value !== null) {
      if (now.value === before.value) return null;
      const [older, newer] = at > previous ? [before.value, now.value] : [now.value, before.value];
      const steps = this.#steps.slice(0, Math.max(at, previous) + 1).filter(({ source }) => source === 'agent').length;
      return { location, text: `${older} → ${newer} at step ${steps}` };
    }
    if (at !== evaluationStep || (await this.#valueAt(call, at - 1, evaluationStep)).value !== null) return null;
    return { location: this.#locationOf(at), text: null };
  }

  async #valueAt(call: Call, at: number, evaluationStep: number | null): Promise<Pick<Evaluation, 'value' | 'reason'>> {
    const step = evaluationStep !== null && at >= evaluationStep ? this.#steps[evaluationStep] : undefined;
    if (step !== undefined) return { value: step.reward, reason: reasonOf(step) };
    return at < 0 ? { value: null, reason: '' } : await this.#answers.ask(call, at);
  }

  #scope(at: number): ExpressionScope {
    const call = async (name: string, args: readonly Json[]) => (await this.#callFunction(name, args, at, true)).value;
    return expressionScope(this.#stateAt(at), call, (links) => this.#queryPage(links, at));
  }

  async #queryPage(links: readonly PageLink[], at: number): Promise<Json> {
    try {
      return await this.#answers.queryPage(links, at);
    } catch (error) {
      throw new ExpressionError((error as Error).message, { cause: error });
    }
  }

  async #callFunction(name: string, args: readonly Json[], at: number, passive: boolean): Promise<CallValue> {
    const phase = findBuiltin(name)?.phase;
    if (phase === 'setup')
      throw new ExpressionError(`${name} would change the page, and a recorded run cannot be changed.`);
    if (passive && phase === undefined) throw new ExpressionError(`${name} can only be called in the debug console.`);
    const call: Call = { function: name, args: [...args], range: EMPTY_RANGE };
    const { value, reason } = await this.#answers.ask(call, at);
    if (value === null) throw new ExpressionError(reason);
    return { value, reason };
  }

  #stateAt(at: number): StoppedState {
    const { header } = this.#options.run;
    const steps = this.#steps.slice(0, at + 1);
    const responseStep = steps.findLast((step) => typeof step.info['response'] === 'string');
    return {
      ...{ task: this.#task, prompt: header.prompt, seed: header.seed, steps },
      location: (at === this.#at ? this.#changedCall : null) ?? this.#locationOf(at),
      response: (responseStep?.info['response'] as string | undefined) ?? null,
    };
  }

  #locationOf(at: number): StopLocation {
    const step = this.#steps[at] as Step;
    const indexInPhase = this.#steps.slice(0, at).filter(({ source }) => source === step.source).length;
    if (step.source === 'agent') {
      const actions = inputsOf(step);
      const source = this.#actionFile?.sourceOf(indexInPhase + 1, printActions(actions)) ?? null;
      return { kind: 'action', actions, step: indexInPhase + 1, done: step, source };
    }
    if (step.call === undefined || (step.source !== 'setup' && step.source !== 'evaluate')) return { kind: 'start' };
    const range = this.#task[step.source][indexInPhase]?.range ?? step.call.range;
    const call: Call = { ...step.call, range };
    return { kind: 'call', running: { phase: step.source, index: indexInPhase, call }, outcome: outcomeOfStep(step) };
  }
}

/** The recorded task with the current ranges of its calls. Prints a message for calls that are not found. */
async function withCurrentRanges(host: DebugHost, task: Task, events: DebuggeeEvents): Promise<Task> {
  const name = taskName(task);
  const print = (text: string): void => events.output('console', text);
  try {
    const now = (await host.read(task.file)).rows.find((row) => row.name === name)?.task;
    if (now == null) {
      print(`The task “${name}” is no longer in ${task.file}. Its calls are shown at their recorded positions.`);
      return task;
    }
    return withRangesOf(now, task, (call, currentVersion) => {
      if (currentVersion?.function === call.function) return currentVersion;
      print(`${call.function} is no longer in the task. It is shown at its recorded position.`);
      return call;
    });
  } catch (error) {
    print(`${(error as Error).message}. Calls are shown at their recorded positions.`);
    return task;
  }
}

function outcomeOfStep(step: Step): CallOutcome {
  const { duration_ms, error } = step;
  if (error !== null && step.observation === null) {
    return { error: { message: error.message, code: 'call_threw' }, duration_ms };
  }
  return { value: step.reward, reason: reasonOf(step), duration_ms, step: null };
}

function reasonOf({ info: { reason } }: Step): string {
  return typeof reason === 'string' ? reason : '';
}

function failureOf(step: Step): { filter: ExceptionFilter; text: string } | null {
  const { source, error, reward, info } = step;
  if (error !== null) {
    const filter = source === 'agent' ? 'action-failed' : error.code === TIMEOUT ? 'time-limit' : 'evaluator-threw';
    return { filter, text: error.message };
  }
  if (source !== 'evaluate' || reward === null || reward >= 1) return null;
  return { filter: 'evaluator-failed', text: `${reward}: ${String(info['reason'] ?? '')}` };
}
