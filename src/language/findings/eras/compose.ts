import * as z from 'zod';
import { anyObject, flag, members, nonEmpty, ofType, REQUIRED, whole } from './model.ts';

const PORT = /^(?:(?:.*:)?\d*:)?\d+(?:\/(?:tcp|udp))?$/;

/** What Python's `shlex` can split into words. */
const WORDS = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s;

/** A command line, as a text or a list of words. */
const command = z.union([
  z.string().refine((line) => WORDS.test(line), 'must be a command line whose quotes and escapes are complete'),
  z.array(z.string()),
]);

const textOrObject = z.union([z.string(), anyObject]);

const environment = z.union([
  z.record(
    z.string(),
    z.unknown().refine((value) => value !== null, 'must have a value, because none comes from the host'),
  ),
  z.array(
    z
      .unknown()
      .refine((item) => typeof item === 'string' && item.includes('='), 'must be a string of the form KEY=VALUE'),
  ),
]);

const port = z.union([
  ofType('an integer', (value) => typeof value === 'boolean' || Number.isInteger(value)),
  z.string().regex(PORT, {
    error: ({ input }) => `must be a port such as "8080:80" or "80/tcp", found ${JSON.stringify(input)}`,
  }),
  z.object({ target: whole().describe('the port in the container'), protocol: z.string().optional() }),
]);

const healthcheck = z.object({
  disable: flag.nullish(),
  test: nonEmpty(z.array(z.string())).nullish(),
  interval: z.string().nullish(),
  timeout: z.string().nullish(),
  start_period: z.string().nullish(),
  start_interval: z.string().nullish(),
  retries: whole().nullish(),
});

const service = z.object({
  image: z.string().nullish(),
  build: textOrObject.nullish(),
  user: z.union([z.string(), whole()]).nullish(),
  environment: environment.optional(),
  entrypoint: command.nullish(),
  command: command.nullish(),
  working_dir: z.string().nullish(),
  healthcheck: healthcheck.nullish(),
  network_mode: z.string().nullish(),
  expose: z.array(z.unknown()).optional(),
  ports: z.array(port).optional(),
  volumes: z.array(textOrObject).optional(),
});

const file = z.object({
  name: z.string().nullish(),
  services: z.record(z.string(), service).describe('the services of the Compose file'),
  networks: z.record(z.string(), anyObject.nullable()).optional(),
});

/** `runtime_config.compose` of HUD 0.6. */
export const compose = members(
  {
    /** The path of a Compose file, or the file inline: as far as HUD inspects it. */
    document: z.union([z.string(), file]).describe('the path of a Compose file'),
    root: z
      .union([
        z.string(),
        members({ compose_path: z.string().describe('the path of the Compose file in the project') }, 'rejected'),
      ])
      .nullish(),
    service_access: flag.nullish(),
  },
  'rejected',
)
  .refine(({ document, root }) => (root ?? null) === null || typeof root === typeof document, {
    path: ['root'],
    error: 'must have the same form as "document": both are paths, or neither is',
  })
  .refine(
    ({ document, root }) => typeof root !== 'string' || typeof document !== 'string' || isInside(document, root),
    {
      path: ['document'],
      params: REQUIRED,
      error: ({ input }) =>
        `must be inside "root", but ${JSON.stringify((input as { document: string }).document)} is not`,
    },
  );

/** Both relative to the folder of the task file. Paths whose location is not known count as inside. */
function isInside(document: string, root: string): boolean {
  const [inner, outer] = [segments(document), segments(root)];
  if (inner.absolute !== outer.absolute) return true;
  const [innerUp, outerUp] = [inner, outer].map(({ names }) => names.filter((name) => name === '..').length);
  if (innerUp !== undefined && outerUp !== undefined && innerUp !== outerUp) return innerUp < outerUp;
  return outer.names.every((name, index) => inner.names[index] === name);
}

function segments(path: string): { readonly absolute: boolean; readonly names: readonly string[] } {
  const names: string[] = [];
  for (const name of path.split('/')) {
    if (name === '' || name === '.') continue;
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop();
    else names.push(name);
  }
  return { absolute: path.startsWith('/'), names };
}
