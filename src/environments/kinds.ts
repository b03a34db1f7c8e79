import type { EnvironmentKind } from '../functions/declaration.ts';
import { list } from '../functions/words.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

const SUPPORTED: Readonly<Record<string, EnvironmentKind>> = {
  'hud-browser': 'browser',
  qa: 'qa',
  browsergym: 'browser',
};

/** Environments that exist elsewhere or come later, and the keys that tell one from another. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  coding: [],
  desktop: ['image'],
  docker: ['image_uri'],
  hud: ['name', 'template'],
  'hud-ubuntu': [],
  mcp: [],
  'OSWorld-Ubuntu': [],
  public: ['image_or_build_context', 'controller_source_dir'],
};

/** Benchmarks of BrowserGym 0.14; `miniwob` runs here. */
export const BENCHMARKS: readonly string[] = [
  'miniwob',
  'assistantbench',
  'timewarp',
  'visualwebarena',
  'weblinx',
  'webarena',
  'webarena_verified',
  'webarenalite',
  'workarena',
];

/** All types of environments that this version knows of, those that it runs first. */
export const environmentTypes: readonly string[] = [...Object.keys(SUPPORTED), ...Object.keys(KNOWN)];

/** Environments that give the agent a goal where the task has no prompt. */
export function givesGoal(spec: EnvironmentSpec): boolean {
  return spec.type === 'browsergym';
}

/** Which of our environments runs a task, or a sentence that says why none does. */
export function environmentKind(
  spec: EnvironmentSpec,
): { readonly kind: EnvironmentKind } | { readonly unsupported: string; readonly known: boolean } {
  const kind = Object.hasOwn(SUPPORTED, spec.type) ? SUPPORTED[spec.type] : undefined;
  if (spec.type === 'browsergym' && spec['benchmark'] !== 'miniwob' && BENCHMARKS.includes(String(spec['benchmark']))) {
    const unsupported = `This version of Taskwright does not run BrowserGym's benchmark “${spec['benchmark']}” yet; it runs “miniwob”`;
    return { known: true, unsupported };
  }
  if (kind !== undefined) return { kind };
  const known = Object.hasOwn(KNOWN, spec.type);
  const named = (known ? (KNOWN[spec.type] ?? []) : ['image', 'name'])
    .map((key) => spec[key])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(', ');
  const what = `“${spec.type}”${named === '' ? '' : ` (${named})`}`;
  const runs = `it runs ${list(Object.keys(SUPPORTED))}`;
  return known
    ? { known, unsupported: `This version of Taskwright does not run environments of type ${what} yet; ${runs}` }
    : {
        known,
        unsupported: `There is no environment of type ${what}; Taskwright knows ${environmentTypes.join(', ')}`,
      };
}
