import type { ActionInput } from '../actions/action.ts';
import { normaliseAction } from '../actions/normalise.ts';
import { verbOfObject } from '../actions/verb.ts';
import type { Phase } from '../functions/declaration.ts';
import type { LocatedCall } from './call-locations.ts';

/** Options that the user set on a breakpoint. */
export interface BreakpointOptions {
  readonly condition?: string | undefined;
  /** A hit count: `3`, `>= 3`, `% 2`. */
  readonly hitCondition?: string | undefined;
  readonly logMessage?: string | undefined;
}

/** A breakpoint that has been bound to a call or an action. */
export interface ActiveBreakpoint extends BreakpointOptions {
  readonly id: number;
  /** How often it was reached with its condition met. */
  hits: number;
}

export interface CallBreakpoint extends ActiveBreakpoint {
  readonly file: string;
  readonly location: LocatedCall<Phase | 'start'>;
}

/** Set on an action by its name (`click`), or on a step of the agent by its number, from 1. */
export interface ActionBreakpoint extends ActiveBreakpoint {
  readonly action: string | number;
}

/** Set on a line of an `.actions` file. */
export interface LineBreakpoint extends ActiveBreakpoint {
  /** The step that replays the line, from 1. */
  readonly step: number;
}

/** Errors and failures that a run can stop at. */
export const EXCEPTION_FILTERS = [
  {
    filter: 'evaluator-failed',
    label: 'Evaluator failed',
    description: 'Stop after an evaluate call whose value is below 1',
    default: false,
  },
  {
    filter: 'evaluator-threw',
    label: 'Evaluator threw',
    description: 'Stop after a setup or evaluate call that threw or returned an invalid value',
    default: true,
  },
  {
    filter: 'time-limit',
    label: 'Time limit exceeded',
    description: 'Stop after a setup or evaluate call that exceeded its time limit',
    default: true,
  },
  {
    filter: 'action-failed',
    label: 'Action failed',
    description: 'Stop after an action that failed',
    default: false,
  },
] as const;

export type ExceptionFilter = (typeof EXCEPTION_FILTERS)[number]['filter'];

/** The error code of a call that exceeded its time limit. */
export const TIMEOUT = 'call_timeout';

/** All breakpoints of a debug session. */
export class Breakpoints {
  /** By file. The protocol always sets all breakpoints of a file at once. */
  readonly #calls = new Map<string, readonly CallBreakpoint[]>();
  readonly #lines = new Map<string, readonly LineBreakpoint[]>();
  actions: readonly ActionBreakpoint[] = [];
  /** The enabled filters with their conditions. */
  filters: ReadonlyMap<ExceptionFilter, string | undefined> = new Map();
  #ids = 0;

  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  setCalls(file: string, breakpoints: readonly CallBreakpoint[]): void {
    this.#calls.set(file, breakpoints);
  }

  setLines(file: string, breakpoints: readonly LineBreakpoint[]): void {
    this.#lines.set(file, breakpoints);
  }

  /** @param file the `.actions` file that the run replays, if any */
  onLine(file: string | undefined, step: number): readonly LineBreakpoint[] {
    return (file === undefined ? [] : (this.#lines.get(file) ?? [])).filter((breakpoint) => breakpoint.step === step);
  }

  onCall(file: string, task: string, phase: Phase | 'start', index: number): readonly CallBreakpoint[] {
    const inFile = this.#calls.get(file) ?? [];
    return inFile.filter(
      ({ location }) => location.task === task && location.phase === phase && location.index === index,
    );
  }

  /** @param step the step's number, from 1 */
  onActions(inputs: readonly ActionInput[], step: number): readonly ActionBreakpoint[] {
    if (this.actions.length === 0) return [];
    const names = actionNames(inputs);
    return this.actions.filter(({ action }) => action === step || (typeof action === 'string' && names.has(action)));
  }
}

/** Parses the name of a function breakpoint: `click`, `click()`, or the number of a step. Null if it is neither. */
export function readActionName(name: string): string | number | null {
  const step = /^\s*(?:step\s*)?#?(\d+)\s*$/i.exec(name)?.[1];
  if (step !== undefined) return Number(step) > 0 ? Number(step) : null;
  return /^\s*([A-Za-z_]\w*)\s*(?:\(\s*\))?\s*$/.exec(name)?.[1] ?? null;
}

/** The names of the actions in an answer: as the agent spelled them, and normalized. */
function actionNames(inputs: readonly ActionInput[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const input of inputs) {
    if (typeof input === 'string') {
      for (const match of input.matchAll(/(?:^|[\n;])\s*([A-Za-z_]\w*)\s*\(/g)) names.add(match[1] ?? '');
    } else names.add(verbOfObject(input));
    for (const action of normaliseAction(input).actions) names.add(action.type);
  }
  return names;
}

/** The comparisons of a hit condition with a number of hits. */
const HIT_CONDITIONS: Readonly<Record<string, (hits: number, count: number) => boolean>> = {
  '==': (hits, count) => hits === count,
  '=': (hits, count) => hits === count,
  '>=': (hits, count) => hits >= count,
  '>': (hits, count) => hits > count,
  '<=': (hits, count) => hits <= count,
  '<': (hits, count) => hits < count,
  '%': (hits, count) => count > 0 && hits % count === 0,
};

/** Whether a hit condition is met at this number of hits. Null if it cannot be parsed. */
export function isHitCountMet(condition: string, hits: number): boolean | null {
  const [, operator = '==', digits] = /^\s*(==|=|>=|>|<=|<|%)?\s*(\d+)\s*$/.exec(condition) ?? [];
  return digits === undefined ? null : (HIT_CONDITIONS[operator]?.(hits, Number(digits)) ?? null);
}
