import { basename } from 'node:path';
import * as l10n from '@vscode/l10n';
import type { ActionInput } from '../../../actions/action.ts';
import { toCla } from '../../../actions/to-cla.ts';
import { describeAgent } from '../../../agents/registry.ts';
import type { Json } from '../../../base/json.ts';
import type { StepInfo } from '../../../environments/environment.ts';
import { selectorByName } from '../../../tasks/address.ts';
import { printCall } from '../../../tasks/print.ts';
import type { RunRecord, Step, TraceHeader } from '../../../traces/trace.ts';
import type { Exporter, RunToExport } from '../exporter.ts';
import { type Logs, logsSchema, type Trajectory } from './trajectory-importer.ts';

const EXTENSION = 'trajectory.json';

/** HUD 0.2's `Trajectory`, or a list of them. */
export const trajectoryExporter: Exporter = {
  name: 'hud-0.2',
  label: l10n.t('HUD 0.2 trajectory'),
  extension: EXTENSION,
  async write(runs, sink) {
    const trajectories: Trajectory[] = [];
    let name = 'runs';
    for await (const run of runs) {
      trajectories.push(await trajectoryOf(run));
      name = trajectories.length === 1 ? run.header.run_id : 'runs';
    }
    const value = trajectories.length === 1 ? trajectories[0] : trajectories;
    await sink.file(`${name}.${EXTENSION}`, `${JSON.stringify(value, null, 2)}\n`);
  },
};

/**
 * Each line with an observation becomes a step, with the actions before it. The format has no field for evaluate calls, so
 * they go to `logs`.
 */
export async function trajectoryOf({ header, record, steps, picture }: RunToExport): Promise<Trajectory> {
  const trajectory: Trajectory['trajectory'] = [];
  for (const step of steps) {
    if (step.observation === null && step.source !== 'agent') continue;
    const screenshot = step.observation?.screenshot ?? null;
    const url = screenshot === null ? step.info['observation_url'] : await picture(screenshot);
    trajectory.push({
      observation_url: typeof url === 'string' ? url : null,
      observation_text: step.observation?.text ?? null,
      actions: claActions(step),
      logs: logsOf(step, screenshot !== null && typeof url !== 'string'),
      start_timestamp: step.started_at,
      end_timestamp: new Date(Date.parse(step.started_at) + step.duration_ms).toISOString(),
    });
  }
  const { reward } = record;
  return { id: header.trace_id, reward, logs: summaryOf(header, record, steps), error: errorOf(record), trajectory };
}

/** The actions of an answer as CLA objects. */
export function claActions({ action, info }: Step): Record<string, Json>[] {
  if (action === undefined) return [];
  const effects = (info as StepInfo).acted ?? [];
  const inputs: readonly ActionInput[] = Array.isArray(action) ? action : [action as ActionInput];
  let index = 0;
  return inputs.flatMap((input) => {
    const objects = toCla(input, effects.slice(index));
    index += objects.length;
    return objects.map((object) => ({ ...object }));
  });
}

function logsOf({ call, error, info, source }: Step, isPictureMissing: boolean): Logs | null {
  const { success, data } = logsSchema.safeParse(info['logs']);
  if (success) return data;
  const lines = [
    ...(source === 'setup' && call !== undefined ? [`setup: ${printCall(call)}`] : []),
    ...(error === null ? [] : [`error: ${error.message}`]),
    ...(isPictureMissing ? ['The picture of this step is missing.'] : []),
    ...((info as StepInfo).messages ?? []).map(({ kind, text }) => `${kind}: ${text}`),
  ];
  return lines.length === 0 ? null : lines.join('\n');
}

/** The logs of an imported trajectory; for our own runs, a summary of the run and its grade. */
function summaryOf(header: TraceHeader, record: RunRecord, steps: readonly Step[]): string | null {
  if (header.origin === 'hud-0.2') {
    const last = steps.at(-1);
    const logs = last?.observation === null ? last.info['logs'] : null;
    return typeof logs === 'string' ? logs : null;
  }
  const { prompt, agent, seed } = header;
  return [
    `task: ${basename(record.file)}#${selectorByName(record.task_id, header.task.index)}`,
    ...(prompt === '' ? [] : [`prompt: ${prompt}`]),
    `agent: ${describeAgent(agent)}, seed ${seed}`,
    ...record.grade.subscores.map(({ name, value, reason }) => `${name}: ${value ?? 'no value'}, ${reason}`),
  ].join('\n');
}

function errorOf({ error, status }: RunRecord): string | null {
  if (error !== null) return error.message;
  return status === 'completed' ? null : `The run was ${status}.`;
}
