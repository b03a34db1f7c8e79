import { defined } from '../base/defined.ts';

/** A limit of runs. Where a person or a program can set it, it is read and described from here. */
interface Limit {
  /** Of its values here, in plans, and in the library. On the command line and in settings, times are in seconds. */
  readonly unit: 'steps' | 'ms';
  /** The option of the command line, without dashes. */
  readonly flag: string;
  /** The setting, below `taskwright.`; 0 means none. */
  readonly setting: string;
  /** The option of the library. */
  readonly option: string;
  /** For the help of the command line. */
  readonly help: string;
  /** Whether it applies to served tasks, whose clients take their time. */
  readonly served: boolean;
}

/** The limits of runs, by their names in `job.json`. */
export const LIMITS = {
  max_steps: {
    unit: 'steps',
    flag: 'max-steps',
    setting: 'run.maxSteps',
    option: 'maxSteps',
    help: "Maximum number of agent steps in a run. Default: the task's max_steps, or 100",
    served: true,
  },
  evaluate_timeout_ms: {
    unit: 'ms',
    flag: 'evaluate-timeout',
    setting: 'run.evaluateTimeout',
    option: 'evaluateTimeoutMs',
    help: 'Time limit of one setup or evaluate call. Default: 30, and more for commands with a timeout_s and in HUD environments',
    served: true,
  },
  timeout_ms: {
    unit: 'ms',
    flag: 'timeout',
    setting: 'run.timeout',
    option: 'timeoutMs',
    help: 'Time limit of a whole run. Default: none',
    served: false,
  },
} as const satisfies Readonly<Record<string, Limit>>;

export type LimitName = keyof typeof LIMITS;

/** Limits that are set; an absent one is as the task or its environment says. Carried unchanged from where they are set to the run. */
export type RunLimits = { readonly [Name in LimitName]?: number | undefined };

export const LIMIT_NAMES = Object.keys(LIMITS) as readonly LimitName[];

/** Reads each limit. */
export function readLimits(read: (limit: Limit, name: LimitName) => number | null | undefined): RunLimits {
  return defined(Object.fromEntries(LIMIT_NAMES.map((name) => [name, read(LIMITS[name], name) ?? undefined])));
}
