import { join, relative, resolve } from 'node:path';
import * as z from 'zod';
import { rulePages } from '../language/rules/page.ts';
import type { ToolResult } from '../runs/agents/mcp/tool.ts';
import { mediaTypeOf, readPicture } from '../runs/formats/picture.ts';
import type { Run, Step } from '../runs/store/trace.ts';
import { checkAgentInside, checkFilesInside, inside } from './inside.ts';
import { page, paging } from './paging.ts';
import { type Printed, type TaskTool, TaskToolError, type ToolHost, textResult } from './tool.ts';

const path = z.string().min(1);
const address = path.describe('A task as FILE#ID or FILE#INDEX, or a file or folder for all of its tasks');
/** Most characters of an observation, unless the agent asks for all of it. */
const OBSERVATION_LENGTH = 4_000;

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
  readOnly: true,
  runsCode: false,
  confirms: () => false,
  announce: ({ path }) => `List the tasks in ${path}`,
  use: async (input, host, signal) => {
    const printed = await host.run(['list', '--', await inside(input.path, host)], signal);
    return paged(printed, input);
  },
});

const validateTasks = tool({
  name: 'validate_tasks',
  title: 'Validate Tasks',
  description:
    'Reports problems in tasks and their solutions without running them: place, severity, message, rule, and possible repairs. With "repair", writes repairs to the files first, and reports what is left.',
  input: z.strictObject({
    path: address.default('.'),
    repair: z
      .enum(['none', 'safe', 'likely'])
      .default('none')
      .describe('safe: repairs that keep the meaning of a task. likely: also the first repair of each other problem'),
    ...paging,
  }),
  readOnly: false,
  runsCode: false,
  confirms: ({ repair }) => repair !== 'none',
  announce: ({ path, repair }) => (repair === 'none' ? `Validate ${path}` : `Validate and repair ${path}`),
  use: async (input, host, signal) => {
    const repairs = { none: [], safe: ['--fix'], likely: ['--fix', '--likely'] }[input.repair];
    if (input.repair !== 'none') await checkFilesInside(input.path, host);
    const args = ['validate', ...repairs, '--fixes', '--', await inside(input.path, host)];
    // Problems are what was asked for.
    return paged(await host.run(args, signal), input, (exit, out) => exit !== 0 && out === '');
  },
});

const runTask = tool({
  name: 'run_task',
  title: 'Run Task',
  description:
    'Runs tasks and tells the reward, with the reason of each evaluate call, and the folder of each run for read_run. Without an agent, the solution of each task runs (ID.actions next to its file).',
  input: z.strictObject({
    address,
    agent: z.string().min(1).optional().describe('noop, replay:FILE, module:FILE, or process:COMMAND'),
    seed: z.number().int().optional(),
    max_steps: z.number().int().min(1).optional(),
    timeout: z.number().positive().max(3600).default(300).describe('Time limit of each run in seconds'),
    ...paging,
  }),
  readOnly: false,
  runsCode: true,
  confirms: () => true,
  announce: ({ address, agent }) => `Run ${address} with ${agent ?? 'its solution'}`,
  use: async (input, host, signal) => {
    if (input.agent !== undefined) await checkAgentInside(input.agent, host);
    const options = { agent: input.agent, seed: input.seed, 'max-steps': input.max_steps, timeout: input.timeout };
    const given = Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${value}`],
    );
    const printed = await host.run(['run', '--json', ...given, '--', await inside(input.address, host)], signal);
    // A reward below 1 is an answer.
    return paged({ ...printed, out: runsOf(printed.out, host) }, input, (exit) => exit === 2);
  },
});

const readRun = tool({
  name: 'read_run',
  title: 'Read Run',
  description:
    'Reads a recorded run: prompt, steps, reward, and reasons. With "step", the observation after that step; with "picture", its screenshot.',
  input: z.strictObject({
    run: path.describe('Folder of a run, as run_task tells it'),
    step: z.number().int().min(0).optional().describe('Index of a step'),
    picture: z.boolean().default(false).describe('Also the screenshot after the step, or after the last one'),
    full: z.boolean().default(false).describe('The whole observation, however long it is'),
    ...paging,
  }),
  readOnly: true,
  runsCode: false,
  confirms: () => false,
  announce: ({ run }) => `Read the run ${run}`,
  use: async (input, host, signal) => {
    const folder = await inside(input.run, host);
    if (input.step === undefined && !input.picture) return paged(await host.run(['show', '--', folder], signal), input);
    const printed = await host.run(['show', '--json', '--', folder], signal);
    if (printed.exit !== 0) return paged(printed, input);
    const { steps } = JSON.parse(printed.out) as { readonly steps: readonly Step[] };
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
    ...paging,
  }),
  readOnly: true,
  runsCode: true,
  confirms: () => true,
  announce: ({ run }) => `Re-score ${run}`,
  use: async (input, host, signal) => {
    const steps = input.every_step ? ['--every-step'] : [];
    const printed = await host.run(['rescore', ...steps, '--', await inside(input.run, host)], signal);
    return paged(printed, input, (exit) => exit === 2);
  },
});

const explainRule = tool({
  name: 'explain_rule',
  title: 'Explain Rule',
  description: 'Explains a rule that validate_tasks names, such as unknown-function: why it exists and how to fix it.',
  input: z.strictObject({ code: z.string() }),
  readOnly: true,
  runsCode: false,
  confirms: () => false,
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

/** The folder of each run, or why there is none, from the value that `run --json` prints. */
function runsOf(json: string, { folder }: ToolHost): string {
  const value = JSON.parse(json) as { readonly error?: { readonly message: string }; readonly runs?: readonly Run[] };
  if (value.error !== undefined) return value.error.message;
  const recorded = (value.runs ?? []).flatMap(({ task_id, trace_dir }) =>
    trace_dir === null ? [] : [`${task_id}: ${relative(folder, trace_dir)}`],
  );
  return ['Recorded runs, for read_run:', ...recorded].join('\n');
}

/** A page of what a command printed. `failed`: by its exit code and its output; by default, whenever it is not 0. */
function paged(
  { out, notes, exit }: Printed,
  range: { readonly limit: number; readonly offset: number },
  failed: (exit: number, out: string) => boolean = (code) => code !== 0,
): ToolResult {
  return textResult(page([notes, out].filter((text) => text !== '').join('\n'), range), failed(exit, out));
}

async function stepResult(
  steps: readonly Step[],
  {
    step: index,
    picture,
    full,
  }: { readonly step?: number | undefined; readonly picture: boolean; readonly full: boolean },
  folder: string,
): Promise<ToolResult> {
  const found =
    index === undefined
      ? steps.findLast(({ observation }) => observation !== null)
      : steps.find((one) => one.index === index);
  if (found === undefined) throw new TaskToolError(`The run has no step ${index}. It has ${steps.length} steps.`);
  const { source, action, call, error, info, observation } = found;
  const facts = { index: found.index, source, action, call: call?.function, error, reason: info['reason'] };
  const text = observation?.text ?? '';
  const shortened = full || text.length <= OBSERVATION_LENGTH ? text : `${text.slice(0, OBSERVATION_LENGTH)}…`;
  const more = shortened === text ? '' : `\n(${text.length} characters in all. Ask for all of it with full.)`;
  const content: ToolResult['content'][number][] = [
    { type: 'text', text: `${JSON.stringify(facts)}\n${shortened}${more}` },
  ];
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
