import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { defined } from '../../../base/defined.ts';
import { EMPTY_RANGE } from '../../../base/range.ts';
import { gradeFailure } from '../../../environments/hud/grade.ts';
import { type GradeFrame, gradeIn, type SubScore } from '../../../environments/hud/grade-frame.ts';
import { turnIn } from '../../../traces/model-turn.ts';
import type { NewStep } from '../../../traces/new-step.ts';
import type { Grade } from '../../../traces/trace.ts';
import { callOf, type ImportedRun, importedRun, line, type StepTime, times } from '../imported-run.ts';
import type { ImportedFile, Importer } from '../importer.ts';
import { embeddedPicture } from '../picture.ts';
import { BrokenFileError, checkJson, type JsonDocument, readJson } from '../read-json.ts';
import { isToolError, textOf } from './types/messages.ts';
import { ROBOT_STEP_SCHEMA, ROBOT_STEP_SOURCES, type RobotStep, robotStepSchema } from './types/robot.ts';
import { STEP_SCHEMA } from './types/span.ts';
import { type AgentStep, final, STEP_SOURCES, type Step, stepSchema, type ToolStep } from './types/trace.ts';

const spanSchema = z.looseObject({
  trace_id: z.string(),
  attributes: z.looseObject({}),
});
const payloadSchema = <Payload extends z.ZodType>(payload: Payload) =>
  z.looseObject({ attributes: z.looseObject({ 'hud.payload': payload }) });
const stepPayloadSchema = payloadSchema(stepSchema);
const robotPayloadSchema = payloadSchema(robotStepSchema);

type TickStep = Exclude<RobotStep, { readonly source: 'video_segment' }>;
type AnyStep = Step | TickStep;

/** A trace of HUD 0.6: one span per line, as in `HUD_TELEMETRY_LOCAL_DIR`, or a single span as a JSON file. */
export const traceImporter: Importer = {
  label: l10n.t('a HUD 0.6 trace'),
  read: (file) => {
    if (file.text === null) return null;
    if (isSpanLine(file.text)) return [readTrace(file.text, file)];
    const value = file.json();
    return isSpan(value) ? [readTrace(JSON.stringify(value), file)] : null;
  },
};

function isSpan(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'span_id' in value && 'attributes' in value;
}

/** Whether the first line is a span. */
function isSpanLine(text: string): boolean {
  const [first = ''] = text.trimStart().split('\n', 1);
  try {
    return isSpan(JSON.parse(first));
  } catch {
    // JSON over several lines, or broken: reading the whole text reports it.
    return false;
  }
}

/** Skips lines that are incomplete, as HUD does, and spans that are not steps. Throws `BrokenFileError`. */
function readTrace(text: string, { path: file, modifiedAt: readAt }: ImportedFile): ImportedRun {
  const lines = text.split('\n');
  const steps: { readonly order: number; readonly step: AnyStep }[] = [];
  let id: string | null = null;
  let skippedSpans = 0;
  let brokenLines = 0;
  for (const [firstLine, raw] of lines.entries()) {
    if (raw.trim() === '') continue;
    const json: JsonDocument = { file, text: raw, firstLine };
    let value: unknown;
    try {
      value = readJson(json);
    } catch (error) {
      if (firstLine === 0) throw error;
      // Its process ended while it wrote the line. The last line is not worth a warning.
      if (firstLine < lines.length - 1) brokenLines += 1;
      continue;
    }
    const span = checkJson(spanSchema, value, json);
    id ??= span.trace_id;
    const step = stepIn(span.attributes, value, json);
    // Spans are written in the order in which they end. Those of another thread have no number.
    if (step !== null) steps.push({ order: step.step_id ?? steps.at(-1)?.order ?? 0, step });
    else skippedSpans += 1;
  }
  if (id === null) throw new BrokenFileError(file, EMPTY_RANGE.start, 'this is not a trace of HUD: it has no span');
  const orderedSteps = steps.sort((a, b) => a.order - b.order).map(({ step }) => step);
  const warnings = [
    ...(skippedSpans === 0
      ? []
      : [`Lines that are no steps, or fragments of a video, are not shown: ${skippedSpans}.`]),
    ...(brokenLines === 0 ? [] : [`Lines that are incomplete are left out: ${brokenLines}.`]),
  ];
  return runOf(id, orderedSteps, warnings, file, readAt);
}

/** The step in a span; null if it has no step, a step of a kind that only a later HUD has, or a fragment of a video. */
function stepIn(
  { 'hud.schema': schema, 'hud.payload': payload }: Readonly<Record<string, unknown>>,
  span: unknown,
  json: JsonDocument,
): AnyStep | null {
  const { source } = (payload ?? {}) as { readonly source?: unknown };
  const isKnown = (sources: readonly string[]): boolean => typeof source !== 'string' || sources.includes(source);
  if (schema === STEP_SCHEMA) return isKnown(STEP_SOURCES) ? readPayload(stepPayloadSchema, span, json) : null;
  if (schema !== ROBOT_STEP_SCHEMA || !isKnown(ROBOT_STEP_SOURCES)) return null;
  const step = readPayload(robotPayloadSchema, span, json);
  return step.source === 'video_segment' ? null : step;
}

/** The step in a span, without fields that only a later HUD has. Throws `BrokenFileError`. */
function readPayload<AStep>(
  schema: z.ZodType<{ readonly attributes: { readonly 'hud.payload': AStep } }>,
  span: unknown,
  json: JsonDocument,
): AStep {
  const { error } = schema.safeParse(span);
  for (const issue of error?.issues ?? []) {
    if (issue.code !== 'unrecognized_keys') continue;
    const parent = issue.path.reduce((value, key) => (value as Record<PropertyKey, unknown>)[key], span);
    for (const key of issue.keys) delete (parent as Record<string, unknown>)[key];
  }
  return checkJson(schema, span, json).attributes['hud.payload'];
}

function runOf(
  id: string,
  allSteps: readonly AnyStep[],
  warnings: readonly string[],
  file: string,
  readAt: string,
): ImportedRun {
  const steps = allSteps.filter((step): step is Step => step.source !== 'observation' && step.source !== 'inference');
  const trace = { steps };
  const gradeOrFault = final(trace, ({ task_call }) => gradeOf(task_call));
  const grade = typeof gradeOrFault === 'string' ? null : gradeOrFault;
  const error = steps.find((step) => step.error !== null)?.error ?? faultOf(gradeOrFault);
  const prompt = steps.find((step) => step.source === 'user' && textOfMessages(step) !== '');
  const lines = linesOf(allSteps, 0, readAt);
  const callsOf = (phase: 'setup' | 'evaluate') =>
    lines.flatMap(({ source, call }) => (source === phase && call ? [call] : []));
  const evaluate = callsOf('evaluate');
  return importedRun({
    file,
    index: 0,
    format: 'hud-0.6',
    id,
    prompt: prompt === undefined ? '' : textOfMessages(prompt),
    reward: grade?.score ?? null,
    error: hudError(error),
    content: final(trace, (step) => (step.source === 'agent' && step.done ? step.content : null)),
    done: grade?.done ?? steps.some((step) => step.source === 'agent' && step.done),
    info: {
      ...(grade?.content == null ? {} : { content: grade.content }),
      ...(warnings.length === 0 ? {} : { warning: warnings.join('\n') }),
    },
    subscores: subscoresOf(grade, evaluate[0]),
    // The prompt of the run is shown by itself.
    steps: lines.filter(({ info }) => info['kind'] !== 'user' || info['depth'] !== undefined),
    task: {
      id: steps.find((step) => step.task_call !== null)?.task_call?.name ?? null,
      setup: callsOf('setup'),
      // Each part of the grade is shown like a call of its own.
      evaluate: grade?.subscores?.length ? grade.subscores.map((one) => callOf(one.name, [])) : evaluate,
    },
  });
}

/** The grade in the evaluate call of a step, or why there is no grade; null for another call. */
function gradeOf(call: Step['task_call']): GradeFrame | string | null {
  return call?.phase === 'evaluate' ? gradeIn(call.result, true) : null;
}

/** Why a grade is not a reward; null if it is. */
function faultOf(grade: GradeFrame | string | null): string | null {
  if (typeof grade === 'string') return grade;
  return grade?.isError === true ? gradeFailure(grade.content) : null;
}

/** The parts of the grade, or the grade itself if it has no parts. Each is shown like an evaluate call. */
function subscoresOf(grade: GradeFrame | null, call: NewStep['call']): Grade['subscores'] {
  if (grade === null) return [];
  const { range, function: name } = call ?? callOf('score', []);
  if (grade.subscores == null || grade.subscores.length === 0) {
    return [{ name, value: grade.score, weight: 1, reason: grade.content ?? '', range }];
  }
  return grade.subscores.map(({ name, value, weight, info, children }) => {
    const parts = (children ?? []).map(({ name, value, info }) => ({ name, value, reason: reasonOf(info) }));
    return { name, value, weight, reason: reasonOf(info), range, ...(parts.length === 0 ? {} : { parts }) };
  });
}

/** The reason among the details of a grader; empty if there is none. */
function reasonOf(info: SubScore['info']): string {
  const reason = info?.['reason'];
  return typeof reason === 'string' ? reason : '';
}

/**
 * The lines of a trace. The step of a sub-agent is followed by the lines of its own trace, which have the source `subagent`,
 * their depth in `info.depth`, and their kind in `info.kind`.
 */
function linesOf(steps: readonly AnyStep[], depth: number, fallbackTime: string): NewStep[] {
  let last = fallbackTime;
  return steps.flatMap((step) => {
    const time = times(step.started_at, step.ended_at, last);
    last = time.started_at;
    const own = lineOf(step, time);
    const inner = step.source === 'subagent' ? linesOf(step.subagent.steps, depth + 1, last) : [];
    if (depth === 0) return [own, ...inner];
    return [{ ...own, source: 'subagent' as const, info: { ...own.info, kind: step.source, depth } }, ...inner];
  });
}

function lineOf(step: AnyStep, time: StepTime): NewStep {
  const error = hudError(step.error);
  switch (step.source) {
    case 'agent':
      return { ...agentLine(step, time), error };
    case 'tool':
      return toolLine(step, time);
    case 'task':
      return { ...taskLine(step.task_call, time), error };
    case 'subagent': {
      const { content, status } = step.subagent;
      return {
        ...line('subagent', time),
        observation: content === null ? null : { text: content, screenshot: null },
        info: { kind: 'subagent', status },
        error: error ?? (status === 'error' ? hudError(final(step.subagent, (inner) => inner.error)) : null),
      };
    }
    case 'user':
      return {
        ...line('system', time),
        observation: { text: textOfMessages(step), screenshot: null },
        info: { kind: 'user' },
        error,
      };
    case 'observation': {
      const [image] = Object.values(step.images);
      return {
        ...line('tool', time),
        observation: { text: textOfState(step), screenshot: image ? embeddedPicture(image.data) : null },
        info: { kind: 'observation', tick: step.tick },
        error,
      };
    }
    case 'inference': {
      const { tick, chunk, names } = step;
      const actions = chunk.map((values) => Object.fromEntries(values.map((value, at) => [names[at] ?? at, value])));
      return { ...line('agent', time), action: [{ name: 'inference', arguments: { actions } }], info: { tick }, error };
    }
    case 'system':
      return { ...line('system', time), error };
  }
}

/** `joints: shoulder 0.1, elbow 0.2` for each group of features. */
function textOfState({ state, images }: Extract<TickStep, { readonly source: 'observation' }>): string {
  const groups = Object.entries(state).map(([name, { names, values }]) => {
    const features = values.map((value, at) => (names[at] === undefined ? String(value) : `${names[at]} ${value}`));
    return `${name}: ${features.join(', ')}`;
  });
  const cameras = Object.keys(images);
  return [...groups, ...(cameras.length === 0 ? [] : [`cameras: ${cameras.join(', ')}`])].join('\n');
}

function hudError(message: string | null) {
  return message === null ? null : { message, code: 'hud_error' };
}

function taskLine(call: Step['task_call'], time: StepTime): NewStep {
  if (call === null) return line('system', time);
  const gradeOrFault = gradeOf(call);
  const grade = typeof gradeOrFault === 'string' ? null : gradeOrFault;
  return {
    ...line(call.phase, time),
    call: callOf(call.name, call.arguments === null ? [] : [call.arguments]),
    reward: grade?.score ?? null,
    info: { reason: grade?.content ?? '', result: call.result },
  };
}

/** A tool call becomes an action, as in environments with tools, and an answer becomes the response. */
function agentLine(step: AgentStep, time: StepTime): NewStep {
  const { content, reasoning, model, usage, refusal, finish_reason, citations, tool_calls, done } = step;
  const answer = done ? content : null;
  const turn = turnIn({
    ...{ message: answer === null ? content || null : null, reasoning, model, usage, refusal },
    stop_reason: finish_reason,
    requests: usage?.llm_call_count,
    citations: citations.length === 0 ? null : citations,
  });
  return {
    ...line('agent', time),
    action: [
      ...tool_calls.map(({ name, arguments: args }) => ({ name, arguments: args })),
      ...(answer === null ? [] : [{ type: 'response', text: answer }]),
    ],
    ...defined({ turn }),
    terminated: done,
    info: answer === null ? {} : { response: answer },
  };
}

function toolLine({ call, result, error }: ToolStep, time: StepTime): NewStep {
  const content = result?.content ?? [];
  const text = textOf(content);
  const image = content.find((block) => block.type === 'image');
  const failure = error ?? (result !== null && isToolError(result) ? text || 'the tool failed' : null);
  return {
    ...line('tool', time),
    ...(call === null ? {} : { action: { name: call.name, arguments: call.arguments } }),
    observation: { text, screenshot: image ? embeddedPicture(image.data) : null },
    error: failure === null ? null : { message: failure, code: error === null ? 'tool_failed' : 'hud_error' },
  };
}

function textOfMessages({ messages }: Step): string {
  return textOf(messages.map(({ content }) => content));
}
