import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import type { ActionInput } from '../../../actions/action.ts';
import type { NormalAction } from '../../../actions/normal.ts';
import { normaliseAction } from '../../../actions/normalise.ts';
import { printAction } from '../../../actions/print.ts';
import { toCla } from '../../../actions/to-cla.ts';
import type { Json, JsonObject } from '../../../base/json.ts';
import { jsonSchema } from '../../../base/json-validator.ts';
import type { Acted } from '../../../environments/environment.ts';
import type { NewStep } from '../../../traces/new-step.ts';
import { type ImportedRun, importedRun, line, times } from '../imported-run.ts';
import type { ImportedFile, Importer } from '../importer.ts';
import { embeddedPicture, isRemote } from '../picture.ts';
import { checkJson } from '../read-json.ts';

const text = z.string({ error: 'expected a string' });
const orNull = <Schema extends z.ZodType>(schema: Schema) => schema.nullish().transform((value) => value ?? null);
const action = z.record(z.string(), jsonSchema, { error: 'expected an action, which is an object' });

const object = z.record(z.string(), jsonSchema);

/** The logs of a step, in any form that HUD accepts. */
export const logsSchema = z.union([text, object, z.array(z.union([text, object]))], {
  error: 'expected a string, an object, or a list of these',
});
export type Logs = z.infer<typeof logsSchema>;

const stepSchema = z.object(
  {
    observation_url: orNull(text),
    observation_text: orNull(text),
    actions: z.array(action, { error: 'expected a list of actions' }),
    logs: orNull(logsSchema),
    start_timestamp: orNull(text),
    end_timestamp: orNull(text),
  },
  { error: 'expected a step, which is an object with "actions"' },
);

/** `Trajectory` of hud-python 0.2.10, as `Job.load_trajectories` returns it. Other keys are ignored, as in HUD. */
const trajectorySchema = z.object(
  {
    id: z.string({ error: 'expected a string, the id of the trajectory' }),
    reward: orNull(z.number({ error: 'expected a number or null' })),
    logs: orNull(text),
    error: orNull(text),
    trajectory: z.array(stepSchema, { error: 'expected a list of steps' }).default([]),
  },
  { error: 'expected a trajectory of HUD 0.2, which is an object with "id" and "trajectory"' },
);
export type Trajectory = z.infer<typeof trajectorySchema>;
type TrajectoryStep = Trajectory['trajectory'][number];

/** One `Trajectory` of HUD 0.2, or a list of them. */
export const trajectoryImporter: Importer = {
  label: l10n.t('a HUD 0.2 trajectory'),
  read: (file) => {
    if (file.text === null) return null;
    const value = file.json();
    return isTrajectory(value) ? readTrajectories(value, file) : null;
  },
};

/** Whether a value looks like a trajectory or a list of trajectories, valid or not. */
function isTrajectory(value: unknown): boolean {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === 'object' && first !== null && 'trajectory' in first;
}

/** Throws `BrokenFileError`. */
function readTrajectories(value: unknown, { path, document, modifiedAt }: ImportedFile): readonly ImportedRun[] {
  const trajectories = Array.isArray(value)
    ? checkJson(z.array(trajectorySchema), value, document)
    : [checkJson(trajectorySchema, value, document)];
  return trajectories.map((trajectory, index) => runOf(trajectory, path, index, modifiedAt));
}

function runOf(
  { id, reward, logs, error, trajectory }: Trajectory,
  file: string,
  index: number,
  readAt: string,
): ImportedRun {
  const steps: NewStep[] = [];
  let last = readAt;
  let content: string | null = null;
  for (const step of trajectory) {
    const newStep = stepOf(step, last);
    last = newStep.started_at;
    content = responseOf(step.actions) ?? content;
    steps.push(newStep);
  }
  if (logs !== null) steps.push({ ...line('system', { started_at: last, duration_ms: 0 }), info: logInfo(logs) });
  return importedRun({
    file,
    index,
    format: 'hud-0.2',
    id,
    prompt: '',
    reward,
    error: error === null ? null : { message: error, code: 'hud_error' },
    content,
    done: true,
    info: {},
    subscores: [],
    steps,
    task: {},
  });
}

function stepOf(step: TrajectoryStep, fallbackTime: string): NewStep {
  const { observation_url: url, observation_text, actions, logs } = step;
  const [firstInput, ...more] = actions.map(inputOf);
  const screenshot = url === null || isRemote(url) ? null : embeddedPicture(url);
  return {
    ...line(
      firstInput === undefined ? 'system' : 'agent',
      times(step.start_timestamp, step.end_timestamp, fallbackTime),
    ),
    ...(firstInput === undefined ? {} : { action: more.length === 0 ? firstInput : [firstInput, ...more] }),
    observation: { text: observation_text, screenshot },
    info: {
      ...targetsOf(actions),
      ...(logs === null ? {} : logInfo(logs)),
      // Other URLs are stored as they are, unless they are too long for a line of a trace.
      ...(url !== null && screenshot === null && url.length < 10_000 ? { observation_url: url } : {}),
    },
  };
}

/** Logged text, for the console of the step and for exporting it again. */
function logInfo(logs: Logs): Record<string, Json> {
  const messages = (Array.isArray(logs) ? logs : [logs]).map((one) => ({
    kind: 'log',
    text: typeof one === 'string' ? one : JSON.stringify(one),
  }));
  return { logs, messages };
}

/** Where HUD's actions acted, for the overlay: their points are those of the picture. */
function targetsOf(actions: TrajectoryStep['actions']): Record<string, Json> {
  const targets = actions.flatMap((input) => {
    const action = inputOf(input);
    return typeof action === 'string' ? [] : normaliseAction(action).actions.map(targetOf);
  });
  return targets.length === 0 ? {} : { acted: targets as unknown as Json };
}

function targetOf(action: NormalAction): Acted {
  const base = { action: printAction(action) };
  switch (action.type) {
    case 'click':
    case 'move':
      return { ...base, ...pointOf(action) };
    case 'scroll':
      return { ...base, scroll: { x: action.x, y: action.y }, ...pointOf(action) };
    case 'drag': {
      const path = action.path.flatMap((target) => ('point' in target ? [target.point] : []));
      return path.length > 1 ? { ...base, path } : base;
    }
    case 'type':
    case 'response':
      return { ...base, text: action.text };
    default:
      return base;
  }
}

function pointOf({ target }: Extract<NormalAction, { readonly type: 'click' | 'move' | 'scroll' }>) {
  return target !== null && 'point' in target ? { point: target.point } : {};
}

/** An action as the agent sent it. A custom action that holds one of our action strings is that string. */
function inputOf(action: JsonObject): ActionInput {
  const { type, action: custom, args } = action;
  if (type === 'custom' && typeof custom === 'string' && args == null && normaliseAction(custom).failure === null) {
    // Taskwright does not write a custom action for what CLA can express, so such an action stays as it is.
    const [actionText] = toCla(custom, []);
    if (actionText?.['type'] === 'custom') return custom;
  }
  return { ...action, type: typeof type === 'string' ? type : '' };
}

function responseOf(actions: TrajectoryStep['actions']): string | null {
  const last = actions.at(-1);
  return last?.['type'] === 'response' && typeof last['text'] === 'string' ? last['text'] : null;
}
