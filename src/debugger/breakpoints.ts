import type { ActionInput } from '../actions/action.ts';
import { normaliseAction } from '../actions/normalise.ts';
import type { Phase } from '../functions/declaration.ts';
import type { LocatedCall } from './call-locations.ts';

/** What the person asked of a breakpoint. */
export interface BreakpointOptions {
  readonly condition?: string | undefined;
  /** How often it is to be passed: `3`, `>= 3`, `% 2`. */
  readonly hitCondition?: string | undefined;
  readonly logMessage?: string | undefined;
}

/** A breakpoint that stands somewhere. */
export interface ActiveBreakpoint extends BreakpointOptions {
  readonly id: number;
  /** How often it was come by, its condition being met. */
  hits: number;
}

/** On a call of a task file. */
export interface CallBreakpoint extends ActiveBreakpoint {
  readonly file: string;
  readonly location: LocatedCall;
}

/** On an action by its name (`click`), or on a step of the agent by its number, from 1. */
export interface ActionBreakpoint extends ActiveBreakpoint {
  readonly action: string | number;
}

/** What a run stops at when something goes wrong in it. */
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
    description: 'Stop after a setup or evaluate call that threw, returned nothing usable or did not end in time',
    default: true,
  },
  {
    filter: 'action-failed',
    label: 'Action failed',
    description: 'Stop after an action that could not be carried out',
    default: false,
  },
] as const;

export type ExceptionFilter = (typeof EXCEPTION_FILTERS)[number]['filter'];

/** All breakpoints of a session. */
export class Breakpoints {
  /** By file: the whole of a file is set at a time. */
  readonly #calls = new Map<string, readonly CallBreakpoint[]>();
  actions: readonly ActionBreakpoint[] = [];
  /** The filters that are on, with their conditions. */
  filters: ReadonlyMap<ExceptionFilter, string | undefined> = new Map();
  #ids = 0;

  nextId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  setCalls(file: string, breakpoints: readonly CallBreakpoint[]): void {
    this.#calls.set(file, breakpoints);
  }

  onCall(file: string, task: string, phase: Phase, index: number): readonly CallBreakpoint[] {
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

/** What a function breakpoint names: `click`, `click()` or the number of a step. Null where it names nothing. */
export function readActionName(name: string): string | number | null {
  const step = /^\s*(?:step\s*)?#?(\d+)\s*$/i.exec(name)?.[1];
  if (step !== undefined) return Number(step) > 0 ? Number(step) : null;
  return /^\s*([A-Za-z_]\w*)\s*(?:\(\s*\))?\s*$/.exec(name)?.[1] ?? null;
}

/** The names an answer's actions go by: as they were spelled, and in the one form of all spellings. */
function actionNames(inputs: readonly ActionInput[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const input of inputs) {
    if (typeof input === 'string') {
      for (const found of input.matchAll(/(?:^|[\n;])\s*([A-Za-z_]\w*)\s*\(/g)) names.add(found[1] ?? '');
    } else names.add(input.type);
    for (const action of normaliseAction(input).actions) names.add(action.type);
  }
  return names;
}

/** Whether a hit condition is met at the n-th hit. Null where it cannot be read. */
export function isHitCountMet(condition: string, hits: number): boolean | null {
  const [, operator, digits] = /^\s*(==|=|>=|>|<=|<|%)?\s*(\d+)\s*$/.exec(condition) ?? [];
  if (digits === undefined) return null;
  const wanted = Number(digits);
  switch (operator) {
    case '>=':
      return hits >= wanted;
    case '>':
      return hits > wanted;
    case '<=':
      return hits <= wanted;
    case '<':
      return hits < wanted;
    case '%':
      return wanted > 0 && hits % wanted === 0;
    default:
      return hits === wanted;
  }
}
