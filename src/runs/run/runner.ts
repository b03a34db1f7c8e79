import { join } from 'node:path';
import { boundedLog } from '../../agents/agent-process.ts';
import { parseAgent } from '../../agents/registry.ts';
import { defined } from '../../base/defined.ts';
import type { Placement } from '../../placement/placement.ts';
import { isSuccess } from '../../results/reward.ts';
import { taskName } from '../../tasks/name.ts';
import type { Grade, RunError, RunRecord } from '../../traces/trace.ts';
import type { RunListener } from '../events.ts';
import { Attempt } from './attempt.ts';
import { gradeOfAgentFault, isAgentFault } from './blame.ts';
import { Cancelled, INTERNAL, RunFailure, toRunError } from './failure.ts';
import type { OrderedEvents } from './ordered-events.ts';
import type { RunPlan } from './plan.ts';
import { createRunContext, type RunContext } from './run-context.ts';
import type { RunTrace } from './run-trace.ts';
import { withheldFiles } from './withheld-files.ts';

/** How the phases of a run ended. */
interface Outcome {
  readonly grade: Grade;
  readonly error: RunError | null;
  readonly isCancelled?: boolean;
  /** The agent caused the end. */
  readonly blamesAgent?: boolean;
}

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
  const startedAt = performance.now();
  const context = createRunContext(plan, placement, listener, signal);
  const { mask, events, clock, trace } = context;
  const attempt = new Attempt(context);
  const closing: Promise<void>[] = [];
  const outcome = await runPhases(context, attempt, closing);
  const { grade } = outcome;
  let { error } = outcome;
  await attempt.end(grade, error);
  const isCancelled = outcome.isCancelled === true || clock.stop.reason instanceof Cancelled;
  clock.dispose();
  closing.push(attempt.session.close());
  await events.settle().catch((reason: unknown) => {
    error ??= describeFailure(reason, events);
  });
  if (isCancelled) error = null;
  const reward = error === null ? grade.reward : null;
  const record: RunRecord = {
    ...identityOf(plan, trace),
    status: isCancelled ? 'cancelled' : error === null ? 'completed' : 'error',
    reward,
    success: isSuccess(reward),
    truncated: attempt.loop.truncated,
    error,
    steps: attempt.loop.steps,
    duration_ms: Math.round(performance.now() - startedAt),
    trace_dir: trace.folder,
    ...defined({ host: attempt.session.host }),
    prompt: trace.prompt,
    grade: { ...grade, reward, is_error: error !== null },
    ...(outcome.blamesAgent || attempt.evaluation.blamesAgent ? { blame: 'agent' as const } : {}),
  };
  const result = await writeRecord(trace, mask?.record(record) ?? record);
  await Promise.all(closing);
  events.emit({ type: 'ended', record: result });
  return result;
}

/** Runs all phases, and grades the run. `closing` gets what closes meanwhile. Never rejects. */
async function runPhases(context: RunContext, attempt: Attempt, closing: Promise<void>[]): Promise<Outcome> {
  const { clock, events, plan } = context;
  try {
    await runUntilGraded(context, attempt, closing);
    const grade = await attempt.grade();
    const { error } = attempt.evaluation;
    if (error === null && plan.client !== undefined) await attempt.loop.linger(plan.client, grade.reward);
    return { grade, error };
  } catch (cause) {
    const grade = attempt.partialGrade;
    // A failure of the run itself is more specific than the reason of the abort.
    const isSpecific = cause instanceof RunFailure || cause instanceof Cancelled || !clock.stop.aborted;
    const reason: unknown = isSpecific ? cause : clock.stop.reason;
    if (reason instanceof Cancelled) return { grade, error: null, isCancelled: true };
    const error = describeFailure(reason, events);
    if (!isAgentFault(error, attempt.loop.answers, plan.task.env)) return { grade, error };
    return { grade: gradeOfAgentFault(error, grade), error: null, blamesAgent: true };
  }
}

/** The phases before the evaluate calls. */
async function runUntilGraded(
  { plan, events, trace }: RunContext,
  attempt: Attempt,
  closing: Promise<void>[],
): Promise<void> {
  // The trace starts as soon as the prompt is known: at once, or after the environment returns a goal.
  if (trace.prompt !== '') await trace.start();
  const { agent, files } = await openAgent(plan, events);
  try {
    const start = await attempt.reset(withheldFiles(plan, files));
    if (trace.prompt === '') trace.prompt = start.goal ?? '';
    if (trace.prompt === '') {
      throw new RunFailure({
        message: 'The task has no prompt, and its environment returns no goal. Add a "prompt" to the task.',
        code: 'no_prompt',
      });
    }
    void trace.start();
    await attempt.setUp(start);
    await attempt.loop.run(agent, () => attempt.evaluation.judge());
  } finally {
    // The agent ends while the evaluate calls run.
    closing.push(agent.close());
  }
}

/** The error for `run.json`. A bug of Taskwright is logged with its stack. */
function describeFailure(reason: unknown, events: OrderedEvents): RunError {
  const error = toRunError(reason);
  if (error.code === INTERNAL && reason instanceof Error) {
    events.emit({ type: 'log', text: reason.stack ?? reason.message });
  }
  return error;
}

/** Writes the record. Resolves with it, or with one of the failure if it cannot be written. */
async function writeRecord(trace: RunTrace, record: RunRecord): Promise<RunRecord> {
  try {
    await trace.end(record);
    return record;
  } catch (failure) {
    const grade = { ...record.grade, reward: null, is_error: true };
    const error = toRunError(failure);
    return { ...record, status: 'error', reward: null, success: false, error, trace_dir: null, grade };
  }
}

/** The fields of a record that the plan and the debugger give. */
function identityOf(plan: RunPlan, { header: { run_id, started_at, debugged } }: RunTrace) {
  return {
    run_id,
    task_id: taskName(plan.task),
    file: plan.task.file,
    group_id: plan.groupId,
    agent: plan.agent,
    seed: plan.seed,
    started_at,
    ...defined({ retried: plan.retried, debugged }),
    ...(plan.debugger?.edited === true ? { edited: true as const } : {}),
  };
}

/** Opens the agent. `files`: those that belong to it. Rejects with `AgentError`. */
async function openAgent(plan: RunPlan, events: OrderedEvents) {
  const { client, agent, cwd, agentProgram, agentVariables = [], task, manualInput } = plan;
  if (client !== undefined) return { agent: client, files: [] };
  const { files, open } = parseAgent(agent, cwd);
  const openedAgent = await open({
    cwd,
    program: agentProgram ?? join(__dirname, 'agent.js'),
    environment: task.env,
    variables: agentVariables,
    manualInput: manualInput ?? null,
    offer: (address) => events.emit({ type: 'waiting', address }),
    show: (turn) => events.emit({ type: 'turn', turn }),
    log: boundedLog((text) => events.emit({ type: 'log', text: `agent: ${text}` })),
  });
  return { agent: openedAgent, files };
}
