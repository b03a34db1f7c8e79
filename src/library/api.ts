// The types of the library. They are its declarations, so they import only types from the files that the build prints with
// them (scripts/library.mjs). The implementation is checked against them.

import type { Observation } from '../environments/observation.ts';
import type { Statistics } from '../results/job-figures.ts';

export type { Observation, Picture } from '../environments/observation.ts';
export type { Statistics } from '../results/job-figures.ts';

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** A range in a task file: zero-based lines and UTF-16 characters, with an exclusive end. */
export interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** A setup or evaluate call of a task. */
export interface Call {
  readonly function: string;
  readonly args: readonly Json[];
  readonly id?: string | null | undefined;
  readonly metadata?: { readonly [key: string]: Json } | null | undefined;
  /**
   * For a controller in Python: the numbers in `args` that JavaScript prints otherwise than the task file, such as `1.0`,
   * by their JSON pointers.
   */
  readonly numbers?: { readonly [pointer: string]: string } | undefined;
  readonly range: Range;
}

/** A task in a task file, as `taskwright list --json` prints it. */
export interface Task {
  /** Absolute path of the task file. */
  readonly file: string;
  /** Zero-based index in the file. */
  readonly index: number;
  readonly id: string | null;
  /** The generation of the task format that the task is written for. */
  readonly era: '0.2' | '0.4' | '0.5' | '0.6' | 'rfc';
  /** Null or empty if the environment provides the goal. */
  readonly prompt: string | null;
  readonly env: { readonly type: string; readonly [key: string]: Json };
  readonly tags: readonly string[];
  readonly setup: readonly Call[];
  readonly evaluate: readonly Call[];
  readonly max_steps: number | null;
  readonly range: Range;
  /** Whether the task can run. */
  readonly valid: boolean;
}

/** An action: an action string such as `click('#ok')`, or an action object such as `{ type: 'press', keys: ['enter'] }`. */
export type Action = string | { readonly [key: string]: unknown };

/** Facts about a step. Which of them are present depends on the environment. */
export interface StepInfo {
  /** Why an action failed; the run goes on. Null if none did. */
  readonly error: { readonly message: string; readonly code: string } | null;
  /** The address of the active page. */
  readonly url?: string;
  readonly title?: string;
  /** Size of the viewport in CSS pixels. */
  readonly viewport?: { readonly width: number; readonly height: number };
  /** Console messages, dialogs, downloads, and failed requests of the page. */
  readonly messages?: readonly { readonly kind: string; readonly text: string; readonly location?: string }[];
  /** The response that the agent gave. */
  readonly response?: string;
  /** The commands of the step with their outputs. */
  readonly outputs?: readonly {
    readonly command: string;
    readonly output: string;
    /** Null if a signal ended the command. */
    readonly exit_code: number | null;
    readonly duration_ms: number;
  }[];
  /** The files that pages have downloaded in this step, and those in progress. `size` in bytes. */
  readonly downloads?: readonly {
    readonly name: string;
    readonly state: 'started' | 'completed' | 'failed';
    readonly size: number | null;
  }[];
  /** The files that have changed since the task started. */
  readonly changes?: readonly { readonly path: string; readonly kind: 'added' | 'changed' | 'removed' }[];
  readonly [fact: string]: unknown;
}

/** What `reset` returns. */
export interface ResetResult {
  /** The prompt of the task, or the goal that the environment gives. */
  readonly prompt: string;
  readonly observation: Observation;
  readonly info: StepInfo;
}

/** What `step` returns. */
export interface StepResult {
  readonly observation: Observation;
  /**
   * The environment's own reward if the task has no evaluate calls. Otherwise what the evaluate calls give now; null if
   * one of them has no value yet, or if `metadata.evaluate` of the task is `end` and the run goes on.
   */
  readonly reward: number | null;
  /** The run has ended: by its environment, its step limit, or a full reward. */
  readonly terminated: boolean;
  readonly info: StepInfo;
}

/** Addresses at which an environment can be viewed. */
export interface Urls {
  /** The address of the active page. */
  readonly url: string | null;
  /** The live view of a custom environment that has one. */
  readonly live_url: string | null;
}

/** Why a run or a call failed. */
export interface RunError {
  readonly message: string;
  readonly code: string;
  readonly file?: string | undefined;
  readonly range?: Range | undefined;
  readonly call?: Call | undefined;
}

/** How the reward of a run was computed. */
export interface Grade {
  readonly reward: number | null;
  readonly done: boolean;
  /** The response of the agent. */
  readonly content: string | null;
  readonly info: { readonly [key: string]: Json };
  readonly is_error: boolean;
  /** One for each evaluate call. */
  readonly subscores: readonly {
    /** The call as text: `page_contains('Welcome')`. */
    readonly name: string;
    readonly value: number | null;
    readonly weight: number;
    readonly reason: string;
    readonly range: Range;
  }[];
}

/** One run of one task, as `taskwright run --json` prints it. */
export interface Run {
  readonly run_id: string;
  readonly task_id: string;
  readonly file: string;
  readonly group_id: string;
  /** As given, such as `replay:login.actions`; null if the task had none. */
  readonly agent: string | null;
  readonly seed: number;
  readonly status: 'completed' | 'error' | 'cancelled' | 'interrupted';
  /** From 0 to 1; null if the run has no reward. */
  readonly reward: number | null;
  readonly success: boolean;
  /** A limit of steps or of time ended the run. */
  readonly truncated: boolean;
  readonly error: RunError | null;
  /** Number of answers of the agent. */
  readonly steps: number;
  readonly duration_ms: number;
  readonly started_at: string;
  /** The folder of the recorded run; null if nothing was recorded. */
  readonly trace_dir: string | null;
  /** The Docker host that it ran on, if there were several. */
  readonly host?: string | undefined;
  /** The reward is 0 by the agent's fault, not by the verdict of a function. */
  readonly blame?: 'agent' | undefined;
  /** In a job that repeats the task: the reward relative to those of its other runs, as HUD's `group_relative`. */
  readonly group_relative?: number | undefined;
}

/** A run that has ended, with its grade. */
export interface GradedRun extends Run {
  readonly prompt: string;
  readonly grade: Grade;
}

/** One recorded step of a run: an answer of the agent, or a call. */
export interface Step {
  readonly index: number;
  readonly source: 'setup' | 'agent' | 'tool' | 'subagent' | 'evaluate' | 'system';
  readonly started_at: string;
  readonly duration_ms: number;
  /** The answer of the agent. Only for the source `agent`. */
  readonly action?: Action | readonly Action[] | undefined;
  /** The function call. Only for the sources `setup` and `evaluate`. */
  readonly call?: Call | undefined;
  /** `screenshot`: the path of a picture, relative to the folder of the run. */
  readonly observation: {
    readonly text: string | null;
    readonly screenshot: string | null;
    readonly data?: Json;
  } | null;
  readonly reward: number | null;
  readonly terminated: boolean;
  readonly info: { readonly [key: string]: Json };
  readonly error: { readonly message: string; readonly code: string } | null;
}

/** What happens in a run. The events of a run arrive in their order; those of parallel runs are mixed. */
export type RunEvent = { readonly run_id: string; readonly task_id: string } & (
  | {
      /** The recorded run exists on disk. */
      readonly type: 'started';
      readonly seed: number;
      readonly prompt: string;
      readonly trace_dir: string;
    }
  /** `detail`: the progress of starting an environment. */
  | {
      readonly type: 'phase';
      readonly phase: 'environment' | 'setup' | 'agent' | 'evaluate';
      readonly detail?: string;
    }
  /** An action or a call begins. */
  | { readonly type: 'doing'; readonly text: string }
  /** A step is on disk. */
  | { readonly type: 'step'; readonly step: Step }
  | { readonly type: 'log'; readonly text: string }
  /** The run waits at this address for an external agent; null: not any more. */
  | { readonly type: 'waiting'; readonly address: { readonly url: string; readonly token: string } | null }
  /** The environment failed, so the run is made again. Earlier events belong to the failed attempt. */
  | { readonly type: 'retry'; readonly error: RunError }
  | { readonly type: 'ended'; readonly run: Run }
);

/** What `run` returns. */
export interface Job {
  readonly job_id: string;
  /** The folder of the job on disk; null if no task could run. */
  readonly folder: string | null;
  /** In the order of the tasks. */
  readonly runs: readonly Run[];
  readonly statistics: Statistics;
}

/** What an agent function gets beside the observation. */
export interface AgentContext {
  readonly prompt: string;
  /** Number of answers so far. */
  readonly step: number;
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
  /** The environment's own reward at the last step, if it has one. */
  readonly reward: number | null;
  readonly terminated: boolean;
  /** Why the last action failed. */
  readonly error: { readonly message: string; readonly code: string } | null;
  /** The tools of an environment whose actions are calls of tools: `{name, arguments}`. */
  readonly tools: readonly AgentTool[];
}

/** A tool of an environment. */
export interface AgentTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. */
  readonly inputSchema: { readonly [key: string]: Json };
}

/** What an agent does next: an action, several, or null if it is done. */
export type Answer = Action | readonly Action[] | null | undefined;

/** An agent in your program. It is called for each answer, for parallel runs at the same time. */
export type AgentFunction = (observation: Observation, context: AgentContext) => Answer | Promise<Answer>;

/** A task that `loadTasks` returned, or an address: `shop.tasks.json#buy`, or a file or folder with all its tasks. */
export type TaskReference = Task | string;

/** The base of relative paths. */
export interface PathOptions {
  /** Default: the current folder of the process. */
  readonly cwd?: string;
}

/** Options of environments and of runs. */
export interface CommonOptions extends PathOptions {
  /** Seed of the environment. Default: 0. */
  readonly seed?: number;
  /** Maximum number of answers in a run. Default: the task's `max_steps`, or 100. */
  readonly maxSteps?: number;
  /** Time limit of one setup or evaluate call in milliseconds. Default: 30,000. */
  readonly evaluateTimeoutMs?: number;
  /** Where tasks run. Default: `metadata.placement` of the task, or `local`. */
  readonly placement?: 'local' | 'docker';
  /**
   * Docker hosts to distribute runs over: addresses as in `DOCKER_HOST`, or contexts. Default: the host that Docker itself
   * uses.
   */
  readonly hosts?: readonly string[];
  /** Folder for recorded runs. Default: `.taskwright/jobs` in the current folder, where old jobs are removed. */
  readonly out?: string;
  /** Mask the text that is typed into password fields. */
  readonly mask?: boolean;
  /** Called for each event of the runs. */
  readonly onEvent?: (event: RunEvent) => void;
  /** Gets the log of the environments: what functions and programs print. Also says which old jobs were removed. */
  readonly onLog?: (text: string) => void;
}

/** Options of `openEnvironment`. */
export type EnvironmentOptions = CommonOptions;

/** Options of `run`. */
export interface RunOptions extends CommonOptions {
  /** A function, or an agent as on the command line: `module:my.agent.ts`. Default: the solution of each task. */
  readonly agent?: AgentFunction | string;
  /** Number of runs of each task. Default: 1. */
  readonly group?: number;
  /** Seeds of the runs of a task: all the same, or counting up from `seed`. Default: `same`. */
  readonly seeds?: 'same' | 'consecutive';
  /** Maximum number of runs in parallel. Default: one per processor, up to 4. */
  readonly concurrency?: number;
  /** Names of environment variables that the process of an agent gets, such as keys. Default: none of them. */
  readonly agentEnv?: readonly string[];
  /** Further attempts if a browser, environment, or agent process crashes. Default: 2. */
  readonly retries?: number;
  /** Time limit of one run in milliseconds. Default: none. */
  readonly timeoutMs?: number;
  /** Cancels the job: its runs end as cancelled, and the job is returned. */
  readonly signal?: AbortSignal;
}

/**
 * One task to act in. Each reset begins a recorded run, which your actions make. Calls are carried out one after another.
 * All methods reject with `TaskwrightError`. `await using` closes it.
 */
export interface Environment {
  /** The task, as it was when the environment was opened. */
  readonly task: Task;
  /** Begins a run: a fresh environment, and the setup calls. A run that has not ended is cancelled. */
  reset(options?: { readonly seed?: number }): Promise<ResetResult>;
  /** Carries out one answer. An action that fails is reported in `info.error`, and the run goes on. */
  step(actions?: Action | readonly Action[]): Promise<StepResult>;
  /** Ends the run, and returns its grade with a reason for each evaluate call. */
  evaluate(): Promise<GradedRun>;
  /** Where the environment can be viewed now. */
  getUrls(): Promise<Urls>;
  /** Ends everything that was started. A run that has not ended is cancelled. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}
