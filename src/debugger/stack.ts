import { basename } from 'node:path';
import type { Range } from '../base/range.ts';
import { kindOfType } from '../environments/kinds.ts';
import { inputsOf } from '../runs/solutions/solution-text.ts';
import { taskLabel } from '../tasks/label.ts';
import { printCall } from '../tasks/print.ts';
import { outcomeOf, printActions, type StoppedState } from './stopped-state.ts';

/** One frame of the call stack. Without a range it has no source position. */
export interface Frame {
  readonly name: string;
  readonly range: Range | null;
  /** The file of the range. */
  readonly file: string;
  /** Whether it can be evaluated again. */
  readonly canRestart: boolean;
  /** Whether it is a label without variables of its own. */
  readonly label: boolean;
}

/** The stack at a stop: the next or last call or action, the last step, and the task. */
export function framesAt(state: StoppedState): readonly Frame[] {
  const { location, task, steps } = state;
  const { file } = task;
  const frames: Frame[] = [];
  const add = (name: string, range: Range | null, more: Partial<Frame> = {}): void => {
    frames.push({ name, range, file, canRestart: false, label: false, ...more });
  };
  if (location.kind === 'call') {
    const { call, phase } = location.running;
    const isEvaluated = location.outcome !== null && phase === 'evaluate';
    const result = isEvaluated ? ` → ${outcomeOf(location.outcome).value ?? 'error'}` : '';
    add(printCall(call) + result, call.range, { canRestart: phase === 'evaluate' });
  }
  const agentSteps = steps.filter(({ source }) => source === 'agent');
  const last = agentSteps.at(-1);
  if (location.kind === 'action') {
    const { source } = location;
    add(`step ${location.step}: ${printActions(location.actions)}`, null, source ?? {});
  } else if (last !== undefined)
    add(`step ${agentSteps.length}: ${printActions(inputsOf(last))}`, null, { label: true });
  const outcome = location.kind === 'end' ? ` → ${location.grade.reward ?? 'no reward'}` : '';
  // Only the start: a task can span a thousand lines.
  const { start } = task.range;
  const startCall = location.kind === 'start' ? (kindOfType(task.env)?.start?.(task.env) ?? null) : null;
  const range = { start, end: start };
  if (startCall !== null) add(`start: ${printCall(startCall)}`, range);
  add(`${taskLabel(task)}${outcome} (${basename(task.file)})`, range);
  return frames;
}
