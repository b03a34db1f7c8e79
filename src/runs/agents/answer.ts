import * as z from 'zod';
import { actionInputSchema } from '../../actions/action.ts';

/** What an agent may answer, checked because an agent is any program. */
export const answerSchema = z.union([actionInputSchema, z.array(actionInputSchema), z.null()]);

/** For messages about an answer that does not match. */
export const ANSWER_FORM = 'Answer with an action, a list of actions, or null';
