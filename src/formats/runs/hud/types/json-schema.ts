import * as z from 'zod';
import { gradeFrameSchema } from '../../../../environments/hud/grade-frame.ts';
import {
  agentConfigSchema,
  claudeCliConfigSchema,
  claudeConfigSchema,
  codexCliConfigSchema,
  geminiConfigSchema,
  openAiChatConfigSchema,
  openAiConfigSchema,
  toolAgentConfigSchema,
} from './agent-config.ts';
import { answerSchema, evaluationResultSchema } from './grade.ts';
import { contentResultSchema } from './messages.ts';
import { robotStepAttributesSchema } from './robot.ts';
import { jobSchema, rewardedSchema, runSchema } from './run.ts';
import { spanSchema, stepAttributesSchema } from './span.ts';
import { runtimeSchema, taskSchema } from './task.ts';

/** Each refers to others, which are definitions, too. */
const TYPES = [
  runSchema,
  jobSchema,
  spanSchema,
  stepAttributesSchema,
  robotStepAttributesSchema,
  taskSchema,
  runtimeSchema,
  evaluationResultSchema,
  gradeFrameSchema,
  answerSchema,
  rewardedSchema,
  contentResultSchema,
  agentConfigSchema,
  toolAgentConfigSchema,
  claudeConfigSchema,
  geminiConfigSchema,
  openAiConfigSchema,
  openAiChatConfigSchema,
  claudeCliConfigSchema,
  codexCliConfigSchema,
] as const;

/** The JSON Schema of the types of HUD 0.6, one definition each; the schema itself is that of a line of a trace file. */
export function hudTypesSchema(): object {
  const all = z.toJSONSchema(z.union(TYPES), { target: 'draft-7', io: 'input', unrepresentable: 'any' });
  return {
    $schema: all.$schema,
    title: 'Types of HUD 0.6',
    description:
      'A line of a trace file, and the types of tasks, runs, traces, grades, robots, and agents as definitions.',
    $ref: '#/definitions/Span',
    definitions: all['definitions'],
  };
}
