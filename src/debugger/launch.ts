import * as z from 'zod';

/** A configuration of the type `taskwright`: exactly one of `task` and `run`. */
export const launchSchema = z
  .object({
    /** `file#id` or `file#index`: runs live. */
    task: z.string().min(1).optional(),
    /** The folder of a recorded run: replays it. */
    run: z.string().min(1).optional(),
    agent: z.string().min(1).optional(),
    placement: z.enum(['local', 'docker']).optional(),
    seed: z.number().int().optional(),
    stopOnEntry: z.boolean().optional(),
    /** The environment stays after the run, to be looked at and asked, until the person goes on or stops. */
    keepEnvironment: z.boolean().optional(),
    /** Replay: the recorded step to begin at. */
    step: z.number().int().min(0).optional(),
    noDebug: z.boolean().optional(),
  })
  .refine(({ task, run }) => (task === undefined) !== (run === undefined), {
    error: 'Say either "task" (file#id, to run it) or "run" (the folder of a recorded run, to replay it).',
  });
export type Launch = z.infer<typeof launchSchema>;
