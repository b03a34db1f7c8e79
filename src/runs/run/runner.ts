import { join } from 'node:path';
import type { Agent } from '../../agents/agent.ts';
import { boundedLog } from '../../agents/agent-process.ts';
import { parseAgent } from '../../agents/registry.ts';
import { defined } from '../../base/defined.ts';
import type { KnownFile } from '../../environments/known-file.ts';
import type { Placement } from '../../placement/placement.ts';
import { isSuccess } from '../../results/reward.ts';
import { taskName } from '../../tasks/name.ts';
import { newRunId, newTraceId } from '../../traces/names.ts';
import { RECORDED } from '../../traces/origin.ts';
import {
  type Grade,
  type RunError,
  type RunRecord,
  TRACE_FORMAT,
  TRACE_VERSION,
  type TraceHeader,
} from '../../traces/trace.ts';
import type { RunListener } from '../events.ts';
import { Mask } from '../masking/mask.ts';
import { Attempt } from './attempt.ts';
import { gradeOfAgentFault, isAgentFault } from './blame.ts';
import { Cancelled, INTERNAL, RunFailure, toRunError } from './failure.ts';
import { OrderedEvents } from './ordered-events.ts';
import type { RunPlan } from './plan.ts';
import { Recorder } from './recorder.ts';
import { RunClock } from './run-clock.ts';
import { withheldFiles } from './withheld-files.ts';

const UNGRADED: Grade = { reward: null, done: false, content: null, info: {}, is_error: false, subscores: [] };

/**
 * One run of one task: reset, setup, agent loop, evaluate, grade; recorded step by step in `trace.jsonl`. Never rejects:
 * failures are in the record's `status` and `error`. If the run could not be recorded, its `trace_dir` is null.
 */
export async function runTask(
  plan: RunPlan,
  placement: Placement,
  listener: RunListener,
  signal: AbortSignal,
): Promise<RunRecord> {
  const { task } = plan;
  const mask = Mask.of(task, plan.mask === true);
  const events = new OrderedEvents(mask === null ? listener : (event) => listener(mask.event(event)));
  const startedAt = performance.now();
  const header = headerOf(plan, placement);
  const folder = join(plan.out, plan.jobId, header.run_id);
  let recorder: Promise<Recorder> | null = null;
  let prompt = task.prompt ?? '';
  const record = (): Promise<Recorder> => {
    recorder ??= events.write(async (emit) => {
      const complete = { ...header, prompt };
      const stored = mask === null ? complete : mask.header(complete);
      const created = await Recorder.create(folder, stored);
      emit({ type: 'started', header: stored, traceDir: folder });
      return created;
    });
    return recorder;
  };

  const signals = new RunClock(signal, plan.limits?.timeout_ms);
  const attempt = new Attempt(plan, placement, events, signals, mask);
  let grade = UNGRADED;
  let error: RunError | null = null;
  let cancelled = false;
  let blame: RunRecord['blame'];
  const closing: Promise<void>[] = [];
  const fail = (reason: unknown): void => {
    error = toRunError(reason);
    if (error.code === INTERNAL && reason instanceof Error)
      events.emit({ type: 'log', text: reason.stack ?? reason.message });
  };
  try {
    // The trace starts as soon as the prompt is known: at once, or after the environment returns a goal.
    if (prompt !== '') await record();
    const { agent, files } = await openAgent(plan, events);
    try {
      const start = await attempt.reset(withheldFiles(plan, files));
      if (prompt === '') prompt = start.goal ?? '';
      if (prompt === '') {
        throw new RunFailure({
          message: 'The task has no prompt, and its environment returns no goal. Add a "prompt" to the task.',
          code: 'no_prompt',
        });
      }
      attempt.record(record(), prompt);
      await attempt.setUp(start);
      await attempt.runAgent(agent);
    } finally {
      // The agent ends while the evaluate calls run.
      closing.push(agent.close());
    }
    cancelled = signals.stop.reason instanceof Cancelled;
    grade = await attempt.grade();
    error = attempt.evaluation.error;
  } catch (thrown) {
    // A failure of the run itself is more specific than the reason of the abort.
    const isSpecific = thrown instanceof RunFailure || thrown instanceof Cancelled || !signals.stop.aborted;
    const reason: unknown = isSpecific ? thrown : signals.stop.reason;
    if (reason instanceof Cancelled) cancelled = true;
    else fail(reason);
    grade = attempt.partialGrade;
    if (error !== null && isAgentFault(error, attempt.answers)) {
      blame = 'agent';
      grade = gradeOfAgentFault(error, grade);
      error = null;
    }
  } finally {
    await attempt.end(grade, error);
    cancelled ||= signals.stop.reason instanceof Cancelled;
    signals.dispose();
    closing.push(attempt.close());
  }
  try {
    await events.settled();
  } catch (thrown) {
    if (error === null) fail(thrown);
  }
  if (cancelled) error = null;
  const reward = error === null ? grade.reward : null;
  const unmasked: RunRecord = {
    ...identityOf(plan, header),
    status: cancelled ? 'cancelled' : error === null ? 'completed' : 'error',
    reward,
    success: isSuccess(reward),
    truncated: attempt.truncated,
    error,
    steps: attempt.steps,
    duration_ms: Math.round(performance.now() - startedAt),
    trace_dir: folder,
    ...defined({ host: attempt.host ?? undefined }),
    prompt,
    grade: { ...grade, reward, is_error: error !== null },
    ...(blame === undefined && !attempt.evaluation.blamesAgent ? {} : { blame: 'agent' as const }),
  };
  let result = mask === null ? unmasked : mask.record(unmasked);
  try {
    await (await record()).end(result);
  } catch (thrown) {
    const failure = toRunError(thrown);
    const ungraded = { ...result.grade, reward: null, is_error: true };
    result = {
      ...result,
      status: 'error',
      reward: null,
      success: false,
      error: failure,
      trace_dir: null,
      grade: ungraded,
    };
  } finally {
    await Promise.all(closing);
  }
  events.emit({ type: 'ended', record: result });
  return result;
}

function headerOf(plan: RunPlan, placement: Placement): Omit<TraceHeader, 'prompt'> {
  return {
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
}

/** What of a record the plan and the debugger say. */
function identityOf(plan: RunPlan, { run_id, started_at }: Pick<TraceHeader, 'run_id' | 'started_at'>) {
  return {
    run_id,
    task_id: taskName(plan.task),
    file: plan.task.file,
    group_id: plan.groupId,
    agent: plan.agent,
    seed: plan.seed,
    started_at,
    ...defined({ retried: plan.retried }),
    ...(plan.debugger?.debugged === true ? { debugged: true as const } : {}),
    ...(plan.debugger?.edited === true ? { edited: true as const } : {}),
  };
}

/** Opens the agent. `files`: those that belong to it. Rejects with `AgentError`. */
async function openAgent(
  { client, agent, cwd, agentProgram, task, manualInput }: RunPlan,
  events: OrderedEvents,
): Promise<{ readonly agent: Agent; readonly files: readonly KnownFile[] }> {
  if (client !== undefined) return { agent: client, files: [] };
  const { files, open } = parseAgent(agent, cwd);
  const opened = await open({
    cwd,
    program: agentProgram ?? join(__dirname, 'agent.js'),
    environment: task.env,
    manualInput: manualInput ?? null,
    offer: (address) => events.emit({ type: 'waiting', address }),
    show: (turn) => events.emit({ type: 'turn', turn }),
    log: boundedLog((text) => events.emit({ type: 'log', text: `agent: ${text}` })),
  });
  return { agent: opened, files };
}
