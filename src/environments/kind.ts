import type { ActionDialect } from '../actions/normal.ts';
import type { JsonObject } from '../base/json.ts';
import type { Expectation, Need } from '../functions/declaration.ts';
import type { ReadCall } from '../tasks/calls.ts';
import type { Keys } from '../tasks/key-docs.ts';
import type { Problem } from '../tasks/problem.ts';
import type { Call, EnvironmentSpec, Task } from '../tasks/task.ts';
import type { UserFunctions } from './user-functions.ts';

/**
 * All that Taskwright knows of one kind of environment: its findings, completion, documentation, icons, container image,
 * and re-scoring read it. One descriptor a folder, `kind.ts`, registered in `kinds.ts`; `environment.ts` beside it is the
 * environment. The extension loads descriptors at activation, so they import neither zod nor what runs an environment.
 */
export interface Kind {
  /** The name of its folder, and its name in traces and the editor: `browser`. */
  readonly name: string;
  /** The types of `gym` that it runs. */
  readonly types: Readonly<Record<string, GymType>>;
  /**
   * The type of environments that rows of an era of their own specify: `gym` cannot name it (`environment-spec.ts`).
   */
  readonly rowType?: string;
  /**
   * What tasks in the same environment have in common, as JSON. If absent, it is the `url`, the `image`, or the `folder`.
   */
  identity?(spec: EnvironmentSpec): unknown;
  /** Whether it runs no task of one of its types: a sentence that says why. */
  whyUnsupported?(spec: EnvironmentSpec): string | null;
  /** What is wrong with a task beyond its calls, or worth a warning. */
  problems?(task: CheckedTask): Problem[];
  /** What setup and evaluate functions can use here. */
  readonly provides: readonly Need[];
  /** Who carries out setup and evaluate calls: the built-in and user-defined functions, or the environment itself. */
  readonly calls: 'functions' | 'environment';
  /** Time limit for an evaluate call in ms, where that of other calls is too short. */
  readonly callLimit?: number;
  /** How a task is started by code of the user, as a call; null if it is not. A debugger stops before it. */
  start?(spec: EnvironmentSpec): Pick<Call, 'function' | 'args'> | null;
  /** Whether its evaluate call ends the task, so that nothing can be evaluated before the end of a run. */
  gradesOnce?(spec: EnvironmentSpec): boolean;
  /** Its evaluate call may return any number, not only one from 0 to 1. */
  readonly anyReward?: true;
  /** Whole tasks that completion offers. */
  readonly templates: readonly WholeTask[];
  /** Evaluate calls to offer for a new task, the likeliest first; each argument is to be replaced. */
  readonly suggestedCalls: readonly SuggestedCall[];
  /** Where a task needs no prompt, because the environment gives the goal. */
  givesGoal?(spec: EnvironmentSpec): boolean;
  /** Where a task needs no evaluate call, because the environment gives a reward. */
  givesReward?(spec: EnvironmentSpec): boolean;
  /** How action strings are read; Taskwright's own way if absent. */
  dialect?(spec: EnvironmentSpec): ActionDialect['dialect'];
  /** What external agents act on, if it is not known only of a running environment: they get tools for it. */
  readonly tools?: 'page' | 'desktop' | 'files';
  /** The first response ends the run. */
  readonly responseEnds?: true;
  /** How runs are drawn, and what a manual run offers. */
  readonly view: KindView;
  /**
   * What a recorded run is re-scored from. `page`: the recorded page, the response, and the actions. `response`: the response,
   * the actions, and the episode, which are all that its evaluate calls read. `partial`: the same, although its evaluate calls can read more.
   */
  readonly rescoring: 'page' | 'response' | 'partial' | { readonly refused: string };
  /** A browser is started ahead for its session, and the session ends with the browser. */
  readonly needsBrowser?: true;
  /** Another session may use the process of one that has ended. */
  readonly reusesProcess: boolean;
  /** The image of ours that it runs in; null where it brings an image of its own. */
  readonly image: KindImage | null;
  /**
   * The server that is started for a task, outside of its session; null if none is. `folder`: that of the task file. A
   * placement gives its address to `Environment.reset`.
   */
  server?(spec: EnvironmentSpec, folder: string): ServerSource | null;
  /** The server of the verifier that grades a task, if it is another one. */
  verifier?(spec: EnvironmentSpec, folder: string): ServerSource | null;
  /**
   * Its tasks are data unless `userTask` says otherwise: they name no programs, files, and variables of the machine. A server
   * accepts them from its clients.
   */
  readonly hasDataTasks?: true;
  /** It runs outside of the session, which passes on its answers: an answer that is too large is not the agent's fault. */
  readonly isRemote?: true;
  /** Its server may have tasks of its own, which the task tree shows. */
  readonly hasOwnTasks?: true;
  /** Whether the servers of a task, which the placement does not start, are commands that run containers. */
  startsContainers?(spec: EnvironmentSpec): boolean;
  /** Whether a task can run in Docker only. `folder`: that of the task file, if known. */
  needsDocker?(spec: EnvironmentSpec, folder: string): boolean;
  /** The environment variables that a task refers to. Those of this process and of `.env` files are passed on to it. */
  variables?(spec: EnvironmentSpec): readonly string[];
  /** Whether it needs the pages of MiniWoB++. */
  needsMiniwob?(spec: EnvironmentSpec): boolean;
  /** The registered name of the user-defined class that a task is; null if it is none. It runs in the session's process. */
  userTask?(spec: EnvironmentSpec): string | null;
  /** What to tell the user before a task runs outside a container. */
  readonly localWarning?: string;
}

/** How the run panel draws the runs of a kind of environment. */
export interface KindView {
  readonly icon: 'globe' | 'speech' | 'folder' | 'screen' | 'box';
  /** What the run panel shows of a step: its screenshot, its commands and changed files, or its text only. */
  readonly shows: 'screenshot' | 'files' | 'text';
  /** A text that names the target of keyboard input in a manual run. */
  readonly keyboardTarget: string;
}

/** One type of `gym`. */
export interface GymType {
  /** Markdown. */
  readonly doc: string;
  /** How it is written: as a name, or as an object with a `type`. Findings change an object to the name. */
  readonly written: 'name' | 'object' | 'either';
  /** The keys of the object. */
  readonly keys?: Keys;
  /** Keys that completion writes although they are not required. */
  readonly suggestedKeys?: readonly string[];
  /** Values of keys that completion offers, where the documentation of the key does not list them. */
  readonly values?: Readonly<Record<string, (gym: JsonObject, user: UserFunctions) => readonly Choice[]>>;
  /** Completion offers it before others. */
  readonly common?: true;
  /**
   * A task that specifies the type by name, with ordinary calls, has no findings of its kind, so that most tasks are checked
   * without reading them (`ordinary-task.ts`).
   */
  readonly ordinary?: true;
}

/** A task as its kind checks it. */
export interface CheckedTask {
  /** As written. */
  readonly row: JsonObject;
  readonly fields: Pick<Task, 'env' | 'initial_state' | 'metadata' | 'prompt'>;
  readonly evaluate: readonly ReadCall[];
  readonly user: UserFunctions;
  /** What gives a call of a built-in function the value 1; null if that is not known. */
  readonly expectedOf: (call: ReadCall) => Expectation | null;
}

/** A value that completion offers. */
export interface Choice {
  readonly value: string;
  readonly detail?: string;
  /** Markdown. */
  readonly doc?: string;
  /** From 1, the likeliest. */
  readonly rank?: number;
}

export interface WholeTask {
  readonly label: string;
  readonly detail: string;
  readonly doc: string;
  /** Its members, with placeholders (`placeholder`). */
  readonly task: JsonObject;
}

export interface SuggestedCall {
  readonly function: string;
  readonly args: readonly string[];
}

/** What the server of an environment is started from. */
export type ServerSource =
  /** An image that serves OpenEnv. */
  | { readonly image: string }
  /** A folder with an `openenv.yaml`, and a Python interpreter, if one is named. Absolute paths. */
  | { readonly folder: string; readonly python: string | null }
  /** The file or folder of a HUD environment in Python, its name, and the time limit for its start. Absolute path. */
  | HudSource
  | HudInDocker;

export type HudSource = { readonly hud: string; readonly name: string } & HudServing;

/** A HUD environment that an image or a Compose project serves. */
export type HudInDocker = ({ readonly hudImage: string } & HudServing) | HudComposeSource;

/** A Compose project that serves a HUD environment, by the absolute path of its file. */
export type HudComposeSource = { readonly hudCompose: string } & HudServing;

/** How a HUD environment is started. */
export interface HudServing {
  /** Time limit for the start in ms. */
  readonly startMs: number;
  /** Processors, and memory in MB, of its container, if the task names them. */
  readonly resources: { readonly cpus?: number; readonly memory?: number };
}

export interface KindImage {
  /** `docker/<name>.Dockerfile` */
  readonly name: string;
  /** Starts a browser before the first task. */
  readonly startsBrowser: boolean;
  /** The agent runs commands in it, as a user of its own. */
  readonly agentCommands: boolean;
}

/** The image of the kinds that need a browser, or nothing. */
export const BROWSER_IMAGE: KindImage = { name: 'browser', startsBrowser: true, agentCommands: false };

/** What is known of a type of environment that this version does not run. */
export interface OtherType {
  readonly doc: string;
  /** The keys that tell one such environment from another. */
  readonly identifyingKeys: readonly string[];
  readonly keys?: Keys;
}
