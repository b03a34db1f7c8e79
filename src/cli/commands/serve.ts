import { randomBytes } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Socket } from 'node:net';
import { dirname, resolve } from 'node:path';
import { describeSystemError, isSystemError, writeNamedFile } from '../../base/system-error.ts';
import { functionsFiles } from '../../functions/user/files.ts';
import { choosePlacement } from '../../placement/choose.ts';
import { formatReward } from '../../results/reward.ts';
import { JobError, jobsFolder, startJob } from '../../runs/job/job.ts';
import { noTasks, select, selectedTasks } from '../../runs/selection/select-tasks.ts';
import { type SelectedTask, UserFunctionNames } from '../../runs/selection/selected-task.ts';
import { UsageError } from '../../runs/usage-error.ts';
import { manifest } from '../../serving/manifest.ts';
import { isLoopback, serveTasks } from '../../serving/serve.ts';
import { ServedError } from '../../serving/served-environment.ts';
import { canRun, type TaskLoader } from '../../serving/tasks.ts';
import { findTaskFiles } from '../../tasks/discover.ts';
import {
  type Command,
  type CommandContext,
  EXIT,
  orCannotWrite,
  pathOption,
  retentionOf,
  seconds,
  textOption,
  wholeNumber,
} from '../command.ts';
import { noteRemoval, withJobErrors } from '../jobs.ts';
import { limitHelp, readLimitOptions } from '../limit-options.ts';
import { checkPlacementOptions, placementHelp, readDocker, readPlacement } from '../placement-options.ts';
import { countText, noteRefusals } from '../report.ts';

/** The port that OpenEnv's own servers use. */
const DEFAULT_PORT = 8000;
const DEFAULT_HOST = '127.0.0.1';
const ALL_INTERFACES = '0.0.0.0';
/** As many as OpenEnv's browsergym_env has. */
const DEFAULT_SESSIONS = 8;
const DEFAULT_IDLE_MS = 60 * 60 * 1000;

function readOptions(context: CommandContext) {
  const { container, token: usualToken, agentToken: usualAgentToken } = context.serving;
  const hostOption = textOption(context, 'host');
  const host = hostOption ?? (container ? ALL_INTERFACES : DEFAULT_HOST);
  const tokenOption = textOption(context, 'token');
  if (tokenOption === '') throw new UsageError('bad_option', '--token requires a text.');
  const token = tokenOption ?? usualToken;
  if (token === null && !isLoopback(host) && !container) {
    const example = randomBytes(16).toString('hex');
    throw new UsageError(
      'token_needed',
      `Others can reach ${host}, so a token is needed. Specify one with --token, such as --token ${example}.`,
    );
  }
  const agentToken = textOption(context, 'agent-token') ?? usualAgentToken ?? randomBytes(16).toString('hex');
  if (agentToken === '' || agentToken === token) {
    throw new UsageError('bad_option', '--agent-token requires a text that is not the token of the server.');
  }
  const port = wholeNumber(context, 'port', 0) ?? DEFAULT_PORT;
  if (port > 65_535) throw new UsageError('bad_option', `--port requires a number up to 65535, not “${port}”.`);
  const placement = readPlacement(context);
  checkPlacementOptions(context, placement);
  const concurrency = wholeNumber(context, 'concurrency', 1) ?? DEFAULT_SESSIONS;
  return {
    host,
    port,
    token,
    agentToken,
    trustsClients: context.values['trust-clients'] === true,
    placement,
    seed: wholeNumber(context, 'seed', Number.MIN_SAFE_INTEGER) ?? 0,
    docker: readDocker(context, concurrency),
    concurrency,
    idleMs: seconds(context, 'idle-timeout') ?? DEFAULT_IDLE_MS,
    limits: readLimitOptions(context),
    screenshots: context.values['no-screenshots'] !== true,
    mask: context.values['mask'] === true,
    out: pathOption(context, 'out'),
  };
}

/** Loads the tasks again when one of their files has changed. */
class FileTaskLoader implements TaskLoader {
  readonly cwd: string;
  readonly #addresses: readonly string[];
  #cache: { readonly mark: string; readonly tasks: readonly SelectedTask[] } | null = null;

  constructor(addresses: readonly string[], cwd: string) {
    this.#addresses = addresses;
    this.cwd = cwd;
  }

  async load(): Promise<readonly SelectedTask[]> {
    try {
      const mark = await this.#mark();
      if (this.#cache?.mark !== mark) {
        this.#cache = { mark, tasks: selectedTasks(await select(this.#addresses, this.cwd)) };
      }
      return this.#cache.tasks;
    } catch (error) {
      // At the start, the user learns of it; later, a client does.
      if (this.#cache === null || !(error instanceof UsageError)) throw error;
      throw new ServedError('task_failed', error.message, { cause: error });
    }
  }

  beside(file: string): ReturnType<UserFunctionNames['beside']> {
    return new UserFunctionNames().beside(file);
  }

  /** Changes when a file of the tasks, or of their functions, changes. What cannot be read here counts as missing. */
  async #mark(): Promise<string> {
    const paths = this.#addresses.map((address) => resolve(this.cwd, address));
    // `load` reports what cannot be read.
    const taskFiles = await Promise.all(paths.map((path) => findTaskFiles([path]).catch(() => [])));
    const files = [...new Set([...taskFiles.flat(), ...(this.#cache?.tasks ?? []).map(({ file }) => file.file)])];
    const folders = [...new Set(files.map((file) => dirname(file)))];
    const functions = await Promise.all(folders.map((folder) => functionsFiles(folder).catch(() => [])));
    const marks = [...files, ...functions.flat()].map(async (file) => {
      // A file that was removed meanwhile changes the mark, too, and reading the tasks reports it.
      const state = await stat(file).catch(() => null);
      return `${file} ${state?.mtimeMs} ${state?.size}`;
    });
    return (await Promise.all(marks)).join('\n');
  }
}

/** Resolves when the user interrupts, or when the program that started this one has ended. */
function untilStopped({ signal, streams: { input } }: CommandContext): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => resolve();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    // Only a pipe ends with its owner, unlike a terminal or /dev/null.
    if (!(input instanceof Socket) || 'isTTY' in input) return;
    input.on('end', stop).on('close', stop).on('error', stop).resume();
  });
}

async function run(context: CommandContext): Promise<number> {
  const { output, cwd, json, positionals } = context;
  const options = readOptions(context);
  const loader = new FileTaskLoader(positionals, cwd);
  const tasks = await loader.load();
  if (tasks.length === 0) throw noTasks({ addresses: positionals, files: [] });
  const count = tasks.filter(canRun).length;
  if (count === 0)
    throw new UsageError('tasks_invalid', 'No task that can run was found. To see why, run taskwright validate.');
  noteRefusals(tasks.length - count, tasks.length, output);
  const { out } = options;
  const job = await withJobErrors(() => startJob(out ?? jobsFolder(cwd), { retention: retentionOf(context, out) }));
  // Not at the end, because a server is often killed.
  void noteRemoval(job, output);
  const log = (text: string): void => {
    if (context.values['verbose'] === true) output.note(output.paintNote('dim', text));
  };
  try {
    const { host, port, token, agentToken, trustsClients } = options;
    const listening = await serveTasks({
      ...options,
      maxSessions: options.concurrency,
      loader,
      job,
      cwd,
      log,
      placement: (task, listensAt) => {
        const kind = choosePlacement(task, { requested: options.placement, setting: null });
        // A container that waits uses memory, and clients may not come back.
        return context.placement(kind, kind === 'local' ? 1 : 0, [listensAt], options.docker);
      },
      ended: ({ task_id, status, reward, steps, error }) => {
        const why = error === null ? '' : `: ${error.message}`;
        output.note(`${task_id}  ${formatReward(reward)}  ${countText(steps, 'step')}, ${status}${why}`);
      },
    }).catch((error: unknown) => {
      if (!isSystemError(error)) throw error;
      const reason = describeSystemError(error);
      throw new UsageError('cannot_listen', `Cannot listen on ${host}, port ${port}: ${reason}.`, { cause: error });
    });
    try {
      const url = `http://${reachableHost(host)}:${listening.port}`;
      if (context.values['manifest'] === true) {
        const file = resolve(cwd, 'openenv.yaml');
        await orCannotWrite(file, () => writeNamedFile(file, manifest(listening.port)));
      }
      if (token === null && !isLoopback(host)) {
        output.note('There is no token: publish the port on 127.0.0.1 only, or set TASKWRIGHT_TOKEN.');
      }
      if (trustsClients) output.note('Clients can define tasks that run programs on this machine (--trust-clients).');
      if (json) output.print(JSON.stringify({ url, token, agent_token: agentToken, pid: process.pid }));
      else {
        output.print(`Serving ${countText(count, 'task')} at ${url}`);
        output.note(`Agents connect to ${url}/mcp with the token ${agentToken}`);
        output.note('To stop, press Ctrl+C.');
      }
      await untilStopped(context);
    } finally {
      await listening.close();
    }
  } finally {
    await job.end().catch((error: unknown) => {
      if (!(error instanceof JobError)) throw error;
      output.note(error.message);
    });
  }
  return context.signal.aborted ? EXIT.interrupted : EXIT.fine;
}

/** How this machine reaches what listens on an address. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  const name = host === '::' ? '::1' : host;
  return name.includes(':') ? `[${name}]` : name;
}

export const serve: Command = {
  name: 'serve',
  summary: 'Serves tasks to the clients of OpenEnv.',
  usage: 'PATH... [--port N] [options]',
  tasks: { none: undefined },
  help: [
    ['PATH', 'A task file, a folder, or a task (FILE#ID or FILE#INDEX)'],
    ['--port N', `The port; 0 for a free one. Default: ${DEFAULT_PORT}`],
    ['--host H', `The address to listen on; one that others can reach needs --token. Default: ${DEFAULT_HOST}`],
    ['--token T', 'The token that clients send as “Authorization: Bearer T”. Default: TASKWRIGHT_TOKEN, or none'],
    [
      '--agent-token T',
      'The token for agents, which act over /mcp. Default: TASKWRIGHT_AGENT_TOKEN, or a new one, which is printed',
    ],
    [
      '--trust-clients',
      'Accept tasks as objects that run programs, functions, and commands on this machine. Default: only tasks that are data',
    ],
    ['--seed N', 'Decides the order of tasks for resets that name none. Default: 0'],
    ['--concurrency N', `Maximum number of sessions at the same time. Default: ${DEFAULT_SESSIONS}`],
    ['--idle-timeout SECONDS', `End sessions without a message for this time. Default: ${DEFAULT_IDLE_MS / 1000}`],
    ...limitHelp({ served: true }),
    ...placementHelp('Number of lanes in the swarm or cluster. Default: that of --concurrency'),
    ['--out DIR', 'Folder for recorded runs. Default: .taskwright/jobs in the current folder'],
    ['--no-screenshots', 'Leave screenshots out of observations. They are nearly all of their size'],
    ['--mask', 'Mask text typed into password fields. Values of sensitive_data are always masked'],
    ['--manifest', 'Write openenv.yaml to the current folder'],
    ['--json', 'Print one line {url, token, agent_token, pid} as JSON when the server listens'],
    ['--verbose', 'Also print the log of the environment server'],
  ],
  run,
};
