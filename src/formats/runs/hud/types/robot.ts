import * as z from 'zod';
import { objectSchema } from './messages.ts';
import { stepAttributes } from './span.ts';
import { finiteOrNull, stepFields } from './trace.ts';

/** `attributes['hud.schema']` of a span that holds a step of a robot. */
export const ROBOT_STEP_SCHEMA = 'hud.robot.step.v1';

/** A group of features of an observation: the labels of its dimensions and their values. */
export const stateFeatureSchema = z
  .strictObject({ names: z.array(z.string()).default([]), values: z.array(finiteOrNull).default([]) })
  .meta({ id: 'StateFeature', description: 'A group of features of an observation.' });

const imageSchema = z.looseObject({ type: z.literal('image'), data: z.string(), mimeType: z.string().optional() });
const tick = z.int().default(0).describe('Number of the control tick, from 0.');

export const observationStepSchema = z
  .strictObject({
    ...stepFields(z.literal('observation').default('observation')),
    tick,
    images: z.record(z.string(), imageSchema).default({}).describe('By the names of the cameras.'),
    state: z.record(z.string(), stateFeatureSchema).default({}),
  })
  .meta({ id: 'ObservationStep', description: 'What the policy of a robot saw at one control tick.' });

export const inferenceStepSchema = z
  .strictObject({
    ...stepFields(z.literal('inference').default('inference')),
    tick,
    chunk: z.array(z.array(finiteOrNull)).default([]).describe('Actions, one after the other.'),
    chunk_length: z.int().default(1),
    names: z.array(z.string()).default([]).describe('Labels of the dimensions of an action.'),
  })
  .meta({ id: 'InferenceStep', description: 'What the policy of a robot did at one control tick.' });

export const videoSegmentStepSchema = z
  .strictObject({
    ...stepFields(z.literal('video_segment').default('video_segment')),
    camera: z.string().default(''),
    index: z.int().default(0).describe('Position in the stream of the camera. 0 configures the decoder.'),
    fps: z.int().default(10),
    segment: objectSchema.default({}).describe('`{"type": "video", "data": <base64>, "mimeType": "video/mp4"}`'),
  })
  .meta({ id: 'VideoSegmentStep', description: 'A fragment of the video of a camera.' });

/** The values of `source` of a step of a robot. */
export const ROBOT_STEP_SOURCES: readonly string[] = ['observation', 'inference', 'video_segment'];

/** A step of a robot. `source` determines the kind. */
export const robotStepSchema = z
  .discriminatedUnion('source', [observationStepSchema, inferenceStepSchema, videoSegmentStepSchema])
  .meta({ id: 'RobotStep', description: 'A step of a robot.' });

export type RobotStep = z.infer<typeof robotStepSchema>;

export const robotStepAttributesSchema = stepAttributes(ROBOT_STEP_SCHEMA, robotStepSchema).meta({
  id: 'RobotStepAttributes',
  description: 'The attributes of a span that holds a step of a robot.',
});
