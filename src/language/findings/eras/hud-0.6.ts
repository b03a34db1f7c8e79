import { isObject } from '../../../tasks/calls.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { removal } from '../../../tasks/repairs.ts';
import type { Json } from '../../../tasks/task.ts';
import type { Check, Judge } from './model.ts';
import {
  anything,
  flag,
  listOf,
  members,
  nullable,
  number,
  objectOf,
  optional,
  required,
  text,
  whole,
  wrongType,
  wrongValue,
} from './model.ts';

/** The release whose model judges tasks of HUD 0.6. */
export const HUD_0_6 = 'HUD 0.6.21';

const TOPOLOGY = /^[1-9]\d*(?:x[1-9]\d*)+$/;

const topology: Check = (value, path, judge) => {
  if (typeof value !== 'string') return wrongType(judge, path, 'a text', value);
  if (!TOPOLOGY.test(value))
    wrongValue(judge, path, `is a text such as "2x2" or "2x2x4", found ${JSON.stringify(value)}`);
};

const gpuType: Check = (value, path, judge) => {
  if (Array.isArray(value)) listOf(text(), 1)(value, path, judge);
  else if (typeof value === 'string') text(1)(value, path, judge);
  else wrongType(judge, path, 'a text or a list of texts', value);
};

const gpu = members(
  { type: optional(nullable(gpuType)), count: optional(whole(0)) },
  'refused',
  'runtime_config.resources.gpu',
);

const tpu = members(
  {
    type: required(text(1), 'the kind of TPU, such as "v4"'),
    topology: required(topology, 'its shape, such as "2x2"'),
  },
  'refused',
  'runtime_config.resources.tpu',
);

const resources = members(
  {
    cpu: optional(nullable(number(0))),
    memory_mb: optional(nullable(whole(0))),
    storage_mb: optional(nullable(whole(0))),
    gpu: optional(nullable(gpu)),
    os: optional(nullable(text(1))),
    tpu: optional(nullable(tpu)),
  },
  'refused',
  'runtime_config.resources',
);

const limits = members(
  { startup_timeout_s: optional(nullable(whole(0))), run_timeout_s: optional(nullable(whole(0))) },
  'refused',
  'runtime_config.limits',
);

/** The path of a Compose file, or the file written out. Of that only the services are looked for. */
const composeDocument: Check = (value, path, judge) => {
  if (typeof value === 'string') return;
  if (!isObject(value)) return wrongType(judge, path, 'the path of a Compose file or an object', value);
  const services = required(objectOf(objectOf(anything)), 'the services of the Compose file');
  members({ services }, 'said elsewhere', 'runtime_config.compose.document')(value, path, judge);
};

const composeRoot: Check = (value, path, judge) => {
  if (typeof value === 'string') return;
  const fields = { compose_path: required(text(), 'the path of the Compose file in the project') };
  members(fields, 'refused', 'runtime_config.compose.root')(value, path, judge);
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

const compose: Check = (value, path, judge) => {
  const before = judge.problems.length;
  composeFields(value, path, judge);
  if (judge.problems.length > before || !isObject(value)) return;
  const { document, root } = value as { document: Json; root?: Json };
  if (root === undefined || root === null) return;
  if (typeof root !== typeof document) {
    wrongValue(judge, [...path, 'root'], 'has the same form as "document": both are paths, or neither');
  } else if (typeof root === 'string' && typeof document === 'string' && !isInside(document, root)) {
    wrongValue(judge, [...path, 'document'], `stands inside "root", and ${JSON.stringify(document)} does not`);
  }
};

const runtimeFields = members(
  {
    image: optional(nullable(text(1))),
    compose: optional(nullable(compose)),
    resources: optional(nullable(resources)),
    limits: optional(nullable(limits)),
  },
  'refused',
  'runtime_config',
);

const runtimeConfig: Check = (value, path, judge) => {
  const before = judge.problems.length;
  runtimeFields(value, path, judge);
  if (judge.problems.length > before || !isObject(value)) return;
  if ((value['image'] ?? null) !== null && (value['compose'] ?? null) !== null) {
    wrongValue(
      judge,
      path,
      'has either an "image" or a "compose", not both',
      ['image', 'compose'].map((key) => removal([...path, key])),
    );
  }
};

const fields = {
  env: required(text(1), 'the name of the environment'),
  id: required(text(1), "the name of the environment's template"),
  args: optional(objectOf(anything)),
  slug: optional(text(1)),
  validation: optional(nullable(listOf(objectOf(anything)))),
  agent_config: optional(nullable(objectOf(anything))),
  columns: optional(nullable(objectOf(anything))),
  runtime_config: optional(nullable(runtimeConfig)),
};

/** A verifier is a task of its own, without one. */
const verifier: Check = (value, path, judge) => {
  members({ ...fields, verifier: optional(nullable(nestedVerifier)) }, 'ignored', 'a verifier task')(
    value,
    path,
    judge,
  );
};

const nestedVerifier: Check = (_value, path, judge) => {
  wrongValue(judge, path, 'cannot stand here: the verifier of a task has no verifier itself', [removal(path)]);
};

const task = members({ ...fields, verifier: optional(nullable(verifier)) }, 'said elsewhere', 'a task');

/** What HUD 0.6.21's model refuses of a row. */
export function hud06Problems(row: Readonly<Record<string, Json>>): Problem[] {
  const judge: Judge = { hud: HUD_0_6, problems: [] };
  task(row, [], judge);
  return judge.problems;
}

/** Both relative to the folder of the task file. What only that folder's place would tell is taken as inside. */
function isInside(document: string, root: string): boolean {
  const [inner, outer] = [segments(document), segments(root)];
  if (inner.absolute !== outer.absolute) return true;
  const [innerUp, outerUp] = [inner, outer].map(({ names }) => names.filter((name) => name === '..').length);
  if (innerUp !== undefined && outerUp !== undefined && innerUp < outerUp) return true;
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
