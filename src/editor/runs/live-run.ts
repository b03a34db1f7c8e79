import type { ManualInput } from '../../runs/agents/manual/manual-input.ts';
import type { RunEvent } from '../../runs/run/events.ts';
import { LiveSwitch } from '../../runs/run/live-switch.ts';
import type { RunRecord, Step, TraceHeader } from '../../runs/store/trace.ts';
import { taskName } from '../../tasks/name.ts';
import type { PlacementKind } from '../../tasks/placement-kind.ts';
import type { Task } from '../../tasks/task.ts';
import type { PanelStatus } from '../panel/messages.ts';
import type { ShownRun } from './shown-run.ts';

/** A run that this window is making. Exists from the moment Run is pressed, before anything of it is on disk. */
export class LiveRun implements ShownRun {
  readonly #task: Task;
  readonly agent: string;
  readonly seed: number;
  readonly runtime: PlacementKind;
  /** The person waits for it: it is shown, and told of. One of many runs is not. */
  readonly attended: boolean;
  readonly startedAt = new Date().toISOString();
  /** What the person does who is this run's agent; null where another one is. */
  readonly manualInput: ManualInput | null;
  /** Turned on while a panel shows the live picture. */
  readonly live = new LiveSwitch(false);
  readonly #abort = new AbortController();
  readonly #listeners = new Set<(event: RunEvent) => void>();
  readonly #steps: Step[] = [];
  #header: TraceHeader | null = null;
  #traceDir: string | null = null;
  #record: RunRecord | null = null;
  #phase = PHASES.environment;
  #began = false;

  constructor(start: {
    task: Task;
    agent: string;
    seed: number;
    runtime: PlacementKind;
    attended: boolean;
    manualInput: ManualInput | null;
  }) {
    this.#task = start.task;
    this.agent = start.agent;
    this.seed = start.seed;
    this.runtime = start.runtime;
    this.attended = start.attended;
    this.manualInput = start.manualInput;
  }

  /** As it stands in the trace from the moment there is one: without what is masked. */
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

  get status(): PanelStatus {
    return this.#record?.status ?? (this.#began ? 'running' : 'starting');
  }

  /** What it is doing right now, for a line of text. */
  get phase(): string {
    return this.#phase;
  }

  /** Steps of the agent so far. */
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

  /** Asks the run to end; it is graded where that is possible. */
  cancel(): void {
    this.#abort.abort();
  }

  /** Returns the function that stops listening. */
  onEvent(listener: (event: RunEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** What the Runner tells. */
  take(event: RunEvent): void {
    switch (event.type) {
      case 'started':
        this.#began = true;
        this.#header = event.header;
        this.#traceDir = event.traceDir;
        break;
      case 'phase':
        this.#phase = phaseText(event, this.manualInput !== null);
        break;
      case 'step':
        this.#steps.push(event.step);
        break;
      case 'hidden':
        this.#header = event.header;
        this.#steps.splice(0, Infinity, ...event.steps);
        break;
      case 'retry':
        this.#steps.length = 0;
        break;
      case 'ended':
        this.#record = event.record;
        break;
      default:
        break;
    }
    for (const listener of this.#listeners) listener(event);
  }

  /** The run could not even be recorded: ends it with what went wrong. */
  fail(error: unknown): void {
    if (this.#record !== null) return;
    const message = error instanceof Error ? error.message : String(error);
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'failed';
    this.take({
      type: 'ended',
      record: {
        run_id: this.runId,
        task_id: taskName(this.task),
        file: this.task.file,
        group_id: '',
        seed: this.seed,
        status: 'error',
        reward: null,
        success: false,
        truncated: false,
        error: { message, code },
        steps: this.agentSteps,
        duration_ms: Date.now() - Date.parse(this.startedAt),
        started_at: this.startedAt,
        trace_dir: this.#traceDir,
        prompt: this.prompt,
        grade: { reward: null, done: false, content: null, info: {}, is_error: true, subscores: [] },
      },
    });
  }
}

type PhaseEvent = Extract<RunEvent, { type: 'phase' }>;

const PHASES: Record<PhaseEvent['phase'], string> = {
  environment: 'starting the environment',
  setup: 'setting up',
  agent: 'the agent acts',
  evaluate: 'evaluating',
};

/** What a run does in a phase, for a line of text; what it waits for, where that is known. */
function phaseText({ phase, detail }: PhaseEvent, manual: boolean): string {
  if (manual && phase === 'agent') return 'you act by hand';
  return detail ?? PHASES[phase];
}
