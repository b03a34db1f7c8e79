import { createHash } from 'node:crypto';
import type * as z from 'zod';
import { isObject, type Json } from '../../../base/json.ts';
import type { SubScore } from '../../../environments/hud/grade-frame.ts';
import type { RunRecord, Step as TraceStep } from '../../../traces/trace.ts';
import type { RunToExport } from '../exporter.ts';
import { claActions } from './trajectory-exporter.ts';
import { citationSchema } from './types/grade.ts';
import { type ContentBlock, contentBlockSchema, type PromptMessage } from './types/messages.ts';
import { type Span, STEP_SCHEMA } from './types/span.ts';
import { type agentStepSchema, type Step, stepSchema } from './types/trace.ts';

type StepInput = z.input<typeof stepSchema>;

/** The trace of a run as HUD 0.6 writes it: `<trace_id>.jsonl`, with one span per line. */
export async function traceFileOf(run: RunToExport): Promise<{ readonly name: string; readonly text: string }> {
  const spans = await spansOf(run);
  return { name: `${run.header.trace_id}.jsonl`, text: spans.map((span) => `${JSON.stringify(span)}\n`).join('') };
}

/** The spans of a recorded run as HUD 0.6.21 writes them, in the order of `step_id`. */
async function spansOf(run: RunToExport): Promise<readonly Span[]> {
  const { trace_id } = run.header;
  const steps = await stepsOf(run);
  return steps.map((input, index): Span => {
    const step = stepSchema.parse({ ...input, step_id: index + 1 });
    const end_time = step.ended_at ?? '';
    return {
      name: `step.${step.source}`,
      trace_id,
      span_id: createHash('sha256').update(`${trace_id} ${index}`).digest('hex').slice(0, 16),
      parent_span_id: null,
      kind: 'INTERNAL',
      start_time: step.started_at ?? end_time,
      end_time,
      status_code: step.error === null ? 'OK' : 'ERROR',
      status_message: step.error,
      attributes: { 'hud.schema': STEP_SCHEMA, 'hud.task_run_id': trace_id, 'hud.payload': dump(step) },
      events: [],
    };
  });
}

/** The fields of a step without those that are None, as HUD dumps it. Nulls in free values, such as arguments, stay. */
function dump(step: Step): Record<string, Json> {
  const fields: Record<string, unknown> = { ...step, task_call: step.task_call && withoutNulls(step.task_call) };
  if (step.source === 'agent') {
    fields['tool_calls'] = step.tool_calls.map(withoutNulls);
    fields['citations'] = step.citations.map(withoutNulls);
    fields['usage'] = step.usage && withoutNulls(step.usage);
  }
  if (step.source === 'tool') {
    fields['call'] = step.call && withoutNulls(step.call);
    fields['result'] = step.result && withoutNulls(step.result);
  }
  return withoutNulls(fields) as Record<string, Json>;
}

function withoutNulls(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== null));
}

/** The steps in HUD's order: start of the task, prompt, turns with their tool calls, evaluation, and error. */
async function stepsOf(run: RunToExport): Promise<readonly StepInput[]> {
  const { record, steps } = run;
  const output: StepInput[] = await startSteps(run);
  let calls = 0;
  for (const turn of steps.filter(({ source }) => source === 'agent')) {
    const [agent, ...tools] = await turnSteps(turn, calls, run);
    calls += tools.length;
    output.push(agent, ...tools);
  }
  const end = Date.parse(record.started_at) + record.duration_ms;
  if (record.reward !== null) {
    const evaluateSteps = steps.filter(({ source }) => source === 'evaluate');
    output.push({
      source: 'task',
      task_call: {
        phase: 'evaluate',
        name: templateOf(run),
        arguments: { answer: record.grade.content },
        result: frameOf(record),
      },
      started_at: time(evaluateSteps[0] === undefined ? end : startOf(evaluateSteps[0])),
      ended_at: time(evaluateSteps.length === 0 ? end : Math.max(...evaluateSteps.map(endOf))),
    });
  }
  if (record.error !== null) {
    const error = `[${phaseOf(record, steps)}] ${record.error.message}`;
    output.push({ source: 'system', error, ended_at: time(end) });
  }
  return output;
}

/** What HUD calls the id of a task: the id of its template. A row is one use of a template. */
function templateOf({ header, record }: RunToExport): string {
  const { template } = header.task.env;
  return typeof template === 'string' ? template : record.task_id;
}

/** The start of the task with the setup calls, the prompt, and the first observation. None if the start failed. */
async function startSteps(run: RunToExport): Promise<StepInput[]> {
  const { header, record, steps } = run;
  const begin = steps.findIndex(({ source }) => source !== 'setup' && source !== 'system');
  const setup = begin < 0 ? steps : steps.slice(0, begin);
  if (setup.length === 0 || setup.some(({ source, error }) => source === 'setup' && error !== null)) return [];
  const ended_at = time(Math.max(...setup.map(endOf)));
  const { args, template } = header.task.env;
  const calls = setup.flatMap(({ call }) => (call === undefined ? [] : [{ function: call.function, args: call.args }]));
  const observationStep = setup.findLast(({ observation }) => observation !== null);
  const content = observationStep === undefined ? [] : await contentOf(observationStep, run);
  // The first observation of a template is its prompt.
  const turns = typeof template === 'string' ? messagesIn(observationStep?.observation?.data, content) : [];
  return [
    {
      source: 'task',
      task_call: {
        phase: 'setup',
        name: templateOf(run),
        arguments: typeof args === 'object' ? args : {},
        result: { prompt: record.prompt },
      },
      started_at: time(Date.parse(record.started_at)),
      ended_at,
      // HUD has no steps for the calls of a setup.
      extra: calls.length === 0 ? {} : { calls },
    },
    {
      source: 'user',
      messages: turns.length > 0 ? turns : [{ role: 'user', content: { type: 'text', text: record.prompt } }],
      ended_at,
    },
    ...(content.length === 0 || turns.length > 0 ? [] : [{ source: 'tool' as const, result: { content }, ended_at }]),
  ];
}

/**
 * The turns of a prompt as HUD records them: every role but the assistant's is the user's.
 * @param observation what the agent saw of the prompt, with its last picture. A note stands for each other picture.
 */
function messagesIn(turns: Json | undefined, observation: readonly ContentBlock[]): PromptMessage[] {
  if (!Array.isArray(turns)) return [];
  const messages = (turns as readonly Json[]).flatMap((value) => {
    const turn = typeof value === 'string' ? { content: value } : value;
    if (!isObject(turn)) return [];
    const role = turn['role'] === 'assistant' ? ('assistant' as const) : ('user' as const);
    const blocks = Array.isArray(turn['content']) ? (turn['content'] as readonly Json[]) : [turn['content'] ?? null];
    return blocks.flatMap((block) => {
      const read = contentBlockSchema.safeParse(typeof block === 'string' ? { type: 'text', text: block } : block);
      if (!read.success) return [];
      const content = read.data.type === 'image' ? { type: 'text' as const, text: read.data.data } : read.data;
      return [{ role, content, isPicture: read.data.type === 'image' }];
    });
  });
  const picture = observation.find(({ type }) => type === 'image');
  const last = messages.findLastIndex(({ isPicture }) => isPicture);
  return messages.map(({ role, content }, index) => ({ role, content: (index === last && picture) || content }));
}

/**
 * One answer of the agent, and a tool step for each of its actions. The observation is the result of the last one.
 * @param calls number of earlier tool calls
 */
async function turnSteps(
  turn: TraceStep,
  calls: number,
  run: RunToExport,
): Promise<[agent: StepInput, ...tools: StepInput[]]> {
  const started_at = time(startOf(turn));
  const ended_at = time(endOf(turn));
  const actions = actionsOf(turn);
  const answer = actions.findLast(({ name }) => name === 'response')?.arguments['text'];
  const toolCalls = actions
    .filter(({ name }) => name !== 'response')
    .map((action, index) => ({ ...action, id: `call-${calls + index + 1}` }));
  const error = turn.error?.message;
  const content: ContentBlock[] = [
    ...(await contentOf(turn, run)),
    ...(error === undefined ? [] : [{ type: 'text' as const, text: error }]),
  ];
  return [
    {
      source: 'agent',
      started_at,
      ended_at,
      ...modelFields(turn),
      ...(typeof answer === 'string' ? { content: answer } : {}),
      tool_calls: toolCalls,
      done: turn.terminated || typeof answer === 'string' || turn.action === undefined,
    },
    ...toolCalls.map((call, index) => {
      const isLast = index === toolCalls.length - 1;
      const result = { content: isLast ? content : [], isError: isLast && error !== undefined, call_id: call.id };
      return { source: 'tool' as const, started_at, ended_at, call, result };
    }),
  ];
}

/** The fields of a model's turn, as HUD records them. */
function modelFields({ turn }: TraceStep): Partial<z.input<typeof agentStepSchema>> {
  if (turn === undefined) return {};
  const { message, reasoning, model, refusal, stop_reason, citations, requests } = turn;
  const { prompt_tokens, completion_tokens, cached_tokens, cost_usd } = turn.usage ?? {};
  const usage = { prompt_tokens, completion_tokens, cached_tokens, cost_usd, llm_call_count: requests };
  return {
    ...{ content: message, reasoning, model, refusal, finish_reason: stop_reason },
    citations: citations?.flatMap((one) => citationSchema.safeParse(one).data ?? []),
    ...(turn.usage === undefined ? {} : { usage }),
  };
}

/** The actions of an answer as tool calls. An action string becomes CLA objects. */
function actionsOf(step: TraceStep): { readonly name: string; readonly arguments: Record<string, Json> }[] {
  return claActions(step).map((object) => {
    const { name, arguments: args } = object;
    // A call of a tool, in environments whose actions are tool calls.
    if (typeof name === 'string' && isObject(args ?? {}))
      return { name, arguments: (args ?? {}) as Record<string, Json> };
    const { type, ...rest } = object;
    return typeof type === 'string' ? { name: type, arguments: rest } : { name: 'action', arguments: object };
  });
}

/** What was observed, as the content of a tool result. */
async function contentOf({ observation }: TraceStep, run: RunToExport): Promise<ContentBlock[]> {
  if (observation === null) return [];
  const { text, data, screenshot } = observation;
  const textContent = text ?? (data === undefined ? '' : JSON.stringify(data));
  const url = screenshot === null ? null : await run.picture(screenshot);
  const [, mimeType, base64] = /^data:([^;]+);base64,(.*)$/s.exec(url ?? '') ?? [];
  return [
    ...(textContent === '' ? [] : [{ type: 'text' as const, text: textContent }]),
    ...(base64 === undefined || mimeType === undefined ? [] : [{ type: 'image' as const, data: base64, mimeType }]),
  ];
}

/** HUD's name of the phase in which a run failed. */
function phaseOf({ error }: RunRecord, steps: readonly TraceStep[]): string {
  if (steps.length === 0) return 'provisioning';
  if (steps.some(({ source, error }) => source === 'setup' && error !== null)) return 'starting task';
  return error?.call === undefined ? 'agent loop' : 'grading';
}

/** The answer to `tasks.grade`: a bare score, or the evaluate calls as subscores with their reasons. */
function frameOf({ reward, grade }: RunRecord): Record<string, Json> {
  if (grade.subscores.length === 0) return { score: reward };
  // HUD warns of weights that do not add up to 1.
  const total = grade.subscores.reduce((sum, { weight }) => sum + weight, 0);
  const subscores = grade.subscores.map(({ name, value, weight, reason, parts }) => ({
    ...subScore(name, value, weight / total, reason),
    children: parts?.map((part) => subScore(part.name, part.value, 1 / parts.length, part.reason)) ?? null,
  }));
  const { done, info } = grade;
  return { done, content: null, info, isError: false, subscores: subscores as unknown as Json, score: reward };
}

function subScore(name: string, value: number | null, weight: number, reason: string): SubScore {
  return { name, weight, value: value ?? 0, children: null, info: reason === '' ? null : { reason } };
}

function startOf({ started_at }: TraceStep): number {
  return Date.parse(started_at);
}

function endOf(step: TraceStep): number {
  return startOf(step) + step.duration_ms;
}

/** ISO 8601 with microseconds, as HUD writes it. */
function time(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '000Z');
}
