import { AgentError } from '../agents/agent-error.ts';
import { AGENT_SYNTAX, agentPorts, parseAgent } from '../agents/registry.ts';
import { DebugError } from '../debugger/debuggee.ts';
import type { DebugHost, DebugRunRequest } from '../debugger/host.ts';
import { refusal } from '../language/findings/diagnose.ts';
import { choosePlacement } from '../placement/choose.ts';
import { jobsFolder, startJob } from '../runs/job/job.ts';
import { describeRemoval } from '../runs/job/retention.ts';
import { select, selectedTasks } from '../runs/selection/select-tasks.ts';
import { solutionAgent } from '../runs/solutions/solution-agent.ts';
import { UsageError } from '../runs/usage-error.ts';
import { loadTaskFile } from '../tasks/discover.ts';
import type { Task } from '../tasks/task.ts';
import { newGroupId } from '../traces/names.ts';
import type { RunRecord } from '../traces/trace.ts';
import { type CommandContext, retentionOf } from './command.ts';

/** Host of the debug adapter without an editor: reads tasks from disk, and records runs as `taskwright run` does. */
export function terminalHost(context: Pick<CommandContext, 'cwd' | 'keep' | 'placement'>): DebugHost {
  const { cwd } = context;
  return {
    cwd,
    find: (address) => find(address, cwd),
    read: loadTaskFile,
    defaultSeed: () => 0,
    judging: () => context.placement('local', 1),
    run: (request) => run(request, context),
  };
}

async function find(address: string, cwd: string): Promise<Task> {
  try {
    const tasks = selectedTasks(await select([address], cwd));
    const [task, ...more] = tasks;
    if (task === undefined || more.length > 0) {
      const count = task === undefined ? 'no task' : `${tasks.length} tasks`;
      throw new DebugError(`${address} matches ${count}. Specify one as FILE#ID or FILE#INDEX.`);
    }
    const reason = refusal(task.file, task.row, task.userFunctions);
    if (reason !== null) throw new DebugError(reason.message);
    if (task.row.task === null) throw new DebugError(`${address} cannot be read as a task.`);
    return task.row.task;
  } catch (error) {
    throw error instanceof UsageError ? new DebugError(error.message, { cause: error }) : error;
  }
}

async function run(
  request: DebugRunRequest,
  context: Pick<CommandContext, 'cwd' | 'keep' | 'placement'>,
): Promise<RunRecord> {
  const { cwd } = context;
  const { task, seed, listen, signal } = request;
  const agent = request.agent ?? solutionAgent(task);
  if (agent === null) throw new DebugError(`The task has no solution. Specify an "agent": ${AGENT_SYNTAX}.`);
  try {
    parseAgent(agent, cwd);
  } catch (error) {
    throw error instanceof AgentError ? new DebugError(error.message, { cause: error }) : error;
  }
  const kind = choosePlacement(task, { requested: request.placement ?? null, setting: null });
  const environments = await context.placement(kind, 0, await agentPorts([agent]));
  const job = await startJob(jobsFolder(cwd), { retention: retentionOf(context, null) });
  try {
    const plan = { task, agent, seed, cwd, groupId: newGroupId(), debugger: request.debugger };
    return await job.run(plan, environments, listen, signal);
  } finally {
    await job.end();
    const removal = await job.removal;
    if (removal !== null) listen({ type: 'log', text: describeRemoval(removal) });
  }
}
