import { createHash } from 'node:crypto';
import type { Json } from '../../base/json.ts';
import { EMPTY_RANGE } from '../../base/range.ts';
import { isSuccess } from '../../results/reward.ts';
import type { Task } from '../../tasks/task.ts';
import { readableName } from '../../traces/names.ts';
import type { NewStep } from '../../traces/new-step.ts';
import { type RunRecord, TRACE_FORMAT, TRACE_VERSION, type TraceHeader } from '../../traces/trace.ts';

/** A run from a file of another program, in the form of a recorded run. */
export interface ImportedRun {
  readonly header: TraceHeader;
  /** `trace_dir` is null, because the run has no folder. */
  readonly record: RunRecord;
  readonly steps: readonly NewStep[];
}

/** What an importer reads from a file about one run. */
export interface ImportedParts
  extends Pick<RunRecord, 'file' | 'reward' | 'error'>,
    Pick<RunRecord['grade'], 'done' | 'content' | 'info' | 'subscores'> {
  /** Index of the run in the file. */
  readonly index: number;
  readonly format: 'hud-0.2' | 'hud-0.6';
  /** The run's id in the file. */
  readonly id: string;
  readonly prompt: string;
  readonly steps: readonly NewStep[];
  /** The parts of the task that the file contains. */
  readonly task: Partial<Pick<Task, 'id' | 'setup' | 'evaluate'>>;
}

/** Converts the parts to the form of a recorded run. */
export function importedRun(parts: ImportedParts): ImportedRun {
  const { file, index, format, id, prompt, reward, error, done, content, info, subscores, steps } = parts;
  const ends = steps.map(({ started_at, duration_ms }) => Date.parse(started_at) + duration_ms);
  const started_at = steps[0]?.started_at ?? new Date(0).toISOString();
  const task: Task = {
    file,
    index,
    id: parts.task.id ?? id,
    era: format === 'hud-0.2' ? '0.2' : '0.6',
    range: EMPTY_RANGE,
    name: null,
    description: null,
    prompt: prompt === '' ? null : prompt,
    system_prompt: null,
    env: { type: format },
    tags: [],
    initial_state: {},
    setup: parts.task.setup ?? [],
    evaluate: parts.task.evaluate ?? [],
    config: null,
    sensitive_data: {},
    metadata: {},
    max_steps: null,
  };
  const run_id = runIdOf(id, index);
  const commonFields = { run_id, group_id: '', prompt, seed: 0, agent: format, started_at };
  const header: TraceHeader = {
    format: TRACE_FORMAT,
    version: TRACE_VERSION,
    ...commonFields,
    job_id: '',
    trace_id: id,
    task,
    runtime: 'imported',
    origin: format,
  };
  const record: RunRecord = {
    ...commonFields,
    task_id: task.id ?? String(index),
    file,
    status: error === null ? 'completed' : 'error',
    reward,
    success: error === null && isSuccess(reward),
    truncated: false,
    error,
    steps: steps.filter(({ source }) => source === 'agent').length,
    duration_ms: Math.max(0, Math.round(Math.max(...ends, Date.parse(started_at)) - Date.parse(started_at))),
    trace_dir: null,
    grade: { reward, done, content, info, is_error: error !== null, subscores },
  };
  return { header, record, steps };
}

/** A call without a location in a task file. */
export function callOf(name: string, args: readonly Json[]): NonNullable<NewStep['call']> {
  return { function: name, args: [...args], range: EMPTY_RANGE };
}

export type StepTime = Pick<NewStep, 'started_at' | 'duration_ms'>;

/** A step without an observation, as a base for others. */
export function line(source: NewStep['source'], times: StepTime): NewStep {
  return { ...times, source, observation: null, reward: null, terminated: false, info: {}, error: null };
}

/** A name that is safe for a folder and stable for the same run. */
function runIdOf(id: string, index: number): string {
  const digest = createHash('sha256').update(`${index} ${id}`).digest('hex').slice(0, 8);
  return `${readableName(id)}-${digest}`;
}

/** A time as HUD writes it, with or without a zone, as ISO 8601; null if it is not a time. */
export function timeOf(text: string | null | undefined): string | null {
  if (text == null) return null;
  const timeWithZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) ? text : `${text}Z`;
  const ms = Date.parse(timeWithZone);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** Start and duration from two times, each of which may be missing. */
export function times(
  start: string | null | undefined,
  end: string | null | undefined,
  fallbackTime: string,
): StepTime {
  const endTime = timeOf(end);
  const started_at = timeOf(start) ?? endTime ?? fallbackTime;
  const duration_ms = endTime === null ? 0 : Math.max(0, Date.parse(endTime) - Date.parse(started_at));
  return { started_at, duration_ms };
}
