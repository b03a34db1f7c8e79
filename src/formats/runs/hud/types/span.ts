import * as z from 'zod';
import { objectSchema, orNull } from './messages.ts';
import { stepSchema } from './trace.ts';

/** `attributes['hud.schema']` of a span that holds a step. */
export const STEP_SCHEMA = 'hud.step.v1';

const id = (digits: number): z.ZodString => z.string().regex(new RegExp(`^[0-9a-fA-F]{${digits}}$`));

/** One line of a trace file: one span, in the form of OpenTelemetry. Spans that are not steps have other attributes. */
export const spanSchema = z
  .strictObject({
    name: z.string(),
    trace_id: id(32),
    span_id: id(16),
    parent_span_id: orNull(id(16)),
    kind: z.enum(['INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']).default('INTERNAL'),
    start_time: z.string().describe('ISO 8601.'),
    end_time: z.string().describe('ISO 8601.'),
    status_code: z.enum(['UNSET', 'OK', 'ERROR']).default('UNSET'),
    status_message: orNull(z.string()),
    attributes: objectSchema.default({}),
    events: z
      .array(z.object({ name: z.string(), timestamp: z.string(), attributes: objectSchema.default({}) }))
      .default([]),
  })
  .meta({ id: 'Span', description: 'One line of a trace file.' });
export type Span = z.infer<typeof spanSchema>;

export function stepAttributes<Payload extends z.ZodType>(schema: string, payload: Payload) {
  return z.looseObject({ 'hud.schema': z.literal(schema), 'hud.task_run_id': z.string(), 'hud.payload': payload });
}

export const stepAttributesSchema = stepAttributes(STEP_SCHEMA, stepSchema).meta({
  id: 'StepAttributes',
  description: 'The attributes of a span that holds a step.',
});
