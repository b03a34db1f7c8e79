import * as z from 'zod';
import type { Json, JsonObject } from '../../../base/json.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { removal } from '../../../tasks/value-fixes.ts';
import { compose } from './compose.ts';
import {
  anyObject,
  type IssueDetails,
  members,
  modelProblems,
  nonEmpty,
  positiveNumber,
  REQUIRED,
  requiredText,
  whole,
} from './model.ts';

/** The release whose model checks tasks of HUD 0.6. */
export const HUD_0_6 = 'HUD 0.6.21';

const TOPOLOGY = /^[1-9]\d*(?:x[1-9]\d*)+$/;

const text = nonEmpty(z.string());

const resources = members(
  {
    cpu: positiveNumber.nullish(),
    memory_mb: whole(0).nullish(),
    storage_mb: whole(0).nullish(),
    gpu: members(
      { type: z.union([text, nonEmpty(z.array(z.string()))]).nullish(), count: whole(0).optional() },
      'rejected',
    ).nullish(),
    os: text.nullish(),
    tpu: members(
      {
        type: requiredText('the kind of TPU, such as "v4"'),
        topology: z
          .string()
          .refine((shape) => TOPOLOGY.test(shape), {
            error: ({ input }) => `must be a string such as "2x2" or "2x2x4", found ${JSON.stringify(input)}`,
            params: REQUIRED,
          })
          .describe('its shape, such as "2x2"'),
      },
      'rejected',
    ).nullish(),
  },
  'rejected',
);

const runtimeConfig = members(
  {
    image: text.nullish(),
    compose: compose.nullish(),
    resources: resources.nullish(),
    limits: members({ startup_timeout_s: whole(0).nullish(), run_timeout_s: whole(0).nullish() }, 'rejected').nullish(),
  },
  'rejected',
).refine(({ image, compose }) => (image ?? null) === null || (compose ?? null) === null, {
  error: 'must have an "image" or a "compose", not both',
  params: {
    fixes: (path) => ['image', 'compose'].map((key) => removal([...path, key])),
  } satisfies IssueDetails,
});

const fields = {
  env: requiredText('the name of the environment'),
  id: requiredText("the name of the environment's template"),
  args: anyObject.optional(),
  slug: text.optional(),
  validation: z.array(anyObject).nullish(),
  agent_config: anyObject.nullish(),
  columns: anyObject.nullish(),
  runtime_config: runtimeConfig.nullish(),
};

const nestedVerifier = z.custom<Json>(() => false, 'is not allowed here: a verifier cannot have a verifier');
/** A verifier is a task without a verifier. */
const verifier = members({ ...fields, verifier: nestedVerifier.nullish() }, 'ignored');

const task = z.object({ ...fields, verifier: verifier.nullish() });

/** What the model of HUD 0.6.21 rejects in a row. */
export function hud06Problems(row: JsonObject): Problem[] {
  return modelProblems(task, row, HUD_0_6);
}
