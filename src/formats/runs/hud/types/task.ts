import * as z from 'zod';
import { objectSchema, orNull } from './messages.ts';

const count = orNull(z.int().positive());
const word = z.string().min(1);

export const runtimeResourcesSchema = z
  .strictObject({
    cpu: orNull(z.number().positive()),
    memory_mb: count,
    storage_mb: count,
    gpu: orNull(
      z.strictObject({
        type: orNull(z.union([word, z.array(z.string()).min(1)])),
        count: z.int().min(1).default(1),
      }),
    ),
    os: orNull(word),
    tpu: orNull(z.strictObject({ type: word, topology: z.string().regex(/^[1-9]\d*(?:x[1-9]\d*)+$/) })),
  })
  .meta({ id: 'RuntimeResources', description: 'What an environment needs of the machine that it runs on.' });

export const runtimeLimitsSchema = z
  .strictObject({ startup_timeout_s: count, run_timeout_s: count })
  .meta({ id: 'RuntimeLimits', description: 'Time limits of an environment, in seconds.' });

/** A Compose project. The service `main` is the environment. */
export const composeProjectSchema = z
  .strictObject({
    document: z.union([z.string(), objectSchema]).describe('A Compose file, or its content.'),
    root: orNull(z.union([z.string(), z.strictObject({ compose_path: z.string() })])).describe(
      'Folder of the project, which contains the Compose file.',
    ),
    service_access: orNull(z.boolean()),
  })
  .meta({ id: 'ComposeProject', description: 'A Compose project.' });

export const runtimeConfigSchema = z
  .strictObject({
    image: orNull(word),
    compose: orNull(composeProjectSchema),
    resources: orNull(runtimeResourcesSchema),
    limits: orNull(runtimeLimitsSchema),
  })
  .refine(({ image, compose }) => image === null || compose === null, {
    error: 'runtime_config accepts either image or compose, not both',
  })
  .meta({ id: 'RuntimeConfig', description: 'What the environment of a task needs to be started.' });

export const runtimeSchema = z
  .object({
    url: z.string().describe('`tcp://HOST:PORT`'),
    params: objectSchema.default({}),
    config: orNull(runtimeConfigSchema),
  })
  .meta({ id: 'Runtime', description: 'A running environment.' });

const taskFields = {
  env: word.describe('Name of the environment.'),
  id: word.describe('Id of the template.'),
  args: objectSchema.default({}),
  slug: word.optional().describe('Default: the id, and a hash of the arguments.'),
  validation: orNull(z.array(objectSchema)),
  agent_config: orNull(objectSchema),
  columns: orNull(objectSchema),
  runtime_config: orNull(runtimeConfigSchema),
};

/** A row of a task set. */
export interface TaskRow extends z.infer<z.ZodObject<typeof taskFields>> {
  readonly verifier: TaskRow | null;
}

export const taskSchema = z
  .object({
    ...taskFields,
    get verifier(): z.ZodDefault<z.ZodNullable<z.ZodType<TaskRow>>> {
      return taskSchema.nullable().default(null);
    },
  })
  .refine(({ verifier }) => verifier?.verifier == null, { error: 'nested verifier tasks are not supported' })
  .meta({ id: 'Task', description: 'A row of a task set.' }) as z.ZodType<TaskRow>;
