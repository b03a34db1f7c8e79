import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import type { Json } from '../../../../../src/base/json.ts';
import { gradeIn, subScoreSchema } from '../../../../../src/environments/hud/grade-frame.ts';
import {
  agentConfigSchema,
  claudeCliConfigSchema,
  claudeConfigSchema,
  codexCliConfigSchema,
  geminiConfigSchema,
  openAiChatConfigSchema,
  openAiConfigSchema,
  toolAgentConfigSchema,
} from '../../../../../src/formats/runs/hud/types/agent-config.ts';
import {
  answerSchema,
  citationSchema,
  evaluationResultSchema,
  gradeSchema,
} from '../../../../../src/formats/runs/hud/types/grade.ts';
import { hudTypesSchema } from '../../../../../src/formats/runs/hud/types/json-schema.ts';
import {
  contentResultSchema,
  isToolError,
  toolCallSchema,
  toolResultSchema,
} from '../../../../../src/formats/runs/hud/types/messages.ts';
import {
  inferenceStepSchema,
  observationStepSchema,
  stateFeatureSchema,
  videoSegmentStepSchema,
} from '../../../../../src/formats/runs/hud/types/robot.ts';
import { jobSchema, runSchema } from '../../../../../src/formats/runs/hud/types/run.ts';
import { spanSchema, stepAttributesSchema } from '../../../../../src/formats/runs/hud/types/span.ts';
import { runtimeConfigSchema, runtimeSchema, taskSchema } from '../../../../../src/formats/runs/hud/types/task.ts';
import {
  agentStepSchema,
  final,
  sampleSchema,
  stepSchema,
  subagentStepSchema,
  systemStepSchema,
  type Trace,
  taskCallSchema,
  taskStepSchema,
  toolStepSchema,
  traceSchema,
  usageSchema,
  userStepSchema,
} from '../../../../../src/formats/runs/hud/types/trace.ts';

const root = join(import.meta.dirname, '../../../../..');
const fixtures = join(root, 'test/fixtures/hud');

/** A class as the released package describes it. */
interface Model {
  readonly extra?: 'forbid' | 'allow' | null;
  readonly fields: Readonly<Record<string, Field>>;
}
interface Field {
  readonly type: string;
  readonly required?: boolean;
  /** A value, `<factory>`, or, in a dataclass, the text of a Python value. */
  readonly default: unknown;
  readonly init?: boolean;
}

const file = JSON.parse(readFileSync(join(fixtures, 'models-0.6.21.json'), 'utf8'));
const models = file as Readonly<Record<string, Model>>;

const CLASSES: readonly (readonly [definition: string, schema: z.ZodType])[] = [
  ['Trace', traceSchema],
  ['TaskStep', taskStepSchema],
  ['UserStep', userStepSchema],
  ['SystemStep', systemStepSchema],
  ['AgentStep', agentStepSchema],
  ['ToolStep', toolStepSchema],
  ['SubagentStep', subagentStepSchema],
  ['TaskCall', taskCallSchema],
  ['MCPToolCall', toolCallSchema],
  ['MCPToolResult', toolResultSchema],
  ['SubScore', subScoreSchema],
  ['EvaluationResult', evaluationResultSchema],
  ['Answer', answerSchema],
  ['Citation', citationSchema],
  ['Usage', usageSchema],
  ['Sample', sampleSchema],
  ['Span', spanSchema],
  ['Grade', gradeSchema],
  ['Job', jobSchema],
  ['Task', taskSchema],
  ['RuntimeConfig', runtimeConfigSchema],
  ['Runtime', runtimeSchema],
  ['ObservationStep', observationStepSchema],
  ['InferenceStep', inferenceStepSchema],
  ['VideoSegmentStep', videoSegmentStepSchema],
  ['StateFeature', stateFeatureSchema],
  ['ContentResult', contentResultSchema],
  ['AgentConfig', agentConfigSchema],
  ['ToolAgentConfig', toolAgentConfigSchema],
  ['ClaudeConfig', claudeConfigSchema],
  ['GeminiConfig', geminiConfigSchema],
  ['OpenAIConfig', openAiConfigSchema],
  ['OpenAIChatConfig', openAiChatConfigSchema],
  ['ClaudeCLIConfig', claudeCliConfigSchema],
  ['CodexCLIConfig', codexCliConfigSchema],
];

const { definitions } = hudTypesSchema() as {
  readonly definitions: Readonly<
    Record<string, { properties: Record<string, { default?: unknown }>; required?: string[] }>
  >;
};

/** A value for each required field. */
const REQUIRED: Readonly<Record<string, unknown>> = {
  phase: 'setup',
  name: 'n',
  content: [],
  value: 0.5,
  subagent: {},
  trace_id: '0'.repeat(32),
  span_id: '0'.repeat(16),
  start_time: '',
  end_time: '',
  id: 'i',
  env: 'e',
  url: 'tcp://127.0.0.1:1',
};
const SOURCES: Readonly<Record<string, string>> = { UserStep: 'user', SystemStep: 'system', TaskStep: 'task' };

describe.each(CLASSES)('%s', (definition, schema) => {
  // Steps without fields of their own are of the base class.
  const { fields, extra } = (models[definition] ?? models['Step']) as Model;
  const own = Object.entries(fields);
  const requiredFields = own.filter(([, field]) => field.required ?? (field.default === null && field.init !== false));
  const least = Object.fromEntries(
    requiredFields.map(([key]) => [key, key === 'source' ? SOURCES[definition] : REQUIRED[key]]),
  );

  it('has the fields of HUD', () => {
    expect(Object.keys(definitions[definition]?.properties ?? {}).sort()).toEqual(Object.keys(fields).sort());
    expect([...(definitions[definition]?.required ?? [])].sort()).toEqual(requiredFields.map(([key]) => key).sort());
  });

  it('has the defaults of HUD', () => {
    for (const [key, field] of own.filter(([key]) => !(key in least))) {
      const { default: made } = definitions[definition]?.properties[key] ?? {};
      const text = String(field.default);
      // An id is generated, and `evaluation` is made of `raw`.
      if (text === '<factory>' || field.init === false)
        expect(JSON.stringify(made) ?? '[]', key).toMatch(/^(\[\]|\{\})$/);
      else if (field.required === undefined) expect(String(made), key).toBe(PYTHON[text] ?? String(Number(text)));
      else expect(made, key).toEqual(field.default);
    }
  });

  it('refuses what HUD refuses', () => {
    expect(schema.safeParse(least).error).toBeUndefined();
    const parsed = schema.safeParse({ ...least, not_a_field: 1 });
    if (extra === 'forbid') expect(parsed.success).toBe(false);
    else if (extra !== undefined) expect(Object.hasOwn(parsed.data as object, 'not_a_field')).toBe(extra === 'allow');
    for (const [key] of requiredFields) {
      const { [key]: _, ...rest } = least;
      expect(schema.safeParse(rest).success, `without ${key}`).toBe(false);
    }
    for (const [key, { type }] of own) {
      const takes = (value: unknown): boolean => schema.safeParse({ ...least, [key]: value }).success;
      const isAny = /^~T$|^Any$|Any \| None$|^str \| int/.test(type);
      expect(takes(null), `${key}: null`).toBe(isAny || / \| None$|^Optional/.test(type));
      if (!isAny) expect(takes(Symbol.iterator), `${key}: no value of JSON`).toBe(false);
      if (/^(str|<class 'str'>)( \| None)?$/.test(type)) expect(takes(5), `${key}: a number`).toBe(false);
      if (/^(int|<class 'int'>)/.test(type)) expect(takes(1.5), `${key}: a fraction`).toBe(false);
      if (type.includes('Literal')) expect(takes('nothing'), `${key}: another text`).toBe(false);
    }
  });
});

const PYTHON: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

it.each<[string, z.ZodType, object, string]>([
  ['image and compose', runtimeConfigSchema, { image: 'i', compose: { document: 'compose.yaml' } }, 'not both'],
  ['no name of an image', runtimeConfigSchema, { image: '' }, 'image'],
  ['half a GPU', runtimeConfigSchema, { resources: { gpu: { count: 0 } } }, 'count'],
  ['a topology', runtimeConfigSchema, { resources: { tpu: { type: 'v5e', topology: '0x2' } } }, 'topology'],
  ['a limit of 0', runtimeConfigSchema, { limits: { startup_timeout_s: 0 } }, 'startup_timeout_s'],
  [
    'a verifier of a verifier',
    taskSchema,
    { env: 'e', id: 't', verifier: { env: 'e', id: 'v', verifier: { env: 'e', id: 'w' } } },
    'nested verifier tasks are not supported',
  ],
  [
    'thinking of all tokens',
    claudeConfigSchema,
    { thinking: { type: 'enabled', budget_tokens: 16_384 } },
    'budget_tokens must be less than max_tokens',
  ],
  ['pictures without thinking', claudeConfigSchema, { max_tool_result_images: 1 }, 'requires explicit adaptive'],
])('refuses %s, as HUD does', (_what, schema, value, message) => {
  expect(JSON.stringify(schema.safeParse(value).error?.issues)).toContain(message);
});

it('has the attributes of a run', () => {
  const { instance_attrs, properties, ungraded_grade } = file['Run'] as {
    instance_attrs: string[];
    properties: string[];
    ungraded_grade: object;
  };
  const live = ['client', 'connections'];
  const shown = [...instance_attrs, ...properties].filter((name) => !name.startsWith('_') && !live.includes(name));
  expect(Object.keys(runSchema.shape).sort()).toEqual(shown.sort());
  expect(gradeSchema.parse({ is_error: true, content: 'not graded' })).toMatchObject(ungraded_grade);
});

it('has the literals of HUD', () => {
  const { StepSource, StopReason, TraceStatus } = file['literals'] as Record<string, string[]>;
  expect(
    stepSchema.options.map((option) => option.shape.source.safeParse(undefined).data ?? sourceOf(option)).sort(),
  ).toEqual([...(StepSource ?? [])].sort());
  for (const stop_reason of StopReason ?? []) expect(traceSchema.safeParse({ stop_reason }).success).toBe(true);
  for (const status of TraceStatus ?? []) expect(traceSchema.safeParse({ status }).success).toBe(true);
});

function sourceOf(option: { readonly shape: { readonly source: z.ZodType } }): string | undefined {
  return ['task', 'user', 'system'].find((source) => option.shape.source.safeParse(source).success);
}

it.each(readdirSync(join(fixtures, 'traces-0.6')))('reads every span of %s', (name) => {
  for (const line of readFileSync(join(fixtures, 'traces-0.6', name), 'utf8')
    .trim()
    .split('\n')) {
    const span = spanSchema.parse(JSON.parse(line));
    expect(span).toEqual(JSON.parse(line));
    const { 'hud.payload': step } = stepAttributesSchema.parse(span.attributes);
    expect(step).toMatchObject(span.attributes['hud.payload'] as object);
  }
});

describe('an EvaluationResult', () => {
  const rows = readFileSync(join(fixtures, 'graders-0.6.21.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { fn: string; kwargs: { reward?: unknown; done?: unknown }; out?: object })
    .filter(({ fn }) => fn === 'EvaluationResult');
  /** What HUD reads as a number or a boolean, and the schema refuses, as that of HUD. */
  const isConverted = ({ kwargs: { reward = 0, done = true }, out }: (typeof rows)[number]): boolean =>
    out !== undefined && (typeof reward !== 'number' || typeof done !== 'boolean');

  it.each(rows.filter((row) => !isConverted(row)))('is read as by HUD: $kwargs', ({ kwargs, out }) => {
    expect(evaluationResultSchema.safeParse(kwargs).data).toEqual(out);
  });

  it.each(rows.filter(isConverted))('is refused where HUD converts it: $kwargs', ({ kwargs }) => {
    expect(evaluationResultSchema.safeParse(kwargs).success).toBe(false);
  });
});

describe('the grade of a frame', () => {
  const rollouts = readFileSync(join(fixtures, 'rollout-0.6.21.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { agent: string; task: string; run?: { grade: { raw: Json } } });

  it.each(
    rollouts.flatMap(({ run, agent, task }) =>
      run === undefined ? [] : [[`${task} by ${agent}`, run.grade] as const],
    ),
  )('is that of HUD: %s', (_, grade) => {
    const { reward, done, content, info, is_error: isError } = gradeSchema.parse(grade);
    const isGraded = Object.keys(grade.raw as object).length > 0;
    if (!isGraded) expect({ reward, isError, content }).toEqual({ reward: 0, isError: true, content: 'not graded' });
    else expect(gradeIn(grade.raw)).toMatchObject({ score: reward, done, content, info, isError });
  });

  it.each<Json>([{ score: true }, { score: Number.NaN }, { score: '1' }, {}, null, [1]])('is none for %j', (frame) => {
    expect(gradeIn(frame)).toEqual(expect.any(String));
  });
});

describe('a trace', () => {
  const trace = traceSchema.parse({
    steps: [
      { source: 'user', step_id: 7 },
      { source: 'agent', content: 'a', error: 'first' },
      { source: 'agent', content: '', error: 'last' },
      { source: 'tool' },
      { source: 'subagent', subagent: { steps: [{ source: 'agent', content: 'inner' }], content: 'found' } },
    ],
  });
  const content = (step: Trace['steps'][number]): string | null => (step.source === 'agent' ? step.content : null);

  it('numbers its steps, and those of sub-agents', () => {
    expect(trace.steps.map(({ step_id }) => step_id)).toEqual([1, 2, 3, 4, 5]);
    expect(final(trace, (step) => (step.source === 'subagent' ? step.subagent.steps[0]?.step_id : null))).toBe(1);
  });

  it('has final: the last answer, which may be empty', () => {
    expect(final(trace, content)).toBe('');
    expect(final(trace, ({ error }) => error)).toBe('last');
    expect(final(trace, () => null)).toBeNull();
  });

  it('refuses a kind of step that HUD does not have', () => {
    const { error } = traceSchema.safeParse({ steps: [{ source: 'observation' }] });
    expect(error?.issues[0]).toMatchObject({ path: ['steps', 0, 'source'], message: 'not a source of a step' });
  });
});

it('knows both spellings of a failed tool', () => {
  const result = (more: object): boolean => isToolError(toolResultSchema.parse({ content: [], ...more }));
  expect([result({}), result({ isError: true }), result({ is_error: true }), result({ is_error: false })]).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

it('equals the file in schemas/, which `npm run build` writes', () => {
  const written = JSON.parse(readFileSync(join(root, 'schemas', 'hud-0.6.schema.json'), 'utf8'));
  expect(written).toEqual(JSON.parse(JSON.stringify(hudTypesSchema())));
});
