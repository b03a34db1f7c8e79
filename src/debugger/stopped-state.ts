import type { ActionInput } from '../actions/action.ts';
import { printInputs } from '../actions/print-input.ts';
import type { PageLink } from '../functions/page/page-link.ts';
import type { RunningCall } from '../runs/run/debugging.ts';
import { weightOf } from '../runs/run/grading.ts';
import { inputsOf } from '../runs/solutions/solution-text.ts';
import type { CallOutcome } from '../server/protocol.ts';
import { printCall } from '../tasks/print.ts';
import type { Task } from '../tasks/task.ts';
import type { Grade, RunError, Step } from '../traces/trace.ts';
import type { ActionSource } from './action-file.ts';

/** What a run is about to do, or has just done. */
export type StopLocation =
  | { readonly kind: 'start' }
  /** `outcome`: null before the call. */
  | { readonly kind: 'call'; readonly running: RunningCall; readonly outcome: CallOutcome | null }
  /** `step`: from 1. `done`: null before the action. */
  | {
      readonly kind: 'action';
      readonly actions: readonly ActionInput[];
      readonly step: number;
      readonly done: Step | null;
      /** The line that the agent replays, if any. */
      readonly source: ActionSource | null;
    }
  | { readonly kind: 'end'; readonly grade: Grade; readonly error: RunError | null };

/** The state of a run at a stop, live or recorded. */
export interface StoppedState {
  /** The task with the current ranges of its calls. */
  readonly task: Task;
  readonly prompt: string;
  readonly seed: number;
  readonly location: StopLocation;
  /** The steps that were recorded so far. */
  readonly steps: readonly Step[];
  readonly response: string | null;
}

/** A value in the Variables view. */
export interface Variable {
  readonly name: string;
  readonly value: unknown;
  /** The expression that gives the value in the debug console. */
  readonly expression?: string;
  /** Children to show instead of those of the value. */
  readonly parts?: readonly Variable[];
  /** Sets the value from the text that the user typed, and returns the new value. Throws `DebugError`. */
  set?(text: string): unknown;
}

export interface VariableScope {
  readonly name: string;
  readonly variables: readonly Variable[];
}

/** Setters for the values that can be changed at a stop. */
export interface Setters {
  response?(text: string): string;
  argument?(index: number, text: string): unknown;
}

/** Actions as text for the user. */
export function printActions(actions: readonly ActionInput[]): string {
  return printInputs(actions).join('; ');
}

/**
 * The value and the reason of each evaluate call that is known so far, from the recorded steps and the current call.
 */
export function verdictsOf({ task, steps, location }: StoppedState): readonly Verdict[] {
  const evaluateSteps = steps.filter((step) => step.source === 'evaluate');
  return task.evaluate.map((call, index) => {
    const current =
      location.kind === 'call' && location.running.phase === 'evaluate' && location.running.index === index
        ? location
        : null;
    const step = evaluateSteps[index];
    // The user may have evaluated it with other arguments.
    const evaluatedCall = current?.running.call ?? step?.call ?? call;
    const name = printCall(evaluatedCall);
    const weight = weightOf(evaluatedCall) ?? 1;
    if (current?.outcome) return { name, weight, ...outcomeOf(current.outcome) };
    if (step === undefined) return { name, weight, value: null, reason: null };
    const reason = step.error?.message ?? step.info['reason'];
    return { name, weight, value: step.reward, reason: typeof reason === 'string' ? reason : '' };
  });
}

export interface Verdict {
  readonly name: string;
  readonly weight: number;
  readonly value: number | null;
  /** Null if it was not evaluated yet. */
  readonly reason: string | null;
}

export function outcomeOf(outcome: CallOutcome): { value: number | null; reason: string } {
  if ('error' in outcome) return { value: null, reason: outcome.error.message };
  return { value: outcome.value, reason: outcome.reason };
}

function lastObserved(steps: readonly Step[]): Step | undefined {
  return steps.findLast((step) => step.observation !== null);
}

/** Address and title of the last open page. */
function pageOf(steps: readonly Step[]): { readonly url: unknown; readonly title: unknown } {
  const info = steps.findLast((step) => step.info['url'] !== undefined)?.info;
  return { url: info?.['url'] ?? null, title: info?.['title'] ?? null };
}

/** The scopes of the Variables view. */
export function scopesOf(state: StoppedState, changes: Setters): readonly VariableScope[] {
  const { task, location, steps } = state;
  const scopes: VariableScope[] = [];
  if (location.kind === 'call') {
    const { call } = location.running;
    const { argument } = changes;
    const args = call.args.map(
      (value, index): Variable => ({
        name: String(index),
        value,
        expression: `args[${index}]`,
        ...(argument === undefined ? {} : { set: (text: string) => argument(index, text) }),
      }),
    );
    const outcome = location.outcome === null ? [] : Object.entries(outcomeOf(location.outcome));
    scopes.push({
      name: 'Call',
      variables: [
        ...plain({ function: call.function }),
        { name: 'args', value: call.args, expression: 'args', parts: args },
        ...(call.metadata == null ? [] : plain({ metadata: call.metadata })),
        ...outcome.map(([name, value]): Variable => ({ name, value, expression: name })),
      ],
    });
  }
  if (location.kind === 'action') {
    const { done } = location;
    scopes.push({
      name: 'Action',
      variables: plain({
        action: location.actions.length === 1 ? location.actions[0] : location.actions,
        step: location.step,
        ...(done === null ? {} : { acted: done.info['acted'] ?? null, error: done.error, reward: done.reward }),
      }),
    });
  }
  const lastStep = lastObserved(steps);
  const { response } = changes;
  scopes.push({
    name: 'State',
    variables: [
      {
        name: 'response',
        value: state.response,
        expression: 'response',
        ...(response === undefined ? {} : { set: (text: string) => response(text) }),
      },
      ...plain({
        observation: lastStep?.observation ?? null,
        actions: steps.filter((step) => step.source === 'agent').map((step) => printActions(inputsOf(step))),
        messages: lastStep?.info['messages'] ?? [],
      }),
    ],
  });
  if (task.evaluate.length > 0 || location.kind === 'end') {
    const grade =
      location.kind === 'end' ? plain({ reward: location.grade.reward, error: location.error?.message ?? null }) : [];
    const verdicts = verdictsOf(state).map(
      ({ name, ...verdict }): Variable => ({ name, value: verdict.reason === null ? 'not evaluated yet' : verdict }),
    );
    scopes.push({ name: 'Scores', variables: [...grade, ...verdicts] });
  }
  const { id, index, prompt: _, range: __, file: ___, setup, evaluate, ...otherFields } = task;
  const calls = (list: Task['setup']): string[] => list.map(printCall);
  scopes.push({
    name: 'Task',
    variables: plain({
      ...{ id: id ?? index, prompt: state.prompt, seed: state.seed, setup: calls(setup), evaluate: calls(evaluate) },
      ...Object.fromEntries(Object.entries(otherFields).filter(([, value]) => !isEmpty(value))),
    }),
  });
  return scopes;
}

/** The page at the stop; if it cannot be read, its last recorded address and title, and the error. */
export async function pageVariables(
  state: StoppedState,
  queryPage: (links: readonly PageLink[]) => Promise<unknown>,
): Promise<readonly Variable[]> {
  try {
    const state = Object.entries((await queryPage([{ name: 'state', args: [] }])) as Record<string, unknown>);
    return state.map(([name, value]) => ({ name, value, expression: `page.${name}()` }));
  } catch (error) {
    return [...plain(pageOf(state.steps)), { name: 'cookies and storage', value: (error as Error).message }];
  }
}

function plain(values: object): Variable[] {
  return Object.entries(values).map(([name, value]) => ({ name, value, expression: name }));
}

function isEmpty(value: unknown): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The value of a name in conditions and in the debug console; undefined if the name is unknown. */
export function lookUpName(state: StoppedState, name: string): unknown {
  const { location, steps } = state;
  const call = location.kind === 'call' ? location : null;
  const lastStep = lastObserved(steps);
  switch (name) {
    case 'step':
      return location.kind === 'action' ? location.step : steps.filter(({ source }) => source === 'agent').length;
    case 'response':
      return state.response;
    case 'url':
    case 'title':
      return pageOf(steps)[name];
    case 'page':
      return pageOf(steps);
    case 'observation':
      return lastStep?.observation ?? null;
    case 'function':
    case 'args':
    case 'metadata':
      return call?.running.call[name];
    case 'value':
    case 'reason':
      return call?.outcome ? outcomeOf(call.outcome)[name] : undefined;
    case 'action':
      return location.kind === 'action' ? printActions(location.actions) : undefined;
    case 'error':
      return location.kind === 'action' ? location.done?.error : undefined;
    case 'reward':
      return location.kind === 'end' ? location.grade.reward : (lastStep?.reward ?? null);
    case 'actions':
      return steps.filter((step) => step.source === 'agent').map((step) => printActions(inputsOf(step)));
    case 'scores':
      return verdictsOf(state).map(({ value }) => value);
    case 'task':
      return state.task;
    case 'prompt':
    case 'seed':
      return state[name];
    default:
      return undefined;
  }
}
