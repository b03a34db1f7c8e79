import { randomBytes, randomUUID } from 'node:crypto';
import { taskName } from '../tasks/name.ts';
import type { Task } from '../tasks/task.ts';

function suffix(): string {
  return randomBytes(4).toString('hex');
}

/** Name and folder of a job. Names sort by time. */
export function newJobId(now = new Date()): string {
  const [day = '', time = ''] = now.toISOString().split('T');
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix()}`;
}

/** Name and folder of a run: the task's name with a suffix, valid as a path on every system. */
export function newRunId(task: Pick<Task, 'id' | 'index'>): string {
  return `${readableName(taskName(task))}-${suffix()}`;
}

/** The part of the name of a run that shows what it is, valid as a path on every system. */
export function readableName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|-+$/g, '');
  return name.slice(0, 40) || 'run';
}

/** Id that the repeats of a task in a job share. */
export function newGroupId(): string {
  return suffix();
}

/** In HUD's form: 32 hex digits. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}
