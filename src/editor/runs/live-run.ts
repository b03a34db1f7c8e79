import * as l10n from '@vscode/l10n';
import type { AgentAddress } from '../../agents/agent-kind.ts';
import type { ManualInput } from '../../agents/manual-input.ts';
import { Listeners } from '../../base/listeners.ts';
import type { PanelStatus } from '../../presentation/runs/messages.ts';
import type { ReadableRun } from '../../presentation/runs/readable-run.ts';
import type { RunEvent } from '../../runs/events.ts';
import { skippedRun } from '../../runs/job/skipped-run.ts';
import { LiveSwitch } from '../../runs/run/live-switch.ts';
import { taskName } from '../../tasks/name.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import type { RunError, RunRecord, Step, TraceHeader } from '../../traces/trace.ts';

/** A run in progress in this window. It exists before anything of it is on disk. */
export class LiveRun implements ReadableRun {
  readonly #task: Task;
  readonly agent: string;
  readonly seed: number;
  readonly runtime: PlacementKind;
  /** The user waits for it: it is shown, and its end is notified. False for runs of a job. */
  readonly foreground: boolean;
  readonly startedAt = new Date().toISOString();
  /** The user's input if the agent is `manual`; otherwise null. */
  readonly manualInput: ManualInput | null;
  /** On while a panel shows the live view. */
  readonly live = new LiveSwitch(false);
  readonly #abort = new AbortController();
  readonly #listeners = new Listeners<[event: RunEvent]>();
  readonly #pauseListeners = new Listeners<[]>();
  /** Returns a function that unsubscribes. */
  readonly onEvent = this.#listeners.add;
  /** Calls the listener when a debugger stops or continues the run. Returns a function that unsubscribes. */
  readonly onPause = this.#pauseListeners.add;
  readonly #steps: Step[] = [];
  #header: TraceHeader | null = null;
  #traceDir: string | null = null;
  #record: RunRecord | null = null;
  #phase = PHASES.environment;
  #hasStarted = false;
  #paused = false;
  #actions: ReadableRun['actions'];
  #address: AgentAddress | null = null;
  #waiting = false;
  #host: string | null = null;
  readonly #retryErrors: RunError[] = [];

  constructor(start: Pick<LiveRun, 'task' | 'agent' | 'seed' | 'runtime' | 'foreground' | 'manualInput'>) {
    this.#task = start.task;
    this.agent = start.agent;
    this.seed = start.seed;
    this.runtime = start.runtime;
    this.foreground = start.foreground;
    this.manualInput = start.manualInput;
  }

  /** As it was started, with its secrets. */
  get startedTask(): Task {
    return this.#task;
  }

  /** As in the trace once there is one, with secrets masked. */
  get task(): Task {
    return this.#header?.task ?? this.#task;
  }

  get runId(): string {
    return this.#header?.run_id ?? '';
  }

  get traceDir(): string | null {
    return this.#traceDir;
  }

  get prompt(): string {
    return this.#header?.prompt ?? this.task.prompt ?? '';
  }

  get record(): RunRecord | null {
    return this.#record;
  }

  get retried(): ReadableRun['retried'] {
    return this.#record?.retried ?? this.#retryErrors;
  }

  get actions(): ReadableRun['actions'] {
    return this.#record === null ? this.#actions : undefined;
  }

  /** Where an external agent connects, from when the run waits for one until it ends. */
  get agentAddress(): AgentAddress | null {
    return this.#record === null ? this.#address : null;
  }

  get waitingAt(): string | null {
    return this.#waiting ? (this.agentAddress?.url ?? null) : null;
  }

  get status(): PanelStatus {
    return this.#record?.status ?? (this.#paused ? 'paused' : this.#hasStarted ? 'running' : 'starting');
  }

  /** Where its environment is, if there are several hosts. */
  get host(): string | null {
    return this.#host;
  }

  /** Whether a debugger has stopped it. */
  get paused(): boolean {
    return this.#paused;
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#pauseListeners.notify();
  }

  /** The current activity. */
  get phase(): string {
    return this.#paused ? l10n.t('paused') : this.#phase;
  }

  /** Number of agent steps so far. */
  get agentSteps(): number {
    return this.#steps.filter(({ source }) => source === 'agent').length;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  async steps(): Promise<readonly Step[]> {
    return this.#steps;
  }

  async step(index: number): Promise<Step | undefined> {
    return this.#steps.find((step) => step.index === index);
  }

  /** Stops the run. It is graded if possible. */
  cancel(): void {
    this.#abort.abort();
  }

  /** Handles an event of the runner. */
  handle(event: RunEvent): void {
    switch (event.type) {
      case 'started':
        this.#hasStarted = true;
        this.#header = event.header;
        this.#traceDir = event.traceDir;
        break;
      case 'phase':
        this.#phase = phaseText(event, this.manualInput !== null);
        break;
      case 'actions':
        this.#actions = event.schema;
        break;
      case 'waiting':
        this.#waiting = event.address !== null;
        this.#address = event.address ?? this.#address;
        this.#phase = this.#waiting ? l10n.t('waiting for an agent') : PHASES.agent;
        break;
      case 'step':
        this.#steps.push(event.step);
        break;
      case 'hidden':
        this.#header = event.header;
        this.#steps.splice(0, Infinity, ...event.steps);
        break;
      case 'host':
        this.#host = event.host;
        break;
      case 'retry':
        this.#retryErrors.push(event.error);
        this.#phase = PHASES.environment;
        this.#steps.length = 0;
        this.#host = null;
        this.#address = null;
        break;
      case 'ended':
        this.#record = event.record;
        break;
    }
    this.#listeners.notify(event);
  }

  /** Ends a run that could not be recorded with an error. */
  fail(error: unknown): void {
    if (this.#record !== null) return;
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
    const { runId: run_id, task, agent, seed, startedAt: started_at } = this;
    const ids = { run_id, task_id: taskName(task), file: task.file, group_id: '' };
    const record: RunRecord = {
      ...skippedRun({ ...ids, agent, seed, error: { message, code } }),
      ...{ agent, started_at, trace_dir: this.#traceDir, prompt: this.prompt },
      steps: this.agentSteps,
      duration_ms: Date.now() - Date.parse(started_at),
      grade: { reward: null, done: false, content: null, info: {}, is_error: true, subscores: [] },
    };
    this.handle({ type: 'ended', record });
  }
}

type PhaseEvent = Extract<RunEvent, { type: 'phase' }>;

const PHASES: Record<PhaseEvent['phase'], string> = {
  environment: l10n.t('starting environment'),
  setup: l10n.t('running setup'),
  agent: l10n.t('agent is acting'),
  evaluate: l10n.t('evaluating'),
};

/** The activity of a run in a phase, or what it waits for if known. */
function phaseText({ phase, detail }: PhaseEvent, manual: boolean): string {
  if (manual && phase === 'agent') return l10n.t('waiting for your input');
  return detail ?? PHASES[phase];
}
