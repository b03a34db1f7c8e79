import * as z from 'zod';
import { jsonSchema } from '../../../../base/json-validator.ts';
import { subScoreSchema } from '../../../../environments/hud/grade-frame.ts';
import { objectSchema, orNull } from './messages.ts';

/** What the evaluation of a task yields. HUD accepts other keys and keeps them in the grade. */
export const evaluationResultSchema = z
  .looseObject({
    reward: z.number().default(0),
    done: z.boolean().default(true),
    content: orNull(z.string()).describe('An explanation for people.'),
    info: objectSchema.default({}),
    isError: z.boolean().default(false).describe('The evaluation itself failed.'),
    subscores: orNull(z.array(subScoreSchema)),
  })
  .meta({ id: 'EvaluationResult', description: 'What the evaluation of a task yields.' });

export const gradeSchema = z
  .strictObject({
    reward: z.number().default(0),
    done: z.boolean().default(true),
    content: orNull(z.string()),
    info: objectSchema.default({}),
    is_error: z.boolean().default(false),
    raw: objectSchema.default({}).describe('The whole answer to `tasks.grade`.'),
    evaluation: objectSchema.default({}).describe('`raw` without `info` of the subscores.'),
  })
  .meta({ id: 'Grade', description: 'The grade of a run.' });

/** The answer of an agent whose content has a declared type, with the text that it was read from. */
export const answerSchema = z
  .object({ content: jsonSchema, raw: z.string().default('') })
  .meta({ id: 'Answer', description: 'The answer of an agent to a task that declares `returns`.' });

export const citationSchema = z
  .strictObject({
    type: z
      .string()
      .default('citation')
      .describe('`url_citation`, `file_citation`, `document_citation`, `grounding`, or `citation`.'),
    text: z.string().default('').describe('The cited passage.'),
    source: z.string().default('').describe('URL, file id, or document id.'),
    title: orNull(z.string()),
    start_index: orNull(z.int()).describe("Start in the agent's text."),
    end_index: orNull(z.int()).describe("End in the agent's text."),
  })
  .meta({ id: 'Citation', description: 'A part of an answer with its source.' });
