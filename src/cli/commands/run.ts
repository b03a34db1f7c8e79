import { AGENT_SYNTAX, agentPorts } from '../../agents/registry.ts';
import { GET_A_BROWSER } from '../../doctor/doctor.ts';
import { environmentKind } from '../../environments/kinds.ts';
import { PLACEMENT_DESCRIPTORS } from '../../placement/descriptors.ts';
import { jobIn, jobsFolder, type PlannedJob, reopenJob } from '../../runs/job/job.ts';
import { DEFAULT_RETRIES, defaultConcurrency, type JobRun, runsLeft } from '../../runs/job/job-runs.ts';
import { checkAgent, jobTasks } from '../../runs/job/job-tasks.ts';
import { printedRuns } from '../../runs/job/printed-runs.ts';
import { type PreparedJob, prepareJob, runJob } from '../../runs/job/run-job.ts';
import { SEEDS } from '../../runs/job/seeds.ts';
import { parseShard, type Shard } from '../../runs/job/shard.ts';
import { skippedRun } from '../../runs/job/skipped-run.ts';
import { displayPath } from '../../runs/selection/display-path.ts';
import { serversOf } from '../../runs/selection/own-tasks.ts';
import { select } from '../../runs/selection/select-tasks.ts';
import { UsageError } from '../../runs/usage-error.ts';
import type { Task } from '../../tasks/task.ts';
import { LIMITS } from '../../traces/limits.ts';
import type { Run } from '../../traces/trace.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  pathOption,
  retentionOf,
  textOption,
  wholeNumber,
} from '../command.ts';
import { HudTraces } from '../hud-traces.ts';
import { noteRemoval, withJobErrors, writeJunit } from '../jobs.ts';
import { limitHelp, readLimitOptions } from '../limit-options.ts';
import { checkPlacementOptions, placementHelp, readDocker, readPlacement } from '../placement-options.ts';
import { Progress } from '../progress.ts';
import { countText, verdictLines } from '../report.ts';

type RunOptions = ReturnType<typeof readOptions>;

function readOptions(context: CommandContext) {
  const placement = readPlacement(context);
  const order = textOption(context, 'seeds') ?? 'same';
  if (!SEEDS.some((one) => one === order)) {
    throw new UsageError('bad_option', `--seeds requires ${SEEDS.join(' or ')}, not “${order}”.`);
  }
  const part = textOption(context, 'shard');
  const shard = part === null ? null : parseShard(part);
  if (part !== null && shard === null) {
    throw new UsageError('bad_option', `--shard requires a number and how many there are, such as 2/4, not “${part}”.`);
  }
  const resume = pathOption(context, 'resume');
  if (shard !== null && resume === null) {
    throw new UsageError('bad_option', '--shard requires --resume JOB_DIR: plan the job first with --plan.');
  }
  const plan = context.values['plan'] === true;
  if (plan) refuse(context, '--plan makes no runs', MAKING_OPTIONS);
  // The plan of a resumed job has its placement.
  if (resume === null) checkPlacementOptions(context, placement, { needsImages: !plan });
  const lanes = wholeNumber(context, 'lanes', 1);
  const concurrency = wholeNumber(context, 'concurrency', 1) ?? lanes ?? defaultConcurrency();
  return {
    /** Plan the job, and make no run. */
    plan,
    docker: readDocker(context, concurrency),
    resume,
    shard,
    agent: textOption(context, 'agent'),
    seeds: {
      first: wholeNumber(context, 'seed', Number.MIN_SAFE_INTEGER) ?? 0,
      consecutive: order === 'consecutive',
    },
    group: wholeNumber(context, 'group', 1) ?? 1,
    concurrency,
    /** Null: the default. */
    retries: wholeNumber(context, 'retries', 0),
    limits: readLimitOptions(context),
    mask: context.values['mask'] === true,
    agentVariables: readVariableNames(context),
    placement,
    out: pathOption(context, 'out'),
    junit: pathOption(context, 'junit'),
    /** Folder for the runs as HUD's local trace files. */
    hudTraces: pathOption(context, 'hud-traces'),
  };
}

/** `NAME,NAME,…` */
function readVariableNames(context: CommandContext): readonly string[] {
  const names = (textOption(context, 'agent-env') ?? '').split(',').map((name) => name.trim());
  const wrong = names.find((name) => /[=\s]/.test(name));
  if (wrong !== undefined) {
    throw new UsageError('bad_option', `--agent-env requires names of environment variables, not “${wrong}”.`);
  }
  return names.filter((name) => name !== '');
}

async function prepare(context: CommandContext, options: RunOptions): Promise<PreparedJob> {
  const { cwd } = context;
  const { agent, placement, limits, mask, out, seeds, group, plan } = options;
  const selection = await select(context.positionals, cwd);
  if (agent !== null) checkAgent(agent, cwd);
  const tasks = jobTasks(selection, { agent, placement, cwd, hint: 'Specify an agent with --agent' });
  const warnings = tasks.map((one) => (PLACEMENT_DESCRIPTORS[one.placement].isolated ? null : localWarning(one.task)));
  for (const warning of new Set(warnings)) if (warning !== null) context.output.note(warning);
  return await withJobErrors(() =>
    prepareJob({
      ...{ tasks, seeds, cwd, mask, ...limits },
      repeats: group,
      root: out ?? jobsFolder(cwd),
      retention: retentionOf(context, out),
      portable: plan,
    }),
  );
}

/** The warning before a task runs on this machine. */
function localWarning(task: Task | null): string | null {
  const kind = task === null ? null : environmentKind(task.env);
  return kind !== null && 'kind' in kind ? (kind.kind.localWarning ?? null) : null;
}

/** Options that are part of the plan of a job. */
const PLANNED_OPTIONS = [
  'agent',
  'seed',
  'seeds',
  'group',
  ...Object.values(LIMITS).map(({ flag }) => flag),
  'mask',
  'placement',
  'out',
  'plan',
];

/** Options for making the runs. */
const MAKING_OPTIONS = [
  'concurrency',
  'retries',
  'hosts',
  'lanes',
  'registry',
  'namespace',
  'resume',
  'shard',
  'junit',
  'hud-traces',
  'verbose',
];

function refuse(
  context: CommandContext,
  reason: string,
  options: readonly string[],
  more: readonly string[] = [],
): void {
  const specified = options.filter((option) => context.values[option] !== undefined);
  const all = [...more, ...specified.map((option) => `--${option}`)];
  if (all.length > 0) {
    throw new UsageError('bad_option', `${reason} and cannot be combined with ${all.join(', ')}.`);
  }
}

async function resume(context: CommandContext, folder: string, { shard, docker }: RunOptions): Promise<PreparedJob> {
  const addresses = context.named ? ['ADDRESS'] : [];
  refuse(context, '--resume uses the options of the original job', PLANNED_OPTIONS, addresses);
  return await withJobErrors(async () => {
    const job = await reopenJob(await jobIn(folder), context.cwd);
    const agents = job.plan.runs.map(({ agent }) => agent);
    const servers = serversOf(async (kind) => context.placement(kind, 1, await agentPorts(agents), docker));
    const runs = await runsLeft(job, servers, shard);
    return { job, runs };
  });
}

async function run(context: CommandContext): Promise<number> {
  const { output, cwd, json, signal } = context;
  const options = readOptions(context);
  const { shard } = options;
  const hudTraces = options.hudTraces === null ? null : await HudTraces.create(options.hudTraces);
  const preparedJob =
    options.resume === null ? await prepare(context, options) : await resume(context, options.resume, options);
  const { runs, job } = preparedJob;
  if (options.plan && job !== null) return await printPlan(context, runs, job);

  const progress = new Progress(output, json, runs.length);
  const done = runs.filter((one) => one.done !== null).length;
  if (options.resume !== null) {
    const what = shard === null ? 'Resuming the job' : `Shard ${shard.number}/${shard.of} of the job`;
    output.note(`${what}: ${done} of ${countText(runs.length, 'run')} are finished.`);
  }
  const remaining = runs.length - done;
  const refusedPorts = await agentPorts(runs.map(({ plannedRun }) => plannedRun.agent));
  const { id, folder, results, statistics, failure } = await runJob(preparedJob, {
    concurrency: options.concurrency,
    retries: options.retries ?? DEFAULT_RETRIES,
    // The last runs use the environments of the first ones.
    placement: ({ plannedRun }) =>
      context.placement(
        plannedRun.placement,
        Math.max(0, Math.min(options.concurrency, remaining - options.concurrency)),
        refusedPorts,
        options.docker,
      ),
    started: ({ plannedRun }) => ({ listen: progress.follow(plannedRun) }),
    ended: (result, index) => {
      hudTraces?.add(result);
      if (runs[index]?.done) progress.finishedEarlier();
      else progress.add(result);
    },
    agentVariables: options.agentVariables,
    signal,
  });

  const hudFailure = (await hudTraces?.finish()) ?? null;
  const junitFailure = options.junit === null ? null : await writeJunit(options.junit, id, results);
  progress.end(results, folder, folder === null ? null : resumeHint(folder, cwd, results, shard));
  await noteRemoval(job, output);
  for (const reason of [failure?.message ?? null, hudFailure, junitFailure]) if (reason !== null) output.note(reason);
  if (results.some((result) => result.error?.code === 'browser_missing')) {
    for (const line of GET_A_BROWSER) output.note(line);
  }
  if (json) output.json({ job_id: id, runs: printedRuns(results), statistics });
  if (signal.aborted) return EXIT.interrupted;
  if (junitFailure !== null) return EXIT.badUse;
  if (failure !== null || hudFailure !== null) return EXIT.not;
  if (runs.some(({ plannedRun }) => plannedRun.error !== null)) return EXIT.badUse;
  return results.every((result) => result.success && result.status === 'completed') ? EXIT.fine : EXIT.not;
}

/** How to resume a job that was stopped; null if all runs ended. */
function resumeHint(folder: string, cwd: string, results: readonly Run[], shard: Shard | null): string | null {
  const remaining = results.filter((result) => result.status === 'cancelled').length;
  if (remaining === 0 || results.length < 2) return null;
  const part = shard === null ? '' : ` --shard ${shard.number}/${shard.of}`;
  return `${countText(remaining, 'run')} left: taskwright run --resume ${displayPath(folder, cwd)}${part}`;
}

/** Prints the plan, and leaves the job to the machines that make its runs. */
async function printPlan(
  { cwd, json, output }: CommandContext,
  runs: readonly JobRun[],
  job: PlannedJob,
): Promise<number> {
  await job.leave();
  await noteRemoval(job, output);
  const refusedRuns = runs.filter(({ plannedRun }) => plannedRun.error !== null);
  for (const { plannedRun } of refusedRuns) {
    for (const line of verdictLines(skippedRun(plannedRun), output.paintNote)) output.note(line);
  }
  if (json) output.json({ job_id: job.id, job_dir: job.folder, runs: job.plan.runs });
  else {
    const folder = displayPath(job.folder, cwd);
    output.print(`Planned ${countText(runs.length - refusedRuns.length, 'run')}: ${folder}`);
    output.note(`To make a part of them: taskwright run --resume ${folder} --shard 1/4`);
  }
  return refusedRuns.length > 0 ? EXIT.badUse : EXIT.fine;
}

export const runCommand: Command = {
  name: 'run',
  summary: 'Runs tasks with an agent and prints the reward and reasons of each run.',
  usage: 'ADDRESS... [--agent AGENT] [options] | --resume JOB_DIR [--shard I/N]',
  tasks: { none: { job_id: null, runs: [] } },
  help: [
    ['ADDRESS', 'A task (FILE#ID or FILE#INDEX), or a file or folder to run all tasks in it'],
    ['--agent AGENT', `The agent: ${AGENT_SYNTAX}. Default: the task's solution, ID.actions next to its file`],
    ['--agent-env NAME,…', 'Environment variables that the agent’s process gets, such as keys. Default: none of them'],
    ['--seed N', 'Seed of the environment. Default: 0'],
    ['--group N', 'Number of runs of each task. Default: 1'],
    [
      '--seeds same|consecutive',
      'Seeds of the runs of a task: all the same, or counting up from --seed. Default: same',
    ],
    ['--concurrency N', 'Maximum number of runs in parallel. Default: one per processor, up to 4'],
    ['--retries N', `Retry attempts if a browser, environment, or agent process crashes. Default: ${DEFAULT_RETRIES}`],
    ['--resume JOB_DIR', 'Resume a job that was stopped or killed. Finished runs are kept'],
    ['--plan', 'Plan the job and make no run, so that several machines can make its shards'],
    ['--shard I/N', 'With --resume: make only every Nth run of the plan, starting with the Ith'],
    ...limitHelp({ served: false }),
    ['--mask', 'Mask text typed into password fields. Values of sensitive_data are always masked'],
    ...placementHelp('Number of lanes in the swarm or cluster, and default of --concurrency'),
    ['--out DIR', 'Folder for recorded runs. Default: .taskwright/jobs in the current folder'],
    ['--json', 'Print {job_id, runs, statistics} as JSON'],
    ['--junit FILE', 'Write a JUnit XML report to FILE'],
    ['--hud-traces DIR', 'Also write each run to DIR as a trace of HUD 0.6'],
    ['--verbose', 'Also print the log of the environment server'],
  ],
  run,
};
