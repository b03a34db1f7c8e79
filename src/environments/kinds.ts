import type { EnvironmentKind } from '../functions/declaration.ts';
import type { EnvironmentSpec } from '../tasks/task.ts';

const SUPPORTED: Readonly<Record<string, EnvironmentKind>> = { 'hud-browser': 'browser', qa: 'qa' };

/** Environments that exist elsewhere or come later, and the keys that tell one from another. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  browsergym: ['benchmark', 'task_name'],
  coding: [],
  desktop: ['image'],
  docker: ['image_uri'],
  hud: ['name', 'template'],
  'hud-ubuntu': [],
  mcp: [],
  'OSWorld-Ubuntu': [],
  public: ['image_or_build_context', 'controller_source_dir'],
};

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
  if (kind !== undefined) return { kind };
  const known = Object.hasOwn(KNOWN, spec.type);
  const named = (known ? (KNOWN[spec.type] ?? []) : ['image', 'name'])
    .map((key) => spec[key])
    .filter((value) => typeof value === 'string' && value !== '')
    .join(', ');
  const what = `“${spec.type}”${named === '' ? '' : ` (${named})`}`;
  const runs = `it runs ${Object.keys(SUPPORTED).join(' and ')}`;
  return known
    ? { known, unsupported: `This version of Taskwright does not run environments of type ${what} yet; ${runs}` }
    : {
        known,
        unsupported: `There is no environment of type ${what}; Taskwright knows ${environmentTypes.join(', ')}`,
      };
}
