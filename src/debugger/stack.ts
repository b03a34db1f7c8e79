import { basename } from 'node:path';
import type { Range } from '../base/range.ts';
import { kindOfType } from '../environments/kinds.ts';
import { taskLabel } from '../tasks/label.ts';
import { printCall } from '../tasks/print.ts';
import { actionsOf, outcomeOf, printActions, type StoppedState } from './stopped-state.ts';

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

/** The stack at a stop: the next or last call or action, the last step, the task. */
export function framesAt(state: StoppedState): readonly Frame[] {
  const { location, task, steps } = state;
  const { file } = task;
  const frames: Frame[] = [];
  if (location.kind === 'call') {
    const { call, phase } = location.running;
    const value = location.outcome === null || phase === 'setup' ? null : outcomeOf(location.outcome).value;
    const result = location.outcome === null || phase === 'setup' ? '' : ` → ${value ?? 'error'}`;
    const { range } = call;
    frames.push({ name: printCall(call) + result, range, file, canRestart: phase === 'evaluate', label: false });
  }
  const agentSteps = steps.filter(({ source }) => source === 'agent');
  const last = agentSteps.at(-1);
  if (location.kind === 'action') {
    const { source } = location;
    const frame = step(location.step, printActions(location.actions), file, false);
    frames.push(source === null ? frame : { ...frame, ...source });
  } else if (last !== undefined) frames.push(step(agentSteps.length, printActions(actionsOf(last)), file, true));
  const outcome = location.kind === 'end' ? ` → ${location.grade.reward ?? 'no reward'}` : '';
  // Only the start: a task can span a thousand lines.
  const { start } = task.range;
  const startCall = location.kind === 'start' ? (kindOfType(task.env)?.start?.(task.env) ?? null) : null;
  if (startCall !== null) {
    const name = `start: ${printCall(startCall)}`;
    frames.push({ name, range: { start, end: start }, file, canRestart: false, label: false });
  }
  frames.push({
    name: `${taskLabel(task)}${outcome} (${basename(task.file)})`,
    range: { start, end: start },
    file,
    canRestart: false,
    label: false,
  });
  return frames;
}

function step(number: number, action: string, file: string, label: boolean): Frame {
  return { name: `step ${number}: ${action}`, range: null, file, canRestart: false, label };
}
