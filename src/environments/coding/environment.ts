import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ActionInput } from '../../actions/action.ts';
import { normaliseAction } from '../../actions/normalise.ts';
import { printAction } from '../../actions/print.ts';
import { defined } from '../../base/defined.ts';
import { removeTree } from '../../base/remove-tree.ts';
import type {
  ActionRecord,
  CommandResult,
  FileChange,
  FunctionContext,
  Workspace,
} from '../../functions/declaration.ts';
import {
  type Acted,
  type Environment,
  EnvironmentError,
  type RecordedSnapshot,
  type ResetOptions,
  type StartResult,
  type StepInfo,
  type StepResult,
} from '../environment.ts';
import { unrecordedContext } from '../unrecorded.ts';
import { Withheld } from '../withheld.ts';
import { printLeftOut } from '../withheld-entries.ts';
import { handOver } from '../workspace/hand-over.ts';
import { createLauncher, FolderWorkspace } from '../workspace/workspace.ts';
import { act, CodingActionError, type Done } from './act.ts';
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
  /** The folder with the original files, unless it is the task's own folder. */
  readonly history: string | undefined;
  readonly workspace: FolderWorkspace;
  readonly changes: Changes;
  /** The agent's last observation. */
  text: string;
  response: string | null;
  readonly records: ActionRecord[];
  /** The agent's changes before commands of functions changed more files, such as a test report. */
  changed: readonly FileChange[] | null;
  /** The outputs of commands since the last step. */
  outputs: Outputs[number][];
}

/** A folder in which an agent reads and writes files and runs commands. Each task has a new one. */
export class CodingEnvironment implements Environment {
  readonly #log: (text: string) => void;
  #work: Work | null = null;
  /** Set while a snapshot of a recorded run is restored. */
  #restored: FunctionContext | null = null;

  /** @param log receives which of the task's files are withheld from the agent */
  constructor(log: (text: string) => void) {
    this.#log = log;
  }

  async reset({ task, files }: ResetOptions): Promise<StartResult> {
    await this.close();
    if (!('folder' in files))
      throw new EnvironmentError('start_failed', 'The files of the task were not put in place.');
    // In the session's temporary folder, which is removed with the session.
    const folder = await mkdtemp(join(tmpdir(), 'work-'));
    const initial = await writeInitialFiles(task.env, files.folder, folder, await Withheld.ofTask(task, files));
    if (initial.leftOut.length > 0) this.#log(`Withheld from the agent: ${printLeftOut(initial.leftOut)}`);
    const launcher = createLauncher();
    const workspace = new FolderWorkspace(launcher.isolated ? await handOver(folder, launcher) : folder, launcher);
    const changes = new Changes(workspace.folder, initial);
    const text = listing(changes.paths);
    const { history } = initial;
    this.#work = { folder, history, workspace, changes, text, response: null, records: [], changed: null, outputs: [] };
    return { ...this.#result(this.#work, {}), goal: null };
  }

  async step(inputs: readonly ActionInput[]): Promise<StepResult> {
    const work = this.#current();
    const acted: Acted[] = [];
    const texts: string[] = [];
    let [touched, responded, terminated] = [false, false, false];
    let error: StepResult['error'] = null;
    for (const input of inputs) {
      const { actions, failure } = normaliseAction(input);
      for (const action of actions) {
        try {
          acted.push({ action: printAction(action).slice(0, MAX_PRINTED) });
          const done: Done = await act(action, work.workspace, (command, timeout) => this.#run(work, command, timeout));
          work.records.push(record(input, action, null));
          if (done.text !== '') texts.push(done.text);
          if (done.response !== undefined) {
            work.response = done.response;
            responded = true;
          }
          touched ||= done.touched === true;
          terminated ||= done.terminated === true;
        } catch (failed) {
          if (!(failed instanceof CodingActionError)) throw failed;
          error = { code: failed.code, message: failed.message };
          work.records.push(record(input, action, failed.message));
        }
        if (error !== null || terminated) break;
      }
      if (error === null && !terminated && failure !== null) {
        error = failure;
        work.records.push(record(input, null, failure.message));
      }
      if (error !== null || terminated) break;
    }
    work.changed = null;
    work.text = texts.join('\n\n');
    const info: StepInfo = {
      ...(acted.length > 0 ? { acted } : {}),
      ...(responded && work.response !== null ? { response: work.response } : {}),
    };
    return { ...(await this.#withChanges(work, info, touched)), terminated, error };
  }

  /** Called after setup calls, whose changes belong to the initial state. */
  async observe(): Promise<StepResult> {
    const work = this.#current();
    await work.changes.begin();
    work.changed = null;
    work.text = listing(work.changes.paths);
    return this.#result(work, {});
  }

  async restore(moment: RecordedSnapshot): Promise<readonly string[]> {
    await this.close();
    const context = unrecordedContext('the files of a run are not recorded whole, and no command runs again', moment);
    this.#restored = { ...context, workspace: recordedWorkspace(moment, context.workspace) };
    return [];
  }

  functionContext(): FunctionContext {
    if (this.#restored !== null) return this.#restored;
    const work = this.#current();
    const { workspace, changes } = work;
    const shown: Workspace = {
      folder: workspace.folder,
      read: (path) => workspace.read(path),
      write: (path, content) => workspace.write(path, content),
      run: async (command, { timeout, keep }) => {
        work.changed ??= await changes.all();
        return this.#run(work, command, timeout, keep);
      },
      changes: async () => work.changed ?? changes.all(),
    };
    return {
      workspace: shown,
      response: work.response,
      actions: work.records,
      actionTimeout: 0,
    };
  }

  /** The outputs of commands in functions since the last call. */
  outputs(): Outputs {
    const { outputs = [] } = this.#work ?? {};
    if (this.#work !== null) this.#work.outputs = [];
    return outputs;
  }

  async close(): Promise<void> {
    const work = this.#work;
    this.#work = null;
    this.#restored = null;
    if (work === null) return;
    await work.workspace.close();
    await removeTree(work.folder);
    if (work.history !== undefined) await removeTree(work.history);
  }

  async #run(work: Work, command: string, timeout: number, keep?: number): Promise<CommandResult> {
    const begun = performance.now();
    const result = await work.workspace.run(command, { timeout, ...defined({ keep }) });
    const { output, exitCode, timedOut } = result;
    work.outputs.push({
      command,
      output: output.length > 64 * 1024 ? `…${output.slice(-64 * 1024)}` : output,
      exit_code: exitCode,
      ...(timedOut ? { timed_out: true as const } : {}),
      duration_ms: Math.round(performance.now() - begun),
    });
    return result;
  }

  async #withChanges(work: Work, info: StepInfo, touched: boolean): Promise<StepResult> {
    if (!touched) return this.#result(work, info);
    const { changes, contents } = await work.changes.recorded();
    return { ...this.#result(work, { ...info, changes }), contents };
  }

  #result(work: Work, info: StepInfo): StepResult {
    const outputs = this.outputs();
    return {
      observation: { text: work.text, screenshot: null },
      reward: null,
      terminated: false,
      info: { ...info, ...(outputs.length > 0 ? { outputs } : {}) },
      error: null,
    };
  }

  #current(): Work {
    if (this.#work === null)
      throw new EnvironmentError('environment_failed', 'the environment has no task: reset it first');
    return this.#work;
  }
}

function record(input: ActionInput, normalised: ActionRecord['normalised'], error: string | null): ActionRecord {
  return { input, normalised, error, typed: null, matches: async () => false };
}

/** The first observation. */
function listing(paths: readonly string[]): string {
  if (paths.length === 0) return 'The folder is empty.';
  const more = paths.length - MAX_LISTED;
  const shown = paths.slice(0, MAX_LISTED).join('\n');
  return `Files:\n${shown}${more > 0 ? `\n… and ${more} more` : ''}`;
}
