import { join } from 'node:path';
import type { Placement } from '../../placement/placement.ts';
import { newRunId, newTraceId } from '../../traces/names.ts';
import type { NewStep } from '../../traces/new-step.ts';
import { RECORDED } from '../../traces/origin.ts';
import { type RunRecord, type Step, TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '../../traces/trace.ts';
import type { Mask } from '../masking/mask.ts';
import type { OrderedEvents } from './ordered-events.ts';
import type { RunPlan } from './plan.ts';
import { Recorder } from './recorder.ts';

/** The trace of a run: begins when the prompt is known, and is written in the order of the events, masked. */
export class RunTrace {
  readonly folder: string;
  readonly header: Omit<TraceHeader, 'prompt'>;
  /** Empty until the environment returns a goal, if the task has no prompt. */
  prompt: string;
  /** Resolves with the last step when it is on disk. */
  lastStep: Promise<Step | null> = Promise.resolve(null);
  readonly #plan: RunPlan;
  readonly #events: OrderedEvents;
  readonly #mask: Mask | null;
  #recorder: Promise<Recorder> | null = null;

  constructor(plan: RunPlan, placement: Placement, events: OrderedEvents, mask: Mask | null) {
    this.#plan = plan;
    this.#events = events;
    this.#mask = mask;
    this.prompt = plan.task.prompt ?? '';
    this.header = {
      format: TRACE_FORMAT,
      version: TRACE_VERSION,
      run_id: plan.runId ?? newRunId(plan.task),
      job_id: plan.jobId,
      group_id: plan.groupId,
      trace_id: newTraceId(),
      task: plan.task,
      seed: plan.seed,
      agent: plan.agent,
      runtime: placement.kind,
      origin: RECORDED,
      started_at: new Date().toISOString(),
      ...(plan.debugger?.debugged === true ? { debugged: true as const } : {}),
    };
    this.folder = join(plan.out, plan.jobId, this.header.run_id);
  }

  /** Creates the trace, unless it exists already. */
  start(): Promise<Recorder> {
    this.#recorder ??= this.#events.write(async (emit) => {
      const complete = { ...this.header, prompt: this.prompt };
      const header = this.#mask?.header(complete) ?? complete;
      const recorder = await Recorder.create(this.folder, header);
      emit({ type: 'started', header, traceDir: this.folder });
      return recorder;
    });
    return this.#recorder;
  }

  /**
   * Starts writing a step. It is on disk before the next action, while the agent already works on its answer.
   *
   * @param secrets text that this step typed into password fields
   */
  write(step: NewStep, secrets: readonly string[] = []): void {
    const mask = this.#mask;
    const isEdited = this.#plan.debugger?.edited === true;
    const complete = isEdited ? { ...step, info: { ...step.info, edited: true } } : step;
    // Events from here on are masked.
    const hasNewSecrets = mask?.addTyped(secrets, step.action) === true;
    const recording = this.start();
    this.lastStep = this.#events.write(async (emit) => {
      const recorder = await recording;
      const maskedLines = mask !== null && hasNewSecrets ? await recorder.hide(mask) : null;
      if (maskedLines !== null) emit({ type: 'hidden', ...maskedLines });
      const line = await recorder.step(mask?.step(complete, secrets) ?? complete);
      emit({ type: 'step', step: line });
      return line;
    });
  }

  /** Ends the trace with the record of the run. */
  async end(record: RunRecord): Promise<void> {
    await (await this.start()).end(record);
  }
}
