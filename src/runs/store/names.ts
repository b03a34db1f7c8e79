import { randomBytes, randomUUID } from 'node:crypto';
import { taskName } from '../../tasks/name.ts';
import type { Task } from '../../tasks/task.ts';

function suffix(): string {
  return randomBytes(4).toString('hex');
}

/** A job's name and folder: sorts by time. */
export function newJobId(now = new Date()): string {
  const [day = '', time = ''] = now.toISOString().split('T');
  return `${day.replaceAll('-', '')}-${time.slice(0, 8).replaceAll(':', '')}-${suffix()}`;
}

/** A run's name and folder: begins with its task, so that a person finds it. Safe as a path on every system. */
export function newRunId(task: Pick<Task, 'id' | 'index'>): string {
  const readable = taskName(task)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${readable === '' ? 'run' : readable}-${suffix()}`;
}

/** What the repeats of one task in a job have in common. */
export function newGroupId(): string {
  return suffix();
}

/** HUD's form: 32 hex digits. */
export function newTraceId(): string {
  return randomUUID().replaceAll('-', '');
}
