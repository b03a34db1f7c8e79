import { isObject, type JsonObject } from '../../../base/json.ts';
import type { Problem } from '../../../tasks/problem.ts';
import { removal } from '../../../tasks/value-fixes.ts';
import { compose } from './compose.ts';
import {
  anything,
  type Check,
  listOf,
  type ModelReport,
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

/** The release whose model checks tasks of HUD 0.6. */
export const HUD_0_6 = 'HUD 0.6.21';

const TOPOLOGY = /^[1-9]\d*(?:x[1-9]\d*)+$/;

const topology: Check = (value, path, report) => {
  if (typeof value !== 'string') return wrongType(report, path, 'a string', value);
  if (!TOPOLOGY.test(value))
    wrongValue(report, path, `must be a string such as "2x2" or "2x2x4", found ${JSON.stringify(value)}`);
};

const gpuType: Check = (value, path, report) => {
  if (Array.isArray(value)) listOf(text(), 1)(value, path, report);
  else if (typeof value === 'string') text(1)(value, path, report);
  else wrongType(report, path, 'a string or a list of strings', value);
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

const runtimeConfig: Check = (value, path, report) => {
  const before = report.problems.length;
  runtimeFields(value, path, report);
  if (report.problems.length > before || !isObject(value)) return;
  if ((value['image'] ?? null) !== null && (value['compose'] ?? null) !== null) {
    wrongValue(
      report,
      path,
      'must have an "image" or a "compose", not both',
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

/** A verifier is a task without a verifier. */
const verifier: Check = (value, path, report) => {
  members({ ...fields, verifier: optional(nullable(nestedVerifier)) }, 'ignored', 'a verifier task')(
    value,
    path,
    report,
  );
};

const nestedVerifier: Check = (_value, path, report) => {
  wrongValue(report, path, 'is not allowed here: a verifier cannot have a verifier', [removal(path)]);
};

const task = members({ ...fields, verifier: optional(nullable(verifier)) }, 'reported elsewhere', 'a task');

/** What the model of HUD 0.6.21 rejects in a row. */
export function hud06Problems(row: JsonObject): Problem[] {
  const report: ModelReport = { hud: HUD_0_6, problems: [] };
  task(row, [], report);
  return report.problems;
}
