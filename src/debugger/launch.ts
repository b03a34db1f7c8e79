import * as z from 'zod';
import { PLACEMENT_KINDS } from '../tasks/placement-kind.ts';

/** A launch configuration of type `taskwright`: exactly one of `task` and `run`. */
export const launchSchema = z
  .object({
    /** `file#id` or `file#index` of a task to run live. */
    task: z.string().min(1).optional(),
    /** Folder of a recorded run to replay. */
    run: z.string().min(1).optional(),
    agent: z.string().min(1).optional(),
    placement: z.enum(PLACEMENT_KINDS).optional(),
    seed: z.number().int().optional(),
    stopOnEntry: z.boolean().optional(),
    /** Stops once more at the end of the run, with the environment still open. */
    keepEnvironment: z.boolean().optional(),
    /** Replay: the recorded step to start at. */
    step: z.number().int().min(0).optional(),
    noDebug: z.boolean().optional(),
  })
  .refine(({ task, run }) => (task === undefined) !== (run === undefined), {
    error: 'Specify either "task" (file#id) to run a task, or "run" (the folder of a recorded run) to replay it.',
  });
export type Launch = z.infer<typeof launchSchema>;
