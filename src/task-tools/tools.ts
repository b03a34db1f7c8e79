import { dirname, join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { type ToolResult, textResult } from '../agents/mcp/tool.ts';
import { splitAgent } from '../agents/registry.ts';
import { defined } from '../base/defined.ts';
import { mediaTypeOf, readPicture } from '../formats/runs/picture.ts';
import { rulePages } from '../language/rules/page.ts';
import { jobsFolder } from '../runs/job/job.ts';
import type { Run, Step } from '../traces/trace.ts';
import { cutText, cutting, page, paging } from './paging.ts';
import { checkAgent, checkPath } from './path-check.ts';
import { checkRescoring, checkRun } from './run-check.ts';
import { readableTasks } from './task-check.ts';
import { type Printed, type TaskTool, TaskToolError, type ToolHost } from './tool.ts';

const path = z.string().min(1);
const address = path.describe('A task as FILE#ID or FILE#INDEX, or a file or folder for all of its tasks');
/** Maximum length of an observation, and of the other facts of a step, unless the agent requests the full text. */
const TEXT_LENGTH = 4_000;

const READ_ONLY = { readOnly: true, runsCode: false, confirms: () => false };
const RUNS_TASKS = { readOnly: false, runsCode: true, reads: 'tasks', confirms: () => true } as const;

/** Keeps the type of the input of a tool between its schema and its functions. */
function tool<Input>(of: TaskTool<Input>): TaskTool<Input> {
  return of;
}

const listTasks = tool({
  name: 'list_tasks',
  title: 'List Tasks',
  description:
    'Lists the tasks in a file or folder: address, environment, prompt, and whether the task can run. Use the addresses with the other tools.',
  input: z.strictObject({ path: path.default('.'), ...paging }),
  ...READ_ONLY,
  reads: 'tasks',
  announce: ({ path }) => `List the tasks in ${path}`,
  use: async (input, host, signal) => {
    const { paths, notes: leftOut } = await readableTasks(input.path, host);
    const { out, notes, exit } = await host.run(['list', '--', ...paths], signal);
    return pageResult({ out, notes: joinTexts(...leftOut, notes), exit }, input);
  },
});

const validateTasks = tool({
  name: 'validate_tasks',
  title: 'Validate Tasks',
  description:
    'Reports problems in tasks and their solutions without running them: place, severity, message, rule, and possible repairs. With "repair", writes repairs to the files first, and reports what is left.',
  input: z
    .strictObject({
      path: address.default('.'),
      repair: z
        .enum(['none', 'safe', 'likely'])
        .default('none')
        .describe('safe: repairs that keep the meaning of a task. likely: also the first repair of each other problem'),
      ...paging,
    })
    .refine(({ repair, offset }) => repair === 'none' || offset === 0, {
      path: ['offset'],
      message: 'Read on without repair.',
    }),
  readOnly: false,
  reads: 'tasks',
  runsCode: false,
  confirms: ({ repair }) => repair !== 'none',
  announce: ({ path, repair }) => (repair === 'none' ? `Validate ${path}` : `Validate and repair ${path}`),
  use: async (input, host, signal) => {
    const repairs = { none: [], safe: ['--fix'], likely: ['--fix', '--likely'] }[input.repair];
    const { paths, notes: leftOut } = await readableTasks(input.path, host);
    const args = ['validate', ...repairs, '--fixes', '--', ...paths];
    // Problems are the answer, not a failure.
    const { out, notes, exit } = await host.run(args, signal);
    const range = input.repair === 'none' ? input : { ...input, more: 'To read them, validate again without repair.' };
    return textResult(page(joinTexts(...leftOut, notes, out), range), exit !== 0 && out === '');
  },
});

const runTask = tool({
  name: 'run_task',
  title: 'Run Task',
  description:
    'Runs tasks and reports the reward, with the reason of each evaluate call, and the folder of each run for read_run. Without an agent, the solution of each task runs (ID.actions next to its file).',
  input: z.strictObject({
    address,
    agent: z
      .string()
      .min(1)
      .refine(
        (agent) => splitAgent(agent)?.kind.port === undefined,
        'This tool cannot wait for an agent that connects to the run.',
      )
      .optional()
      .describe('noop, integration_test, replay:FILE, module:FILE, or process:COMMAND'),
    seed: z.number().int().optional(),
    max_steps: z.number().int().min(1).optional(),
    timeout: z.number().positive().max(3600).default(300).describe('Time limit of each run in seconds'),
    ...cutting,
  }),
  ...RUNS_TASKS,
  announce: ({ address, agent }) => `Run ${address} with ${agent ?? 'its solution'}`,
  use: async (input, host, signal) => {
    if (input.agent !== undefined) await checkAgent(input.agent, host);
    const options = { agent: input.agent, seed: input.seed, 'max-steps': input.max_steps, timeout: input.timeout };
    const flags = Object.entries(defined(options)).map(([name, value]) => `--${name}=${value}`);
    // The runs are recorded there.
    await checkPath(jobsFolder(host.folder), host);
    const { paths, notes: leftOut } = await readableTasks(input.address, host);
    const args = ['run', '--json', ...host.runOptions, ...flags, '--', ...paths];
    const output = await host.run(args, signal);
    const { verdicts, logs } = splitNotes(output.notes);
    const { text, job } = runsOf(output, host);
    const more =
      job === null ? 'Ask for more with limit.' : `To read the verdicts of all runs, use read_run with ${job}.`;
    // A reward below 1 is an answer.
    return textResult(page(joinTexts(...leftOut, text, verdicts, logs), { ...input, more }), output.exit === 2);
  },
});

const readRun = tool({
  name: 'read_run',
  title: 'Read Run',
  description:
    'Reads a recorded run: prompt, steps, reward, and reasons. With "step", the observation after that step; with "picture", its screenshot.',
  input: z.strictObject({
    run: path.describe('Folder of a run, as run_task reports it'),
    step: z.number().int().min(0).optional().describe('Index of a step'),
    picture: z.boolean().default(false).describe('Also the screenshot after the step, or after the last one'),
    full: z.boolean().default(false).describe('The whole observation and whole lines, however long they are'),
    ...paging,
  }),
  ...READ_ONLY,
  reads: 'runs',
  announce: ({ run }) => `Read the run ${run}`,
  use: async (input, host, signal) => {
    const folder = await checkRun(input.run, host);
    if (input.step === undefined && !input.picture)
      return pageResult(await host.run(['show', '--', folder], signal), input);
    const output = await host.run(['show', '--json', '--', folder], signal);
    const { steps, error } = jsonOf<{ readonly steps?: readonly Step[] }>(output);
    if (steps === undefined) {
      throw new TaskToolError(error?.message ?? `${input.run} is not a single run. Specify the folder of one run.`);
    }
    return await stepResult(steps, input, resolve(host.folder, folder));
  },
});

const rescoreRuns = tool({
  name: 'rescore_runs',
  title: 'Re-score Runs',
  description:
    'Evaluates recorded runs again with the tasks as they are now, without an agent. Use it after you changed evaluate calls.',
  input: z.strictObject({
    run: path.describe('Folder of a run, or of a job for all its runs'),
    every_step: z.boolean().default(false).describe('Also the reward after each step'),
    ...cutting,
  }),
  ...RUNS_TASKS,
  announce: ({ run }) => `Re-score ${run}`,
  use: async (input, host, signal) => {
    const steps = input.every_step ? ['--every-step'] : [];
    const folder = await checkRescoring(input.run, host);
    const { out, notes, exit } = await host.run(['rescore', ...steps, '--', folder], signal);
    const more = 'To read the result of a run, re-score that run alone.';
    return textResult(page(joinTexts(out, notes), { ...input, more }), exit === 2);
  },
});

const explainRule = tool({
  name: 'explain_rule',
  title: 'Explain Rule',
  description: 'Explains a rule that validate_tasks names, such as unknown-function: why it exists and how to fix it.',
  input: z.strictObject({ code: z.string() }),
  ...READ_ONLY,
  reads: 'nothing',
  announce: ({ code }) => `Explain the rule ${code}`,
  use: async ({ code }) => {
    const pages = rulePages();
    const text = code === 'README' ? undefined : pages.get(`${code}.md`);
    if (text === undefined) throw new TaskToolError(`There is no rule ${code}. validate_tasks names the rules.`);
    return textResult(text);
  },
});

/** The tools of a coding agent that writes tasks, over MCP and in VS Code. */
export const TASK_TOOLS: readonly TaskTool[] = [
  listTasks,
  validateTasks,
  runTask,
  readRun,
  rescoreRuns,
  explainRule,
] as readonly TaskTool<unknown>[] as readonly TaskTool[];

/** The folder of each run, or why there is none, from what `run --json` printed, and the folder of their job. */
function runsOf(output: Printed, { folder }: ToolHost): { readonly text: string; readonly job: string | null } {
  const { error, runs = [] } = jsonOf<{ readonly runs?: readonly Run[] }>(output);
  if (error !== undefined) {
    // The message is about the option of the command line.
    return { text: error.code === 'no_agent' ? 'No task has a solution. Specify an agent.' : error.message, job: null };
  }
  const recordedRuns = runs.flatMap(({ task_id: name, trace_dir: run }) => (run === null ? [] : [{ name, run }]));
  const [first] = recordedRuns;
  if (first === undefined) return { text: '', job: null };
  const lines = recordedRuns.map(({ name, run }) => `${name}: ${relative(folder, run)}`);
  return { text: joinTexts('Recorded runs, for read_run:', ...lines), job: relative(folder, dirname(first.run)) };
}

/** The value that a command printed with `--json`. Throws `TaskToolError` if it printed none. */
function jsonOf<Value>({
  out,
  notes,
}: Printed): Value & { readonly error?: { readonly message: string; readonly code: string } } {
  try {
    return JSON.parse(out);
  } catch (cause) {
    // The process was ended, or crashed.
    throw new TaskToolError(joinTexts(notes) || 'Taskwright ended without a result.', { cause });
  }
}

/** The notes of a run: its log lines begin with the task in brackets, and further lines of a note with a bar. */
function splitNotes(notes: string): { readonly verdicts: string; readonly logs: string } {
  const [verdicts, logs]: [string[], string[]] = [[], []];
  let last = verdicts;
  for (const line of notes.split('\n')) {
    if (!line.startsWith('    │ ')) last = line.startsWith('[') ? logs : verdicts;
    last.push(line);
  }
  return { verdicts: verdicts.join('\n'), logs: logs.join('\n') };
}

function joinTexts(...texts: readonly string[]): string {
  return texts
    .map((text) => text.replace(/\n+$/, ''))
    .filter((text) => text !== '')
    .join('\n');
}

/** A page of what a command printed. It failed if its exit code is not 0. */
function pageResult({ out, notes, exit }: Printed, range: Parameters<typeof page>[1]): ToolResult {
  return textResult(page(joinTexts(notes, out), range), exit !== 0);
}

async function stepResult(
  steps: readonly Step[],
  { step: index, picture, full }: { step?: number | undefined; picture: boolean; full: boolean },
  folder: string,
): Promise<ToolResult> {
  const step =
    index === undefined
      ? steps.findLast(({ observation }) => observation !== null)
      : steps.find((one) => one.index === index);
  if (step === undefined) {
    const missing = index === undefined ? 'no observation' : `no step ${index}`;
    throw new TaskToolError(`The run has ${missing}. It has ${steps.length} steps.`);
  }
  const { source, action, call, error, info, observation } = step;
  const facts = { index: step.index, source, action, call: call?.function, error, reason: info['reason'] };
  const texts = [JSON.stringify(facts), observation?.text ?? ''];
  const isCut = !full && texts.some((text) => text.length > TEXT_LENGTH);
  const shortTexts = isCut
    ? [...texts.map((text) => cutText(text, TEXT_LENGTH)), 'Ask for all of it with full.']
    : texts;
  const content: ToolResult['content'][number][] = [{ type: 'text', text: shortTexts.join('\n') }];
  const screenshot = observation?.screenshot ?? null;
  if (picture && screenshot !== null) {
    const read = await readPicture(join(folder, screenshot), folder);
    content.push(
      'data' in read
        ? { type: 'image', data: Buffer.from(read.data).toString('base64'), mimeType: mediaTypeOf(read) }
        : { type: 'text', text: `The picture was left out: ${read.reason}.` },
    );
  }
  return { content, isError: false };
}
