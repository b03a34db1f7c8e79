import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ActionInput } from '../../../actions/action.ts';
import { toCla } from '../../../actions/to-cla.ts';
import type { StepInfo } from '../../../environments/environment.ts';
import { printCall } from '../../../tasks/print.ts';
import { describeSystemError } from '../../../tasks/system-error.ts';
import type { Json } from '../../../tasks/task.ts';
import { describeAgent } from '../../agents/registry.ts';
import { MOST_PICTURE, type RecordedPicture } from '../../store/new-step.ts';
import type { RecordedRun } from '../../store/store.ts';
import type { RunRecord, Step, TraceHeader } from '../../store/trace.ts';
import { dataUrl, pictureOf } from './picture.ts';
import type { Trajectory } from './trajectory.ts';

/** A run to be written out. */
export interface Exported {
  readonly header: TraceHeader;
  readonly record: RunRecord;
  readonly steps: readonly Step[];
  /** The picture of a step as a `data:` address; null where it cannot be had, which `damage` tells of from then on. */
  picture(screenshot: string): Promise<string | null>;
  /** What of the run is not whole, in sentences. */
  readonly damage: readonly string[];
}

/** A recorded run to be written out, with its pictures as they are on disk. Throws `TraceError`. */
export async function exported(run: RecordedRun): Promise<Exported> {
  const damage = new Set<string>();
  const { warning } = run.record.grade.info;
  // Of a run that has ended it is about the agent.
  if (run.record.status === 'interrupted' && typeof warning === 'string') damage.add(warning);
  if (run.cutShort) damage.add('The last line of the trace was not written whole and is left out.');
  return {
    get damage() {
      return [...damage];
    },
    header: run.header,
    record: run.record,
    steps: await run.steps(),
    picture: async (screenshot) => {
      const read = await readPicture(run.picture(screenshot));
      if ('data' in read) return dataUrl(read);
      damage.add(`The picture ${screenshot} is left out: ${read.why}.`);
      return null;
    },
  };
}

/** A picture on disk, or why it cannot be had, to stand after a colon. */
async function readPicture(path: string): Promise<RecordedPicture | { readonly why: string }> {
  try {
    const { size } = await stat(path);
    if (size > MOST_PICTURE) return { why: `it has ${Math.ceil(size / 1e6)} MB, more than ${MOST_PICTURE / 1e6}` };
    return pictureOf(await readFile(path)) ?? { why: 'it is neither PNG nor JPEG' };
  } catch (error) {
    return { why: describeSystemError(error) };
  }
}

/**
 * A run as HUD 0.2's `Trajectory`: each line with an observation is a step, with what was done before it was seen.
 * Evaluate calls, which it has no place for, are told of in its `logs`.
 */
export async function toTrajectory({ header, record, steps, picture }: Exported): Promise<Trajectory> {
  const trajectory: Trajectory['trajectory'] = [];
  for (const step of steps) {
    if (step.observation === null && step.source !== 'agent') continue;
    const screenshot = step.observation?.screenshot ?? null;
    const url = screenshot === null ? step.info['observation_url'] : await picture(screenshot);
    trajectory.push({
      observation_url: typeof url === 'string' ? url : null,
      observation_text: step.observation?.text ?? null,
      actions: actionsOf(step),
      logs: logsOf(step, screenshot !== null && typeof url !== 'string'),
      start_timestamp: step.started_at,
      end_timestamp: new Date(Date.parse(step.started_at) + step.duration_ms).toISOString(),
    });
  }
  const { reward } = record;
  return { id: header.trace_id, reward, logs: summaryOf(header, record, steps), error: errorOf(record), trajectory };
}

function actionsOf({ action, info }: Step): Record<string, Json>[] {
  if (action === undefined) return [];
  const acted = (info as StepInfo).acted ?? [];
  const inputs: readonly ActionInput[] = Array.isArray(action) ? action : [action as ActionInput];
  let at = 0;
  return inputs.flatMap((input) => {
    const objects = toCla(input, acted.slice(at));
    at += objects.length;
    return objects.map((object) => ({ ...object }));
  });
}

function logsOf({ call, error, info, source }: Step, lacksPicture: boolean): string | null {
  const { logs } = info;
  if (typeof logs === 'string') return logs;
  const lines = [
    ...(source === 'setup' && call !== undefined ? [`setup: ${printCall(call)}`] : []),
    ...(error === null ? [] : [`error: ${error.message}`]),
    ...(lacksPicture ? ['The picture of this step could not be had.'] : []),
    ...((info as StepInfo).messages ?? []).map(({ kind, text }) => `${kind}: ${text}`),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

/** The logs that a trajectory came with, else what the run is and how it was judged. */
function summaryOf(header: TraceHeader, record: RunRecord, steps: readonly Step[]): string | null {
  if (header.agent === 'hud-0.2') {
    const last = steps.at(-1);
    const logs = last?.observation === null ? last.info['logs'] : null;
    return typeof logs === 'string' ? logs : null;
  }
  const { prompt, agent, seed } = header;
  return [
    `task: ${basename(record.file)}#${record.task_id}`,
    ...(prompt === '' ? [] : [`prompt: ${prompt}`]),
    `agent: ${describeAgent(agent)}, seed ${seed}`,
    ...record.grade.subscores.map(({ name, value, reason }) => `${name}: ${value ?? 'no value'}, ${reason}`),
  ].join('\n');
}

function errorOf({ error, status }: RunRecord): string | null {
  if (error !== null) return error.message;
  return status === 'completed' ? null : `The run was ${status}.`;
}
