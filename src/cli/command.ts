import type { ParseArgsConfig } from 'node:util';
import type { DockerState, TaskImage, TaskImageOptions } from '../placement/docker/docker.ts';
import type { Placement } from '../placement/placement.ts';
import type { PlacementKind } from '../tasks/placement-kind.ts';
import type { Output } from './output.ts';

/** What a command works with. Nothing in a command touches the process itself. */
export interface CommandContext {
  /** Paths and addresses, as given. */
  readonly positionals: readonly string[];
  /** The person named them; else they are those that stand ready. */
  readonly named: boolean;
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
  readonly json: boolean;
  readonly cwd: string;
  readonly output: Output;
  /** What a command that speaks a protocol speaks it over. */
  readonly streams: { readonly input: NodeJS.ReadableStream; readonly output: NodeJS.WritableStream };
  /** Aborted when the person interrupts. */
  readonly signal: AbortSignal;
  /**
   * Where environments run. Each kind is made when it is first asked for, and disposed by the caller.
   * `warm`: containers to keep ready, said by the first who asks.
   */
  placement(kind: PlacementKind, warm: number): Promise<Placement>;
  /** The placement that is meant where none is said, as in a container, where there is one only; as it was given. */
  readonly usualPlacement: string | null;
  findDocker(): Promise<DockerState>;
  buildTaskImage(options: Omit<TaskImageOptions, 'installed'>): Promise<TaskImage>;
}

/** Exit codes of the contract between the command line and scripts. */
export const EXIT = { fine: 0, not: 1, badUse: 2, interrupted: 130 } as const;

/** One command. Its options, help and behaviour stand in one place. */
export interface Command {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What follows the name: `PATH... [--json]`. */
  readonly usage: string;
  readonly options: NonNullable<ParseArgsConfig['options']>;
  /** Without a path it takes the folders of tasks that stand ready where it runs, as in an image with tasks in it. */
  readonly takesTasks?: true;
  /** A line for each option, in the order of the help. */
  readonly help: readonly (readonly [option: string, text: string])[];
  /** Resolves with the exit code. Throws `UsageError` for bad use. */
  run(context: CommandContext): Promise<number>;
}

/** Bad use: printed as `{error: {message, code}}` with `--json`, exit code 2. */
export class UsageError extends Error {
  readonly code: string;
  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UsageError';
    this.code = code;
  }
}

/** A whole number given as an option; null where it was not. */
export function wholeNumber(context: CommandContext, option: string, least: number): number | null {
  const text = context.values[option];
  if (typeof text !== 'string') return null;
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < least) {
    const wanted = least === Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number of at least ${least}`;
    throw new UsageError('bad_option', `--${option} requires ${wanted}, not “${text}”.`);
  }
  return value;
}

/** Seconds given as an option, in milliseconds; null where there were none. */
export function seconds(context: CommandContext, option: string): number | null {
  const text = context.values[option];
  if (typeof text !== 'string') return null;
  const value = Number(text);
  // Timers take no more than 2^31 - 1 ms.
  if (text.trim() === '' || !(value > 0) || value > 2_147_483) {
    throw new UsageError('bad_option', `--${option} requires a number of seconds greater than 0, not “${text}”.`);
  }
  return value * 1000;
}

/** Text given as an option; null where it was not. */
export function textOption(context: CommandContext, option: string): string | null {
  const value = context.values[option];
  return typeof value === 'string' ? value : null;
}
