import * as z from 'zod';

/** The port of the relay on the internal network, and its name there. */
export const RELAY = { host: 'relay', port: 7000 } as const;

/** The first message of a lane. */
export const introductionSchema = z.object({
  secret: z.string(),
  /** The name of the service of Docker that it belongs to. */
  service: z.string(),
  /** The id of its task in the swarm. */
  task: z.string(),
  /** The host name of its node. */
  node: z.string(),
  /** The number of its task in the service. */
  slot: z.string(),
});
export type Introduction = z.infer<typeof introductionSchema>;

/** The part of it that the owner receives. Docker leaves out slot 0 and puts the id of the node in its place. */
export const helloSchema = introductionSchema
  .omit({ secret: true })
  .extend({ slot: z.string().transform((text) => (/^\d+$/.test(text) ? Number(text) : 0)) });
export type Hello = z.infer<typeof helloSchema>;

/** How the server of a lane ended. */
export const laneEndSchema = z.object({ code: z.number().nullable(), signal: z.string().nullable() });
export type LaneEnd = z.infer<typeof laneEndSchema>;
