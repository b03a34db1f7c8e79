import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionInput } from '../../actions/action.ts';
import { defined } from '../../base/defined.ts';
import { removeTree } from '../../base/remove-tree.ts';
import type {
  ActionRecord,
  CommandResult,
  FileChange,
  FunctionContext,
  Workspace,
} from '../../functions/declaration.ts';
import { recordAction } from '../action-records.ts';
import {
  type CreateEnvironment,
  type Environment,
  PLAIN_RESULT,
  type RecordedSnapshot,
  type ResetOptions,
  requireFolder,
  requireTask,
  type StartResult,
  type StepInfo,
  type StepResult,
} from '../environment.ts';
import { stepActions } from '../step-actions.ts';
import { unrecordedContext } from '../unrecorded.ts';
import { Withheld } from '../withheld.ts';
import { printLeftOut } from '../withheld-entries.ts';
import { commandOutput } from '../workspace/command-output.ts';
import { handOver } from '../workspace/hand-over.ts';
import { createLauncher, FolderWorkspace } from '../workspace/workspace.ts';
import { act } from './act.ts';
import { Changes } from './changes.ts';
import { recordedWorkspace } from './recorded-workspace.ts';
import { writeInitialFiles } from './start.ts';

type Outputs = NonNullable<StepInfo['outputs']>;

/** The maximum number of files that the first observation lists. */
const MAX_LISTED = 200;
/** The maximum number of characters of a printed action in the trace. */
const MAX_PRINTED = 2_000;

/** The state of one task: its folder, its commands, and the agent's actions. */
interface Work {
  /** The folder with its files. */
  readonly folder: string;
  /** The folders with the original files, unless it is the task's own folder. */
  readonly histories: readonly string[];
  readonly workspace: FolderWorkspace;
  readonly changes: Changes;
  /** The agent's last observation. */
  text: string;
  response: string | null;
  readonly records: ActionRecord[];
  /** The agent's changes before commands of functions changed more files, such as a test report. */
  agentChanges: readonly FileChange[] | null;
  /** The outputs of commands since the last step. */
  readonly outputs: Outputs[number][];
}

/** A folder in which an agent reads and writes files and runs commands. Each task has a new one. */
export class CodingEnvironment implements Environment {
  readonly #log: (text: string) => void;
  #work: Work | null = null;
  /** Set while a snapshot of a recorded run is restored. */
  #restoredContext: FunctionContext | null = null;

  /** @param log receives which of the task's files are withheld from the agent */
  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  async reset({ task, files }: ResetOptions): Promise<StartResult> {
    await this.close();
    const local = requireFolder(files);
    // In the session's temporary folder, which is removed with the session.
    const folder = await mkdtemp(join(tmpdir(), 'work-'));
    const initial = await writeInitialFiles(task.env, local.folder, folder, await Withheld.ofTask(task, local));
    if (initial.leftOut.length > 0) this.#log(`Withheld from the agent: ${printLeftOut(initial.leftOut)}`);
    const launcher = createLauncher();
    const workspace = new FolderWorkspace(await handOver(folder, launcher), launcher);
    const changes = new Changes(workspace.folder, initial);
    const text = listFiles(changes.paths);
    const { histories = [], warning } = initial;
    this.#work = {
      folder,
      histories,
      workspace,
      changes,
      text,
      response: null,
      records: [],
      agentChanges: null,
      outputs: [],
    };
    return { ...this.#result(this.#work, {}), goal: null, ...defined({ warning }) };
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const work = requireTask(this.#work);
    const texts: string[] = [];
    let mayHaveChangedFiles = false;
    const run = (command: string, timeout: number): Promise<CommandResult> => this.#run(work, command, timeout);
    const { acted, response, infeasible, error } = await stepActions(inputs, {
      maxPrinted: MAX_PRINTED,
      act: async (action) => {
        const { text, mayChangeFiles, error = null } = await act(action, work.workspace, run);
        if (text !== undefined) texts.push(text);
        mayHaveChangedFiles ||= mayChangeFiles === true;
        return error;
      },
      onActed: (input, action, error) => work.records.push(recordAction(input, action, error?.message ?? null)),
    });
    work.response = response ?? work.response;
    work.agentChanges = null;
    work.text = texts.join('\n\n');
    const info: StepInfo = { ...(acted.length > 0 ? { acted } : {}), ...(response === null ? {} : { response }) };
    const { changes, contents } = mayHaveChangedFiles ? await work.changes.record() : {};
    const result = this.#result(work, { ...info, ...defined({ changes }) });
    return { ...result, ...defined({ contents }), terminated: infeasible, error };
  }

  /** Called after setup calls, whose changes belong to the initial state. */
  async observe(): Promise<StepResult> {
    const work = requireTask(this.#work);
    await work.changes.start();
    work.agentChanges = null;
    work.text = listFiles(work.changes.paths);
    return this.#result(work, {});
  }

  async restore(moment: RecordedSnapshot): Promise<readonly string[]> {
    await this.close();
    const context = unrecordedContext('the files of a run are not recorded whole, and no command runs again', moment);
    this.#restoredContext = { ...context, workspace: recordedWorkspace(moment, context.workspace) };
    return [];
  }

  functionContext(): FunctionContext {
    if (this.#restoredContext !== null) return this.#restoredContext;
    const work = requireTask(this.#work);
    const { workspace, changes } = work;
    const trackedWorkspace: Workspace = {
      folder: workspace.folder,
      read: (path) => workspace.read(path),
      write: (path, content) => workspace.write(path, content),
      files: (path) => workspace.files(path),
      remove: async (...paths) => {
        work.agentChanges ??= await changes.all();
        await workspace.remove(...paths);
      },
      run: async (command, { timeout, keep }) => {
        work.agentChanges ??= await changes.all();
        return this.#run(work, command, timeout, keep);
      },
      changes: async () => work.agentChanges ?? changes.all(),
    };
    return { workspace: trackedWorkspace, response: work.response, actions: work.records, actionTimeout: 0 };
  }

  outputs(): Outputs {
    return this.#work?.outputs.splice(0) ?? [];
  }

  async close(): Promise<void> {
    const work = this.#work;
    this.#work = null;
    this.#restoredContext = null;
    if (work === null) return;
    await work.workspace.close();
    await removeTree(work.folder);
    for (const history of work.histories) await removeTree(history);
  }

  async #run(work: Work, command: string, timeout: number, keep?: number): Promise<CommandResult> {
    const start = performance.now();
    const result = await work.workspace.run(command, { timeout, ...defined({ keep }) });
    work.outputs.push(commandOutput(command, result, performance.now() - start));
    return result;
  }

  #result(work: Work, info: StepInfo): StepResult {
    const outputs = this.outputs();
    return {
      ...PLAIN_RESULT,
      observation: { text: work.text, screenshot: null },
      info: { ...info, ...(outputs.length > 0 ? { outputs } : {}) },
    };
  }
}

/** The first observation. */
function listFiles(paths: readonly string[]): string {
  if (paths.length === 0) return 'The folder is empty.';
  const more = paths.length - MAX_LISTED;
  return `Files:\n${paths.slice(0, MAX_LISTED).join('\n')}${more > 0 ? `\n… and ${more} more` : ''}`;
}

export const create: CreateEnvironment = ({ log }) => new CodingEnvironment(log);
