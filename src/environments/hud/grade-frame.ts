import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { isList, isObject, type Json, type JsonObject } from '../../base/json.ts';
import { jsonSchema } from '../../base/json-validator.ts';
import { abbreviateJson } from '../../python/json.ts';

/** A number as Python reads it from a text. */
const NUMBER = /^\s*[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:e[+-]?\d+)?\s*$/i;

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
  readonly info: JsonObject | null;
}

export const subScoreSchema = z
  .strictObject({
    name: z.string(),
    weight: z.number().default(1).describe('Share of the reward. A negative weight is a penalty.'),
    value: z.number().min(0).max(1),
    get children(): z.ZodDefault<z.ZodNullable<z.ZodArray<z.ZodType<SubScore>>>> {
      return z.array(subScoreSchema).nullable().default(null);
    },
    info: z.record(z.string(), z.any()).nullable().default(null).describe('Details of the grader.'),
  })
  .meta({ id: 'SubScore', description: 'One part of a grade.' }) as z.ZodType<SubScore>;

/**
 * The answer to `tasks.grade`, which a `task` step records: an `EvaluationResult` with `score` in place of `reward`. A
 * boolean and a number that is not finite are no score.
 */
export const gradeFrameSchema = z
  .looseObject({
    score: z.number(),
    done: z.boolean().default(true),
    content: z.string().nullable().catch(null),
    info: z.record(z.string(), jsonSchema).catch({}),
    isError: z.boolean().default(false),
    subscores: z.array(subScoreSchema).nullable().default(null),
  })
  .meta({ id: 'GradeFrame', description: 'The answer to `tasks.grade`.' });
export type GradeFrame = z.infer<typeof gradeFrameSchema>;

/**
 * The grade in a frame of `tasks.grade`, as HUD 0.6.21 reads it; otherwise why it is not a grade, as a part of a sentence.
 * @param isRecorded HUD has read it, so unknown keys are those of a later release, and ignored
 */
export function gradeIn(frame: Json | undefined, isRecorded = false): GradeFrame | string {
  if (!isObject(frame)) return `the environment sent ${abbreviateJson(frame)} instead of a grade`;
  const { score, done, isError, subscores } = frame;
  if (score === undefined) return `the grade has no "score"; it is ${abbreviateJson(frame)}`;
  if (typeof score !== 'number' || !Number.isFinite(score)) {
    return `the "score" of the grade must be a finite number, and it is ${abbreviateJson(score)}`;
  }
  const { data, error } = gradeFrameSchema.safeParse({
    ...frame,
    ...(done === undefined ? {} : { done: isTrue(done) }),
    ...(isError === undefined ? {} : { isError: isTrue(isError) }),
    subscores: isList(subscores) ? subscores.map((one) => subScoreOf(one, isRecorded)) : null,
  });
  if (data !== undefined) return data;
  const [{ path, message } = { path: [], message: '' }] = error.issues;
  return `HUD does not read "${path.join('.')}" of the grade: ${message}`;
}

/** A subscore, with numbers in place of booleans and texts that HUD reads as numbers. */
function subScoreOf(subScore: Json, isRecorded: boolean): Json {
  if (!isObject(subScore)) return subScore;
  const { name, weight, value, children, metadata, info = metadata, ...rest } = subScore;
  return defined({
    name,
    weight: numberOf(weight),
    value: numberOf(value),
    children: isList(children) ? children.map((one) => subScoreOf(one, isRecorded)) : children,
    info,
    ...(isRecorded ? {} : rest),
  }) as JsonObject;
}

function numberOf(value: Json | undefined): Json | undefined {
  if (typeof value === 'boolean') return Number(value);
  return typeof value === 'string' && NUMBER.test(value) ? Number(value.replaceAll('_', '')) : value;
}

/** Whether a value is true in Python. */
function isTrue(value: Json): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Number.isNaN(value) || Boolean(value);
}
