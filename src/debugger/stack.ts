import { basename } from 'node:path';
import { taskName } from '../tasks/name.ts';
import { printCall } from '../tasks/print.ts';
import type { Range } from '../tasks/range.ts';
import { actionsOf, outcomeOf, printActions, type StoppedState } from './stopped-state.ts';

/** One line of the call stack; without a range nothing of it stands in a file. */
export interface Frame {
  readonly name: string;
  readonly range: Range | null;
  /** It can be evaluated again. */
  readonly again: boolean;
  /** It only says where this is: there is nothing to look at. */
  readonly label: boolean;
}

/** The stack at a stop: the call or the action that is next or was just carried out, the last step, the task. */
export function framesAt(state: StoppedState): readonly Frame[] {
  const { location, task, steps } = state;
  const frames: Frame[] = [];
  if (location.kind === 'call') {
    const { call, phase } = location.running;
    const value = location.outcome === null || phase === 'setup' ? null : outcomeOf(location.outcome).value;
    const came = location.outcome === null || phase === 'setup' ? '' : ` → ${value ?? 'error'}`;
    frames.push({ name: printCall(call) + came, range: call.range, again: phase === 'evaluate', label: false });
  }
  const taken = steps.filter(({ source }) => source === 'agent');
  const last = taken.at(-1);
  if (location.kind === 'action') {
    frames.push(step(location.step, printActions(location.actions), false));
  } else if (last !== undefined) frames.push(step(taken.length, printActions(actionsOf(last)), true));
  const ended = location.kind === 'end' ? ` → ${location.grade.reward ?? 'no reward'}` : '';
  // The task's first line is enough to know it by: all of it may be a thousand lines.
  const { start } = task.range;
  frames.push({
    name: `${taskName(task)}${ended} (${basename(task.file)})`,
    range: { start, end: start },
    again: false,
    label: false,
  });
  return frames;
}

function step(number: number, action: string, label: boolean): Frame {
  return { name: `step ${number}: ${action}`, range: null, again: false, label };
}
