import * as z from 'zod';
import { actionInputSchema, typedActionSchema } from '../actions/action.ts';
import { takesObjects } from '../actions/normal.ts';
import { actionDialect } from '../environments/kinds.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

/** An action as an agent may give it in an environment: objects have a `type`, except in a form of the environment's own. */
export function actionSchemaIn(environment: EnvironmentSpec): typeof actionInputSchema {
  return takesObjects(actionDialect(environment)) ? actionInputSchema : typedActionSchema;
}

/** What an agent may answer in an environment, checked because an agent is any program. */
export function answerSchemaIn(environment: EnvironmentSpec) {
  const action = actionSchemaIn(environment);
  return z.union([action, z.array(action), z.null()]);
}

/** For messages about an answer that does not match. */
export const ANSWER_FORM = 'Answer with an action, a list of actions, or null';
