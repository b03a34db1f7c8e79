import * as z from 'zod';
import { jsonSchema } from '../../../../tasks/task.ts';
import { objectSchema } from './messages.ts';

/** One part of a grade, which can have parts itself. */
export interface SubScore {
  readonly name: string;
  /** Share of the reward. A negative weight is a penalty. */
  readonly weight: number;
  /** From 0 to 1. */
  readonly value: number;
  /** The parts that the value was combined from. */
  readonly children: readonly SubScore[] | null;
  /** Details of the grader. */
  readonly info: z.infer<typeof objectSchema> | null;
}

export const subScoreSchema = z
  .strictObject({
    name: z.string(),
    weight: z.number().default(1).describe('Share of the reward. A negative weight is a penalty.'),
    value: z.number().min(0).max(1),
    get children(): z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodType<SubScore>>>> {
      return z.array(subScoreSchema).nullable().default(null);
    },
    info: objectSchema.nullable().default(null).describe('Details of the grader.'),
  })
  .meta({ id: 'SubScore', description: 'One part of a grade.' }) as z.ZodType<SubScore>;

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

/**
 * The answer to `tasks.grade`, which a `task` step records: an `EvaluationResult` with `score` in place of `reward`. A
 * boolean and a number that is not finite are no score.
 */
export const gradeFrameSchema = z
  .looseObject({
    score: z.number(),
    done: z.boolean().default(true),
    content: z.string().nullable().catch(null),
    info: objectSchema.catch({}),
    isError: z.boolean().default(false),
    subscores: z.array(subScoreSchema).nullable().default(null),
  })
  .meta({ id: 'GradeFrame', description: 'The answer to `tasks.grade`.' });
export type GradeFrame = z.infer<typeof gradeFrameSchema>;

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

/** The grade in an answer to `tasks.grade`. Null if it has no score that is a finite number: HUD reports a protocol error. */
export function gradeOf(raw: unknown): Grade | null {
  const frame = gradeFrameSchema.safeParse(raw);
  if (!frame.success) return null;
  const { score, done, content, info, isError, subscores } = frame.data;
  const whole = objectSchema.parse(raw);
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

type Summary = Readonly<Record<string, z.infer<typeof jsonSchema>>>;

/** A subscore and its parts without `info`. */
function summaryOf({ name, weight, value, children }: SubScore): Summary {
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
