import * as z from 'zod';
import { HUD_PORT } from '../hud/image-service.ts';

/** The service that serves the environment. */
export const MAIN = 'main';

const healthcheckSchema = z.object({ disable: z.boolean().optional(), test: z.array(z.string()).optional() });

const partsSchema = z.record(z.string(), z.object({ external: z.boolean().optional() }).nullable()).default({});

/** The part of `docker compose config` that is used. */
export const configSchema = z.object({
  networks: partsSchema,
  volumes: partsSchema,
  services: z.record(
    z.string(),
    z.object({
      image: z.string().optional(),
      build: z.unknown().optional(),
      network_mode: z.string().optional(),
      healthcheck: healthcheckSchema.optional(),
      scale: z.number().optional(),
    }),
  ),
});
export type ComposeConfig = z.infer<typeof configSchema>;
type Services = ComposeConfig['services'];

/** The service whose network `main` uses, which publishes its port. */
export function portOwner(services: Services): string {
  const [, other] = /^service:(.+)$/.exec(services[MAIN]?.network_mode ?? '') ?? [];
  return other !== undefined && services[other] !== undefined ? other : MAIN;
}

/** A Compose file that publishes the port of the environment and no other. */
export function portsOf(services: Services): string {
  const owner = portOwner(services);
  const ports = (name: string): string => (name === owner ? `["127.0.0.1::${HUD_PORT}"]` : '[]');
  const lines = Object.keys(services).map(
    (name) => `  ${JSON.stringify(name)}:\n    ports: !override ${ports(name)}\n`,
  );
  return `services:\n${lines.join('')}`;
}

/** Whether its start is over when a health check says so. Compose waits in vain for one without a health check that has ended. */
export function isChecked({ healthcheck, scale }: Services[string]): boolean {
  if (healthcheck === undefined || healthcheck.disable === true || scale === 0) return false;
  return healthcheck.test?.[0] !== 'NONE';
}
