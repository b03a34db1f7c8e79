import { isList, isObject, type JsonObject } from '../../../base/json.ts';
import { didYouMean, nearestWord } from '../../../base/nearest.ts';
import { refusedKeys } from '../../../environments/custom/host-config.ts';
import { readCustom } from '../../../environments/custom/spec.ts';
import { findBuiltin } from '../../../functions/catalogue.ts';
import type { Beside } from '../../../functions/user/beside.ts';
import { asObject, HUD_0_2, type ReadCall } from '../../../tasks/calls.ts';
import type { ValueFix } from '../../../tasks/change.ts';
import { error, newProblem, type Problem, warning } from '../../../tasks/problem.ts';
import { kindOf } from '../../../tasks/rows.ts';
import { changeTo, removal, suggestKey } from '../../../tasks/value-fixes.ts';

const LOCATIONS = ['local', 'remote'];
const CUSTOM_KEYS = ['type', 'location', 'image_or_build_context', 'host_config'];
const OLD_KEYS = ['dockerfile', 'ports', 'controller_source_dir'];

/** What releases of HUD 0.2 do with the environment of a task. */
export function gymProblems(row: JsonObject, beside: Beside | undefined): Problem[] {
  const { gym } = row;
  if (isObject(gym)) return isCustom(gym) ? [...customGymProblems(gym), ...noContext(gym, beside)] : [];
  if (gym === 'hud-ubuntu') {
    const message = 'HUD 0.2.6 and later reject “hud-ubuntu”. Their desktop is “OSWorld-Ubuntu”';
    return [warning('gym-version', ['gym'], message, changeTo(['gym'], 'OSWorld-Ubuntu'))];
  }
  if (gym === 'public') return [publicByName(row)];
  if (gym !== 'docker') return [];
  const image = row['image_uri'];
  if (typeof image === 'string' && image !== '') return [];
  const message = `${HUD_0_2} accepts a “docker” environment in a task set only if the task has an "image_uri"`;
  return [warning('custom-gym', image === undefined ? ['gym'] : ['image_uri'], message)];
}

/** A custom environment has no name: it is an object with its image or folder. */
function publicByName(row: JsonObject): Problem {
  const image = row['image_uri'];
  const message = `${HUD_0_2} has no environment named “public”. Write {"location": "local", "image_or_build_context": ...}`;
  const hasImage = typeof image === 'string' && image !== '';
  const fixes = hasImage ? [changeTo(['gym'], { location: 'local', image_or_build_context: image })] : [];
  return error('custom-gym', ['gym'], message, ...fixes);
}

/**
 * Whether the object is written for HUD's `CustomGym`, not one of Taskwright's own, such as {type: "browsergym", ...}.
 */
function isCustom(gym: JsonObject): boolean {
  const { type } = gym;
  if (type === 'public') return true;
  return (
    (type === undefined || type === 'docker') &&
    [...CUSTOM_KEYS, ...OLD_KEYS].some((key) => key !== 'type' && key in gym)
  );
}

function customGymProblems(gym: JsonObject): Problem[] {
  const problems: Problem[] = [];
  const report = (key: string | null, message: string, ...fixes: readonly ValueFix[]): void => {
    problems.push(error('custom-gym', key === null ? ['gym'] : ['gym', key], message, ...fixes));
  };
  if (gym['type'] === 'docker') {
    report('type', `${HUD_0_2} has no environment object of type “docker”. Use “public”, or remove the type`, {
      title: 'Change to “public”',
      changes: [{ set: ['gym', 'type'], value: 'public' }],
    });
  }
  const { location, image_or_build_context: image } = gym;
  if (typeof location !== 'string' || !LOCATIONS.includes(location)) {
    const near = typeof location === 'string' ? nearestWord(location, LOCATIONS) : null;
    report(
      location === undefined ? null : 'location',
      location === undefined
        ? `${HUD_0_2} requires a "location" here: "local" or "remote"`
        : `"location" must be "local" or "remote" in ${HUD_0_2}${didYouMean(near)}`,
      ...LOCATIONS.map((value) => ({
        title: `${location === undefined ? 'Add' : 'Change to'} "location": "${value}"`,
        changes: [{ set: ['gym', 'location'], value }],
      })),
    );
  }
  const old = OLD_KEYS.find((key) => key in gym);
  if (image === undefined && old !== undefined) {
    const message = `HUD 0.2.5 and later ignore "${old}" and require "image_or_build_context"; up to 0.2.4 it was the reverse`;
    problems.push({ part: 'key', ...warning('gym-version', ['gym', old], message) });
  } else if (image === undefined) {
    report(null, `${HUD_0_2} requires "image_or_build_context" here: the name of an image, or the path of a folder`);
  } else if (typeof image !== 'string') {
    report(
      'image_or_build_context',
      `"image_or_build_context" must be the name of an image or the path of a folder, found ${kindOf(image)}`,
    );
  }
  problems.push(...hostConfigProblems(gym));
  for (const key of Object.keys(gym)) {
    if (CUSTOM_KEYS.includes(key) || OLD_KEYS.includes(key)) continue;
    const { hint, fixes } = suggestKey(['gym', key], CUSTOM_KEYS, gym);
    const message = `“${key}” is not a key of a custom environment; it is ignored, as in HUD${hint}`;
    problems.push({ part: 'key', ...warning('unknown-key', ['gym', key], message, ...fixes) });
  }
  return problems;
}

function hostConfigProblems({ host_config: host, location }: JsonObject): Problem[] {
  const path = ['gym', 'host_config'];
  if (host === undefined || host === null) return [];
  if (!isObject(host)) {
    return [error('custom-gym', path, `"host_config" must be an object in ${HUD_0_2}, found ${kindOf(host)}`)];
  }
  if (location !== 'remote') {
    return refusedKeys(host).map(({ key, message, leftOut }) => {
      const fix = removal([...path, key], `Remove "${key}"`);
      const severity = leftOut ? 'warning' : 'error';
      return { part: 'key', ...newProblem(severity, 'host-config', [...path, key], message, fix) };
    });
  }
  if (Object.keys(host).length === 0) return [];
  const message = `${HUD_0_2} rejects "host_config" for a remote environment`;
  return [{ part: 'key', ...error('custom-gym', path, message, removal(path, 'Remove "host_config"')) }];
}

/** A folder of a build context that does not exist. */
function noContext(gym: JsonObject, beside: Beside | undefined): Problem[] {
  const { context } = readCustom({ ...gym, type: 'public' });
  const key = ['image_or_build_context', 'controller_source_dir'].find((one) => gym[one] === context);
  if (beside === undefined || context === null || key === undefined || context.startsWith('~')) return [];
  const kind = beside(context);
  if (kind === 'folder') return [];
  const message =
    kind === null
      ? `the folder “${context}” does not exist next to the task file`
      : `“${context}” is a file, not a folder`;
  return [error('custom-gym', ['gym', key], message)];
}

/** HUD sends only the first setup call to a remote environment. */
export function setupDropped(row: JsonObject, setup: readonly ReadCall[]): Problem[] {
  const [, second] = setup;
  const remote = row['gym'] === 'hud-browser' || (isObject(row['gym']) && row['gym']['location'] === 'remote');
  if (second === undefined || !remote || Object.hasOwn(row, 'initial_state')) return [];
  if (row['gym'] === 'hud-browser' && !setup.every(isInRemoteBrowser)) return [];
  const message = `${HUD_0_2} sends only the first setup call to a remote environment. This call and the following ones are silently dropped there`;
  return [warning('setup-dropped', second.path, message)];
}

function isInRemoteBrowser({ function: name }: ReadCall): boolean {
  const declaration = findBuiltin(name);
  return declaration?.phase === 'setup' && declaration.inRemoteBrowser === true;
}

/** Up to HUD 0.2.4, a call written as a list could contain only texts, objects, and lists of these. */
export function oldArgumentProblems(row: JsonObject, calls: readonly ReadCall[]): Problem[] {
  const { gym } = row;
  const old = gym === 'hud-ubuntu' || (isObject(gym) && OLD_KEYS.some((key) => key in gym));
  if (!old) return [];
  return calls.flatMap((call) =>
    call.args.flatMap((arg, index): Problem[] => {
      const path = call.argPaths[index] ?? call.path;
      const inList = path.length === call.path.length + 1 && typeof path.at(-1) === 'number';
      if (!inList || typeof arg === 'string' || isList(arg) || isObject(arg)) return [];
      const message = `HUD up to 0.2.4 rejects ${kindOf(arg)} in a call written as a list, and later releases reject this environment. Write the call as {"function": ..., "args": [...]}`;
      return [warning('old-argument', path, message, asObject([call.function, ...call.args], call.path))];
    }),
  );
}
