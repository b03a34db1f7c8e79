import { resolve } from 'node:path';
import { describeSystemError } from '../base/system-error.ts';
import { MAX_TIMEOUT_MS } from '../base/time-limit.ts';
import type { Engines } from '../doctor/doctor.ts';
import type { TaskImage, TaskImageOptions } from '../placement/docker/docker.ts';
import type { Placement } from '../placement/placement.ts';
import { DEFAULT_RETENTION, GIGABYTE, type Retention } from '../runs/job/retention.ts';
import { UsageError } from '../runs/usage-error.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Output } from './output.ts';

/** The Docker that the user specified, and its use. */
export interface DockerChoice {
  /** Docker hosts to distribute runs over; in a swarm, a manager, then hosts to copy images to. */
  readonly hosts: readonly string[];
  /** How many environments run in lanes at the same time. */
  readonly lanes: number;
  /** The registry from which the nodes of a swarm or a cluster get images; null if there is none. */
  readonly registry: string | null;
  /** The namespace in Kubernetes; null for the one of the context. */
  readonly namespace: string | null;
}

/** What a command gets. Commands do not use the process directly. */
export interface CommandContext {
  /** Paths and addresses as given. */
  readonly positionals: readonly string[];
  /** The user specified positionals; otherwise they are the task folders of the image. */
  readonly named: boolean;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly json: boolean;
  readonly cwd: string;
  readonly output: Output;
  /** For commands that speak a protocol. */
  readonly streams: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream };
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
  /**
   * The placement of a kind, created on first use and disposed by the caller. `warm`: how many environments to keep ready
   * for further runs, on this machine at most one; `refusedPorts`: ports of this machine that pages do not reach; `docker`:
   * see `DockerChoice`. The first call decides all of them.
   */
  placement(
    kind: PlacementKind,
    warm: number,
    refusedPorts?: readonly number[],
    docker?: DockerChoice,
  ): Promise<Placement>;
  /** The default placement as given, such as in a container, which has only one. */
  readonly defaultPlacement: string | null;
  /** How long finished jobs stay in `.taskwright/jobs`, as given; null: the default. */
  readonly keep: { readonly days: string | null; readonly size: string | null };
  /** What `serve` reads from environment variables. */
  readonly serving: {
    /** The token if there is no `--token`. */
    readonly token: string | null;
    /** The token for agents if there is no `--agent-token`. */
    readonly agentToken: string | null;
    /** Whether this is one of our containers, which can be reached only through ports that its owner published. */
    readonly container: boolean;
  };
  /** Carries out another command line. Resolves with its exit code. */
  invoke(
    args: readonly string[],
    of: { readonly output: Output; readonly cwd: string; readonly signal: AbortSignal },
  ): Promise<number>;
  readonly engines: Engines;
  buildTaskImage(options: Omit<TaskImageOptions, 'installation'>): Promise<TaskImage>;
}

/** Exit codes that scripts rely on. */
export const EXIT = { fine: 0, not: 1, badUse: 2, interrupted: 130 } as const;

/** One command with its options, help, and implementation. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** The arguments after the name: `PATH... [--json]`. */
  readonly usage: string;
  /**
   * For a command that takes tasks: the JSON that it prints for none with `--allow-empty`; undefined if it prints nothing.
   * Without a path, the command uses the task folders of the image it runs in.
   */
  readonly tasks?: { readonly none: unknown };
  /** A line for each argument and option, in order. Options are parsed as it lists them: `--seed N` takes a text. */
  readonly help: readonly (readonly [option: string, text: string])[];
  /** Resolves with the exit code. Rejects with `UsageError` for invalid arguments. */
  run(context: CommandContext): Promise<number>;
}

/** Writes a file or folder. Rejects with `UsageError` if that is not possible. `what`: how the message calls it. */
export async function orCannotWrite<T>(what: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw new UsageError('cannot_write', `${what} cannot be written: ${describeSystemError(error)}.`, { cause: error });
  }
}

/** The whole number of an option; null if the option is absent. */
export function wholeNumber(context: CommandContext, option: string, minimum: number): number | null {
  const text = textOption(context, option);
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < minimum) {
    const expectation =
      minimum === Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number of at least ${minimum}`;
    throw new UsageError('bad_option', `--${option} requires ${expectation}, not “${text}”.`);
  }
  return value;
}

/** What stays when a job starts in a folder; null: everything, because the user chose the folder with `--out`. */
export function retentionOf(
  { keep: { days, size } }: Pick<CommandContext, 'keep'>,
  out: string | null,
): Retention | null {
  if (out !== null) return null;
  const [keepDays, gigabytes] = [Number(days), Number(size)];
  if (days !== null && !(/^\d+$/.test(days) && Number.isSafeInteger(keepDays) && keepDays > 0)) {
    throw new UsageError('bad_option', `TASKWRIGHT_KEEP_DAYS requires a whole number of at least 1, not “${days}”.`);
  }
  if (size !== null && !(gigabytes > 0)) {
    throw new UsageError('bad_option', `TASKWRIGHT_KEEP_SIZE requires a number of GB greater than 0, not “${size}”.`);
  }
  return {
    keepDays: days === null ? DEFAULT_RETENTION.keepDays : keepDays,
    keepBytes: size === null ? DEFAULT_RETENTION.keepBytes : gigabytes * GIGABYTE,
  };
}

/** The seconds of an option in milliseconds; null if the option is absent. */
export function seconds(context: CommandContext, option: string): number | null {
  const text = textOption(context, option);
  if (text === null) return null;
  const value = Number(text);
  if (text.trim() === '' || !(value > 0) || value * 1000 > MAX_TIMEOUT_MS) {
    throw new UsageError('bad_option', `--${option} requires a number of seconds greater than 0, not “${text}”.`);
  }
  return value * 1000;
}

/** The Docker hosts that `--hosts` names; empty without it. */
export function dockerHosts(context: CommandContext): readonly string[] {
  const hosts = textOption(context, 'hosts')?.split(',') ?? [];
  const names = hosts.map((host) => host.trim());
  if (names.includes('')) {
    throw new UsageError('bad_option', '--hosts requires addresses or contexts of Docker, separated by commas.');
  }
  return names;
}

/** The absolute path of an option; null if the option is absent. */
export function pathOption(context: CommandContext, option: string): string | null {
  const value = textOption(context, option);
  if (value === '') throw new UsageError('bad_option', `--${option} requires a path.`);
  return value === null ? null : resolve(context.cwd, value);
}

/** The text of an option; null if the option is absent. */
export function textOption(context: CommandContext, option: string): string | null {
  const value = context.values[option];
  return typeof value === 'string' ? value : null;
}
