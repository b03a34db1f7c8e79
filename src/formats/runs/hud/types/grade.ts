import * as z from 'zod';
import type { Json, JsonObject } from '../../../../base/json.ts';
import { jsonSchema } from '../../../../base/json-validator.ts';
import { gradeIn, type SubScore, subScoreSchema } from '../../../../environments/hud/grade-frame.ts';
import { objectSchema } from './messages.ts';

/** What the evaluation of a task yields. HUD accepts other keys and keeps them in the grade. */
export const evaluationResultSchema = z
  .looseObject({
    reward: z.number().default(0),
    done: z.boolean().default(true),
    content: z.string().nullable().default(null).describe('An explanation for people.'),
    info: objectSchema.default({}),
    isError: z.boolean().default(false).describe('The evaluation itself failed.'),
    subscores: z.array(subScoreSchema).nullable().default(null),
  })
  .meta({ id: 'EvaluationResult', description: 'What the evaluation of a task yields.' });
export type EvaluationResult = z.infer<typeof evaluationResultSchema>;

/** The grade of a run. */
export const gradeSchema = z
  .strictObject({
    reward: z.number().default(0),
    done: z.boolean().default(true),
    content: z.string().nullable().default(null),
    info: objectSchema.default({}),
    is_error: z.boolean().default(false),
    raw: objectSchema.default({}).describe('The whole answer to `tasks.grade`.'),
    evaluation: objectSchema.default({}).describe('`raw` without `info` of the subscores.'),
  })
  .meta({ id: 'Grade', description: 'The grade of a run.' });
export type Grade = z.infer<typeof gradeSchema>;

/** The grade of a run that was not graded. */
export const UNGRADED: Grade = gradeSchema.parse({ is_error: true, content: 'not graded' });

/** The grade in an answer to `tasks.grade`. Null if HUD does not read one in it, and reports a protocol error. */
export function gradeOf(raw: Json): Grade | null {
  const frame = gradeIn(raw);
  if (typeof frame === 'string') return null;
  const { score, done, content, info, isError, subscores } = frame;
  const whole = raw as JsonObject;
  const summaries = subscores?.map(summaryOf);
  return {
    reward: score,
    done,
    content,
    info,
    is_error: isError,
    raw: whole,
    evaluation: summaries === undefined ? whole : { ...whole, subscores: summaries },
  };
}

/** A subscore and its parts without `info`. */
function summaryOf({ name, weight, value, children }: SubScore): JsonObject {
  return { name, weight, value, children: children === null ? null : children.map(summaryOf) };
}

/** The answer of an agent whose content has a declared type, with the text that it was read from. */
export const answerSchema = z
  .object({ content: jsonSchema, raw: z.string().default('') })
  .meta({ id: 'Answer', description: 'The answer of an agent to a task that declares `returns`.' });
export type Answer = z.infer<typeof answerSchema>;

/** A part of an answer with its source. */
export const citationSchema = z
  .strictObject({
    type: z
      .string()
      .default('citation')
      .describe('`url_citation`, `file_citation`, `document_citation`, `grounding`, or `citation`.'),
    text: z.string().default('').describe('The cited passage.'),
    source: z.string().default('').describe('URL, file id, or document id.'),
    title: z.string().nullable().default(null),
    start_index: z.int().nullable().default(null).describe("Start in the agent's text."),
    end_index: z.int().nullable().default(null).describe("End in the agent's text."),
  })
  .meta({ id: 'Citation', description: 'A part of an answer with its source.' });
export type Citation = z.infer<typeof citationSchema>;
