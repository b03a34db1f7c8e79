import { isObject, type Json } from '../../../base/json.ts';
import {
  anything,
  type Check,
  flag,
  listOf,
  members,
  nullable,
  objectOf,
  optional,
  required,
  text,
  whole,
  wrongType,
  wrongValue,
} from './model.ts';

const ANY_NUMBER = Number.NEGATIVE_INFINITY;
const PORT = /^(?:(?:.*:)?\d*:)?\d+(?:\/(?:tcp|udp))?$/;

/** What Python's `shlex` can split into words. */
const WORDS = /^(?:[^'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")*$/s;

/** A command line, as a text or a list of words. */
const command: Check = (value, path, report) => {
  if (typeof value !== 'string') listOf(text())(value, path, report);
  else if (!WORDS.test(value)) wrongValue(report, path, 'must be a command line whose quotes and escapes are complete');
};

const textOrObject: Check = (value, path, report) => {
  if (typeof value !== 'string' && !isObject(value)) wrongType(report, path, 'a string or an object', value);
};

const textOrNumber: Check = (value, path, report) => {
  if (typeof value !== 'string') whole(ANY_NUMBER)(value, path, report);
};

const variable: Check = (value, path, report) => {
  if (value === null) wrongValue(report, path, 'must have a value, because none comes from the host');
};

const environment: Check = (value, path, report) => {
  if (!Array.isArray(value)) return objectOf(variable)(value, path, report);
  const items: readonly Json[] = value;
  for (const [index, item] of items.entries()) {
    if (typeof item === 'string' && item.includes('=')) continue;
    wrongValue(report, [...path, index], 'must be a string of the form KEY=VALUE');
  }
};

const longPort = members(
  { target: required(whole(ANY_NUMBER), 'the port in the container'), protocol: optional(text()) },
  'reported elsewhere',
  'a port',
);

const port: Check = (value, path, report) => {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isInteger(value))) return;
  if (typeof value !== 'string') return longPort(value, path, report);
  if (!PORT.test(value))
    wrongValue(report, path, `must be a port such as "8080:80" or "80/tcp", found ${JSON.stringify(value)}`);
};

const healthcheck = members(
  {
    disable: optional(nullable(flag)),
    test: optional(nullable(listOf(text(), 1))),
    interval: optional(nullable(text())),
    timeout: optional(nullable(text())),
    start_period: optional(nullable(text())),
    start_interval: optional(nullable(text())),
    retries: optional(nullable(whole(ANY_NUMBER))),
  },
  'reported elsewhere',
  'a healthcheck',
);

const service = members(
  {
    image: optional(nullable(text())),
    build: optional(nullable(textOrObject)),
    user: optional(nullable(textOrNumber)),
    environment: optional(environment),
    entrypoint: optional(nullable(command)),
    command: optional(nullable(command)),
    working_dir: optional(nullable(text())),
    healthcheck: optional(nullable(healthcheck)),
    network_mode: optional(nullable(text())),
    expose: optional(listOf(anything)),
    ports: optional(listOf(port)),
    volumes: optional(listOf(textOrObject)),
  },
  'reported elsewhere',
  'a service',
);

const document = members(
  {
    name: optional(nullable(text())),
    services: required(objectOf(service), 'the services of the Compose file'),
    networks: optional(objectOf(nullable(objectOf(anything)))),
  },
  'reported elsewhere',
  'a Compose file',
);

/** The path of a Compose file, or the file inline: as far as HUD inspects it. */
const composeDocument: Check = (value, path, report) => {
  if (typeof value === 'string') return;
  if (!isObject(value)) return wrongType(report, path, 'the path of a Compose file or an object', value);
  document(value, path, report);
};

const composeRoot: Check = (value, path, report) => {
  if (typeof value === 'string') return;
  const fields = { compose_path: required(text(), 'the path of the Compose file in the project') };
  members(fields, 'refused', 'runtime_config.compose.root')(value, path, report);
};

const composeFields = members(
  {
    document: required(composeDocument, 'the path of a Compose file'),
    root: optional(nullable(composeRoot)),
    service_access: optional(nullable(flag)),
  },
  'refused',
  'runtime_config.compose',
);

/** `runtime_config.compose` of HUD 0.6. */
export const compose: Check = (value, path, report) => {
  const before = report.problems.length;
  composeFields(value, path, report);
  if (report.problems.length > before || !isObject(value)) return;
  const { document, root } = value as { document: Json; root?: Json };
  if (root === undefined || root === null) return;
  if (typeof root !== typeof document) {
    wrongValue(report, [...path, 'root'], 'must have the same form as "document": both are paths, or neither is');
  } else if (typeof root === 'string' && typeof document === 'string' && !isInside(document, root)) {
    wrongValue(report, [...path, 'document'], `must be inside "root", but ${JSON.stringify(document)} is not`);
  }
};

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
