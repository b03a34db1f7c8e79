import * as l10n from '@vscode/l10n';
import * as z from 'zod';
import { type Json, jsonSchema } from '../../../tasks/task.ts';
import type { NewStep } from '../../store/new-step.ts';
import type { Grade, RunError } from '../../store/trace.ts';
import { callOf, type ImportedRun, importedRun, line, times } from '../imported-run.ts';
import type { ImportedFile, Importer } from '../importer.ts';
import { embeddedPicture } from '../picture.ts';
import { BrokenFileError, checkJson, type JsonDocument, readJson } from '../read-json.ts';

const STEP_SCHEMA = 'hud.step.v1';

const toolCall = z.looseObject({ name: z.string(), arguments: jsonSchema.optional() });
const content = z.array(z.record(z.string(), jsonSchema));

/** `Step` of HUD 0.6 with the fields of `AgentStep`, `ToolStep`, and others that are shown. */
const payloadSchema = z.looseObject({
  step_id: z.number().int(),
  source: z.enum(['user', 'agent', 'tool', 'task', 'subagent', 'system'], { error: 'not a source of a step' }),
  messages: z.array(z.looseObject({ role: z.string(), content: jsonSchema })).optional(),
  task_call: z
    .object({
      phase: z.enum(['setup', 'evaluate']),
      name: z.string(),
      arguments: jsonSchema.optional(),
      result: jsonSchema.optional(),
    })
    .nullish(),
  error: z.string().nullish(),
  started_at: z.string().nullish(),
  ended_at: z.string().nullish(),
  content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(toolCall).nullish(),
  done: z.boolean().nullish(),
  model: z.string().nullish(),
  call: toolCall.nullish(),
  // `isError` with mcp before 2, `is_error` since.
  result: z
    .looseObject({ content: content.nullish(), isError: z.boolean().nullish(), is_error: z.boolean().nullish() })
    .nullish(),
});
type Payload = z.infer<typeof payloadSchema>;

const spanSchema = z.looseObject({
  trace_id: z.string(),
  attributes: z.record(z.string(), jsonSchema),
});

const scored = z.looseObject({
  score: z.number(),
  content: z.string().nullish(),
  done: z.boolean().nullish(),
  subscores: z.array(z.looseObject({ name: z.string(), value: z.number(), weight: z.number().nullish() })).nullish(),
});

/** A trace of HUD 0.6: one span per line, as in `HUD_TELEMETRY_LOCAL_DIR`, or a single span as a JSON file. */
export const traceImporter: Importer = {
  label: l10n.t('a HUD 0.6 trace'),
  read: (file) => {
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

/** Drops an incomplete last line, and skips spans that are not steps. Throws `BrokenFileError`. */
function readTrace(text: string, { path: file, modifiedAt: readAt }: ImportedFile): ImportedRun {
  const lines = text.split('\n');
  const payloads: Payload[] = [];
  let id: string | null = null;
  let other = 0;
  for (const [firstLine, raw] of lines.entries()) {
    if (raw.trim() === '') continue;
    const json: JsonDocument = { file, text: raw, firstLine };
    let value: unknown;
    try {
      value = readJson(json);
    } catch (error) {
      // It was being written when the process ended.
      if (firstLine === lines.length - 1 && firstLine > 0) break;
      throw error;
    }
    const span = checkJson(spanSchema, value, json);
    id ??= span.trace_id;
    if (span.attributes['hud.schema'] !== STEP_SCHEMA) {
      other += 1;
      continue;
    }
    const nested = z.looseObject({ attributes: z.looseObject({ 'hud.payload': payloadSchema }) });
    payloads.push(checkJson(nested, value, json).attributes['hud.payload']);
  }
  if (id === null)
    throw new BrokenFileError(file, { line: 0, character: 0 }, 'this is no trace of HUD: it holds no span');
  // Spans are written as they end, which is not always as they began.
  payloads.sort((a, b) => a.step_id - b.step_id);
  return runOf(id, payloads, other, file, readAt);
}

function runOf(id: string, payloads: readonly Payload[], other: number, file: string, readAt: string): ImportedRun {
  const steps: NewStep[] = [];
  const setup: NewStep['call'][] = [];
  const evaluate: NewStep['call'][] = [];
  let prompt = '';
  let answer: string | null = null;
  let done = false;
  let error: RunError | null = null;
  let grade: z.infer<typeof scored> | null = null;
  let last = readAt;
  let name: string | null = null;
  for (const payload of payloads) {
    const time = times(payload.started_at, payload.ended_at, last);
    last = time.started_at;
    if (payload.source === 'user') {
      prompt ||= (payload.messages ?? []).map((message) => textOf(message.content)).join('\n');
      continue;
    }
    const step = stepOf(payload, time);
    if (step.call !== undefined) (step.source === 'setup' ? setup : evaluate).push(step.call);
    if (payload.error != null) error ??= { message: payload.error, code: 'hud_error' };
    if (payload.source === 'agent' && payload.done === true) {
      answer = payload.content ?? answer;
      done = true;
    }
    if (payload.task_call != null) name ??= payload.task_call.name;
    if (payload.task_call?.phase === 'evaluate') {
      const read = scored.safeParse(payload.task_call.result);
      grade = read.success ? read.data : grade;
    }
    steps.push(step);
  }
  return importedRun({
    file,
    index: 0,
    format: 'hud-0.6',
    id,
    prompt,
    reward: grade?.score ?? null,
    error,
    content: answer,
    done: grade?.done ?? done,
    info: {
      ...(grade?.content == null ? {} : { content: grade.content }),
      ...(other === 0 ? {} : { warning: `${other} lines of the trace are no steps and are not shown.` }),
    },
    subscores: subscoresOf(grade, evaluate),
    steps,
    task: {
      id: name,
      setup: setup.flatMap(present),
      // Each part of the grade is shown like a call of its own.
      evaluate: grade?.subscores?.length
        ? grade.subscores.map((one) => callOf(one.name, []))
        : evaluate.flatMap(present),
    },
  });
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}

/** The grade's parts, else the grade itself; each stands for an evaluate call where there is one for it. */
function subscoresOf(grade: z.infer<typeof scored> | null, calls: readonly NewStep['call'][]): Grade['subscores'] {
  if (grade === null) return [];
  const { range } = calls[0] ?? callOf('', []);
  if (grade.subscores == null || grade.subscores.length === 0) {
    const called = calls[0]?.function ?? 'score';
    return [{ name: called, value: grade.score, weight: 1, reason: grade.content ?? '', range }];
  }
  return grade.subscores.map((one) => ({
    name: one.name,
    value: one.value,
    weight: one.weight ?? 1,
    reason: '',
    range,
  }));
}

function stepOf(payload: Payload, time: Pick<NewStep, 'started_at' | 'duration_ms'>): NewStep {
  const { source, error } = payload;
  const failure = error == null ? null : { message: error, code: 'hud_error' };
  switch (source) {
    case 'task': {
      const called = payload.task_call;
      if (called == null) return { ...line('system', time), error: failure };
      const call = callOf(called.name, called.arguments === undefined ? [] : [called.arguments]);
      const result = scored.safeParse(called.result);
      return {
        ...line(called.phase, time),
        call,
        reward: called.phase === 'evaluate' && result.success ? result.data.score : null,
        info: { reason: result.success ? (result.data.content ?? '') : '', result: called.result ?? null },
        error: failure,
      };
    }
    case 'agent': {
      const actions = (payload.tool_calls ?? []).map((call) => ({
        type: call.name,
        arguments: call.arguments ?? null,
      }));
      const response = payload.done === true && payload.content != null;
      const responses = response ? [{ type: 'response', text: payload.content ?? '' }] : [];
      const messages = [response ? null : payload.content, payload.reasoning].filter(
        (one) => one != null && one !== '',
      );
      return {
        ...line('agent', time),
        action: [...actions, ...responses],
        terminated: payload.done === true,
        info: {
          ...(messages.length === 0 ? {} : { messages: messages.map((text) => ({ kind: 'log', text: text ?? '' })) }),
          ...(payload.model == null ? {} : { model: payload.model }),
          ...(response ? { response: payload.content ?? '' } : {}),
        },
        error: failure,
      };
    }
    case 'tool': {
      const { call, result } = payload;
      const parts = result?.content ?? [];
      const failed = result?.isError === true || result?.is_error === true;
      const image = parts.find((part) => part['type'] === 'image')?.['data'];
      const text = parts
        .map((part) => textOf(part))
        .filter((one) => one !== '')
        .join('\n');
      return {
        ...line('tool', time),
        ...(call == null ? {} : { action: { type: call.name, arguments: call.arguments ?? null } }),
        observation: { text, screenshot: typeof image === 'string' ? embeddedPicture(image) : null },
        error: failure ?? (failed ? { message: text === '' ? 'the tool failed' : text, code: 'tool_failed' } : null),
      };
    }
    default:
      return { ...line(source === 'subagent' ? 'subagent' : 'system', time), error: failure };
  }
}

/** The text of a message's content, however it is written. */
function textOf(content: Json): string {
  if (typeof content === 'string') return content;
  if (Array.isArray(content))
    return content
      .map((part) => textOf(part as Json))
      .filter((one) => one !== '')
      .join('\n');
  if (typeof content === 'object' && content !== null && 'text' in content) return textOf(content['text'] as Json);
  return '';
}
